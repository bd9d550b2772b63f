"""Two rows at a time of two-way tables with cells missing: swaps in them, or both redrawn as a whole."""
