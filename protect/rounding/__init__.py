"""Rounding: to the nearest multiple, at random, controlled."""
