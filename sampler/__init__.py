"""Chains that walk the tables of a release, and what they note down on the way.

laws        weights (a law as kernels take it), line (one point of a line, drawn from the law along it)
kernels     kernel (what every kernel offers), walk_moves with stock (any family that draws without looking at the table),
            walk_swaps, walk_units, walk_row_pairs with redraw_rows, walk_listed (two-way tables, holes, short cycles),
            walk_schedule with schedule_lines, schedule_odds, schedule_kernel (lists of moves in small blocks),
            walk_sub_tables, walk_adaptive (whatever the block), walk_independent (tables without a chain:
            independent_two_way, independent_decomposable, hypergeometric)
tallies     tally (credits of whole lines or of draws), windows (counters that grow), spread (how shares vary)
chains      unit and plan (which kernels walk which block), starts, possible, tuning, chain, run, standing, names,
            checkpoint
answers     estimate (p(x|y) with its error), stored and drawn_tables (the tables themselves), diagnostics, batch_means,
            arviz_adapter

A new kernel is a class after kernel.Kernel, and a line in plan that says where it is used.
"""
