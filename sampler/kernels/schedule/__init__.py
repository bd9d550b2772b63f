"""Hit-and-run along a list of moves in small blocks, by a schedule."""
