"""A release as integer equations: the system, what single equations say, what goes together, and flows in a graph."""
