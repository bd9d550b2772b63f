"""What random methods have in common: evidence from what they published, and keys of cells."""
