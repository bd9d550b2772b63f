"""The law of every cell, exactly: by enumeration, variable elimination or two-way counts, whichever costs less."""
