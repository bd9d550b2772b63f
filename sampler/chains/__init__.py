"""Chains: units and their kernels, starts, tuning, runs that stop when all is known well enough, diagnostics."""
