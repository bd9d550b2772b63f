"""Laws with separate peaks: is a law of that kind, and chains that cross from one peak to another."""
