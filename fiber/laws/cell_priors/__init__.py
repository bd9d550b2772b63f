"""Priors of one cell, one file each, for `fiberwalk.laws.prior`; `cell_prior` says what such a prior is."""
