"""Commands about tables on request."""
