"""Markov chains on fibers, their tallies and diagnostics (to come)."""
