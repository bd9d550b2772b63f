"""Which figures to withhold, as arrays: the ways that prove that a figure stays open, and the cheapest pattern of them."""
