"""Chains that walk the tables of a release: kernels, tallies, diagnostics."""
