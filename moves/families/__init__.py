"""Families of moves, one file each; move_set says what every family offers."""
