"""Conditional (exact) tests of a model: is a statistic of the observed table large among all tables with the same sums,
which are the sufficient statistics of the model?

models       the sums that a model keeps: margins, sets of cells, square tables by name
statistics   how far a table is from what the model expects: chi-square, likelihood ratio, Freeman-Tukey, one's own
enumerated   the p-value over all tables
drawn        the p-value from tables that are drawn until its error is small enough
"""
