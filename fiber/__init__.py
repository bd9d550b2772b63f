"""What stays possible: the integer system of a release, its bounds, its laws, and exact solving."""
