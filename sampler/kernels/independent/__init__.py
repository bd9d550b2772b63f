"""Kernels that need no chain: every draw is a new table, independent of the last.

two_way          complete two-way tables (draw_two_way), one block at a time
decomposable     tables of decomposable margins (draw_decomposable), all blocks at once
"""
