"""Services to be called by tests."""
