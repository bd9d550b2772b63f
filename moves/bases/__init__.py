"""Markov and Graver bases: computed by ourselves, by 4ti2, or known beforehand."""
