"""What the tests of the house look at: imports, and what users may call."""
