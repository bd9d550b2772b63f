"""Files, one format each: they know rows and figures, not releases."""
