"""The table server under attack (`python bench/attacks`).

population     made-up people, and what everybody knows of them: dims, levels, who can have only one label
outside        what an outsider may do: ask, and see whether it is released, the notice, the table
world          what attackers know beforehand
laws           ... of a method: how probable each figure is, given the count
evidence       what they have seen: the draws of each group of people
bounds         what is certain: linear and integer programs over the finest cells
chain          what is probable: a chain over the tables that agree, where the same people are one draw
beliefs        claims, and their score
attack         what an attack is
differencing, overlapping, averaging, zero_tests, refusals, forms   one attack each
together       all of them by turns
every_figure   the benchmark: every distinct figure, once
servers        the methods and rules that are attacked
contest        every attack against a server
census         the oracles of the server as it was, on a census hypercube
by_chance      does the server tell that a column follows from another by chance?
leaky          servers with one fault each, on which attacks must succeed
written, kept  the report
"""
