"""Swaps on complete two-way tables under the uniform law: one by one, in rounds of many, or of two people.

fit picks among hit_and_run, rounds and people.
"""
