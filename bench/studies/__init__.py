"""Studies that the README and the notebooks quote, and what they are stored by; each is a script."""
