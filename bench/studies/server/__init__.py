"""Studies of the table server; each is a script."""
