"""Laws: what an intruder believes beforehand, one file each, and the tables that a law leaves possible (support)."""

HOMES = ("law", "priors", "cell_priors", "contributor_law", "unknown_law")
"""The files of laws, and of what laws are made of: a saved result may hold any of these."""
