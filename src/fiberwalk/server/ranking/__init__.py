"""The audit of everything that was answered: who could be known by now, and from which requests.

groups          whom each figure is about, in whole numbers
neighbourhoods  which figures are read together: those of two dims within the same people
solving         what the figures of a neighbourhood tell of its cells
ranking         all that was asked, taken up answer by answer; the cells that are known best
"""
