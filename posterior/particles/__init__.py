"""What figures of groups tell together, as a pool of equally probable tables: sequential Monte Carlo.

The same people are published by one random number wherever they are shown, and which groups are the same people depends on
the table. So every table of the pool is weighed by its own sets of people (Chopin 2002: a static model, data one by one).

chances    how probable each figure is given a count, as arrays
told       the figures so far: which cells each sums
likelihood in a kernel: every set of people is one draw
steps      in a kernel: tables of the pool change, and what figures tell of them does not
answering  in kernels: what a table would have answered, and what the pool makes of an answer
pool       tables drawn from a law, and what they become with each figure
"""
