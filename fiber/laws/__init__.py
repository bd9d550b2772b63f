"""Laws: what an intruder believes beforehand, one file each, and the tables that a law leaves possible (support)."""
