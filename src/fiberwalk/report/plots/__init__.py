"""Pictures, one kind a file."""
