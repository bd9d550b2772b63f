"""Slow and obvious twins of what is quick, and some that are wrong on purpose."""
