"""Is a long file what it is taken for: does its first line name the columns, and what do its commas and dashes mean?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...base.errors import InputError
from ...base.text_files import Rows
from .reading_options import ReadingOptions

DASH = "-"
"""An empty cell to tau-ARGUS, a withheld one to others."""
_PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def is_number(text: str) -> bool:
    """A number, be its decimals after a point or after a comma."""
    return bool(_PLAIN.fullmatch(text) or _COMMA.fullmatch(text))


def refuse_data_as_names(source: str, names: list[str], rows: Rows, options: ReadingOptions) -> None:
    """Refuse a first line that is a row of the table; where the user names columns that it has, it is one of names."""
    asked = [*(options.dims or []), options.value]
    if any(given in names for given in asked if given is not None):
        return
    # A name that is a number, above numbers: the first figure. A name twice, one of them again below: the first total.
    figure = next(
        (name for place, name in enumerate(names) if is_number(name) and _all_figures(row[place] for _, row in rows)),
        None,
    )
    again = next(
        (
            name
            for place, name in enumerate(names)
            if names.count(name) > 1 and any(row[place] == name for _, row in rows)
        ),
        None,
    )
    said = figure if figure is not None else again
    if said:
        raise InputError(
            f"{source}: the first line looks like a row of the table and not like names of columns ({said!r} is among "
            "them); if it is one, say header=False."
        )


def _all_figures(texts: Iterable[str]) -> bool:
    return all(is_number(text) or text in ("", DASH) for text in texts)


def refuse_status_as_value(source: str, rows: Rows) -> None:
    """Refuse a file without header whose last columns look like figures and statuses, where nobody said so."""
    width = len(rows[0][1])
    if width < 3 or any(len(row) != width for _, row in rows):
        return
    figures, codes = ([row[place] for _, row in rows] for place in (-2, -1))
    of_tau_argus = {str(code) for code in range(1, 15)}
    looks = _all_figures(figures) and any(is_number(text) for text in figures)
    if looks and (set(codes) <= of_tau_argus or not any(is_number(code) for code in codes)):
        raise InputError(
            f"{source}: the last column looks like statuses, and the one before it like figures; if that is so, say "
            "status='status', and if not, name the dims with dims=."
        )


def with_points(source: str, names: list[str], rows: Rows, figures: Iterable[str], decimal_comma: bool) -> Rows:
    """The rows with decimal points in the columns of figures; a comma that nobody spoke of is refused."""
    places = [(names.index(name), name) for name in figures]
    if not any("," in row[place] or (decimal_comma and "." in row[place]) for _, row in rows for place, _ in places):
        return rows
    pointed = []
    for number, row in rows:
        cells = list(row)
        for place, name in places:
            cells[place] = _with_point(cells[place], f"{source}, row {number}, column {name!r}", decimal_comma)
        pointed.append((number, cells))
    return pointed


def _with_point(text: str, where: str, decimal_comma: bool) -> str:
    if not decimal_comma and _COMMA.fullmatch(text):
        raise InputError(
            f"{where}: {text!r} has a comma; if decimals stand behind it, say decimal_comma=True, and with decimals= "
            "how many are kept; if thousands do, write the number without it."
        )
    if decimal_comma and "." in text and is_number(text):
        raise InputError(f"{where}: {text!r} has a decimal point, although decimal_comma=True.")
    return text.replace(",", ".") if decimal_comma and _COMMA.fullmatch(text) else text
