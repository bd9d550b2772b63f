"""Labelled tables: dims and their hierarchies, the forms in which users give a table, and its values as integers."""
