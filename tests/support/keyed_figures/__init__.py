"""Figures that follow from who is in a cell: their slow, obvious twin, and small random cases of them."""
