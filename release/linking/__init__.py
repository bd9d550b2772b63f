"""Several releases about the same people, read as one.

link          the public verb; common_dims: what its tables are about, as dims that all of them have
side_by_side  cells with equal labels are one cell, and totals in common are equal
crossed       every table as a margin of the one that crosses all dims
"""
