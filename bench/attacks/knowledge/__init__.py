"""What attackers know, and what follows from it.

population   made-up people, and what everybody knows of them: dims, levels, who can have only one label
outside      what an outsider may do: ask, and see whether it is released, the notice, the table
laws         the law of a method: how probable each figure is, given the count
world        all that attackers know beforehand
evidence     what they have seen: the draws of each group of people
bounds       what is certain: linear and integer programs over the finest cells
chain        what is probable: a chain over the tables that agree, where the same people are one draw
beliefs      claims, and their score
"""
