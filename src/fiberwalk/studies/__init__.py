"""Studies of samples and of methods over many tables."""
