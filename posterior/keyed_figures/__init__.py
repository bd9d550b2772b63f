"""Figures whose random number belongs to the people behind them: the same people are one draw, however a table calls them.

Which groups are the same people depends on the table itself: a group and its part are, if nobody is in the rest. So what was
published is no product over cells and sums. With S the sets of finest cells that are occupied in some group,

    P(published | table) = prod over S of [all that was published of S is alike] P(published of S | count of S).

figures      what was published of which cells, as arrays; the parts that depend on each other
same_people  which groups may be the same people; somebody is where their figures differ
sweep        exactly: cell by cell, with what is to be known of the cells before
passage      the steps of chains, in a kernel
walking      chains over the tables of a part: proposals, starts, certificate
believed     each part exactly where that is cheap enough, else by chains
"""
