"""What agencies publish besides counts, one kind of figure a file; each is turned into exact facts about whole numbers.

A figure about a group is one or several rows, low <= coefficients . cells <= high, or a choice between such rows. Where the
number of people in the group is published, rows use it; else they are homogeneous, and hold for whatever number there is.

rounded.py       between which values a figure lay before it was rounded; rows.py: rows of cells, how many are in a group
mean.py          means of people, and of amounts
quantile.py      medians and other quantiles
share.py         percentages and ratios
extreme.py       the smallest and the largest label that occur
distinct.py      how many labels occur
withheld.py      that a figure is not shown
"""
