"""Suppression until the sensitive cells are safe: by their intervals, and by what an intruder would believe of them.

`suppressing` is the verb, `search` finds patterns, and `attempts` says whether they reach the targets.
"""
