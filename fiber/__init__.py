"""What stays possible: the tables that agree with a release.

equations/  a release as integer equations: system, by rows and columns (sparse_equations), what single ones say
            (propagation), what goes together (rowspace), flows in a graph (network, twins), all changes of a table that
            no equation notices (lattice)
solvers/    linear and integer programs, flow, searches for one table, for every table and every cycle
blocks/     presolve: what is decided, one feasible table, the independent blocks of the rest; contradiction: why there is
            none; known_sums; two_way, own_bounds: what a block looks like
bounds/     sharp bounds by the cheapest way that proves them (chooser), closed forms for margins (decomposable), tables
            that attain them
laws/       what an intruder believes beforehand, one law a file; support: the tables that leaves possible
exact/      the law of every cell by enumeration, elimination or two-way counts, whichever costs less (chooser)
"""
