"""Names and texts in SQL."""

from __future__ import annotations


def name_of(column: str) -> str:
    """A column by its name."""
    return '"' + column.replace('"', '""') + '"'


def text_of(text: str) -> str:
    """A text."""
    return "'" + text.replace("'", "''") + "'"
