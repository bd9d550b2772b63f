"""What the snooper believes: p(x|y) for cells and sums, given a release and a law.

parts/        how probable each value is (pmf), a block solved or sampled, sums put together
paths/        hidden paths of Markov perturbation
keyed_figures/  tables whose random numbers belong to the people in a cell: the same people are one draw
particles/    the same figures one after the other, as a pool of equally probable tables
populations/  models of the population behind a sample, one a file
goodness_of_fit/  conditional tests of a model of the table itself

belief         believe(release, law): every hidden cell and every sum that is asked about
joint          several cells at once
every_table    all tables one by one, for what no sum of cells answers
most_probable  the likeliest table
square         one Markov-perturbed square of four cells
"""
