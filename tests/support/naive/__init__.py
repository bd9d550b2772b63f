"""Slow and obvious twins of what is quick."""
