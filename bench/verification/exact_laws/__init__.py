"""What chains on small releases are held to: every table, and how probable each is."""
