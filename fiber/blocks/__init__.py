"""Presolve: what is decided, one feasible table, and the independent blocks of the rest; or why there is no table."""
