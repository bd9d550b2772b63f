"""The law of every cell, exactly: by enumeration or by variable elimination, whichever costs less."""
