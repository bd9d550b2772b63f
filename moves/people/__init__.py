"""Moves among people: tables of very many kinds of whom there are hardly any."""
