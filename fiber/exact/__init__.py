"""The law of every cell, exactly: by enumeration or by elimination of cells, whichever costs less."""
