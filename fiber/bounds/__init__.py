"""Sharp bounds of cells and sums, by the cheapest way that proves them, and tables that attain them."""
