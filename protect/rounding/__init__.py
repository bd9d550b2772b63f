"""Rounding: to the nearest multiple, at random, controlled, of many tables at once (lattice)."""
