"""What the snooper believes: p(x|y) for cells and sums, given a release and a law."""
