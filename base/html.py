"""Small pieces of HTML for notebooks: paragraphs and plain tables.

They have no colours of their own, load nothing, and read well without any style, which code hosts take away. Whatever comes
from data is escaped here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

GAP = "…"
"""Stands for the lines that were cut out of a table."""
TINT = "background:rgba(128,128,128,.18)"
ALARM = "border-left:4px solid #D55E00;padding-left:.6em"

MOST_ROWS, MOST_COLUMNS = 30, 16
"""Tables of up to so many rows and columns are shown whole."""
PART = 12
"""How many rows or columns are shown of larger ones."""

Labels = Sequence[Sequence[str]]
"""The labels of the rows or columns of a table: of each, one for every level."""


def in_notebook(form: Callable[[Any], str], item: Any) -> str | None:
    """The HTML of an object; None, by which a notebook shows its plain text, where that fails."""
    try:
        return form(item)
    except Exception:
        return None


def prose(text: str) -> str:
    """Words as HTML; what stands between backquotes is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def sentence(text: str, *, strong: bool = False) -> str:
    """A paragraph."""
    return f"<p><b>{prose(text)}</b></p>" if strong else f"<p>{prose(text)}</p>"


def remark(text: str) -> str:
    """A paragraph in small print."""
    return f"<p><small>{prose(text)}</small></p>"


def doubt(word: str, why: str = "") -> str:
    """A paragraph that is not to be overlooked."""
    return f'<p style="{ALARM}"><b>{prose(word)}</b>{prose(f": {why}" if why else "")}</p>'


def points(lines: Sequence[str]) -> str:
    """A list; nothing where it is empty."""
    return "<ul>" + "".join(f"<li>{prose(line)}</li>" for line in lines) + "</ul>" if lines else ""


def folded(summary: str, content: str) -> str:
    """Content that unfolds on request."""
    return f"<details><summary>{prose(summary)}</summary>{content}</details>"


def table(
    row_names: Sequence[str],
    rows: Labels,
    column_names: Sequence[str],
    columns: Labels,
    texts: Sequence[Sequence[str]],
    looks: Sequence[Sequence[str]] | None = None,
    words: Sequence[int] = (),
) -> str:
    """A table with labelled rows and columns.

    Parameters
    ----------
    column_names
        What the levels of the columns are called; empty where these are headings only. Where they are named, labels that
        repeat on an outer level are written once.
    looks
        How every field is set: "i" for italics, "tint" for a grey ground, or nothing.
    words
        The columns that hold words and not figures.
    """
    crossed = bool(column_names)
    names = "".join(_head(name, left=True) for name in row_names)
    lines = []
    for level in range(len(columns[0])):
        heads = _head(column_names[level], f'colspan="{len(row_names)}"') if crossed else names
        for start, size in _runs(columns, level, crossed):
            heads += _head(columns[start][level], f'colspan="{size}"', left=start in words)
        lines.append(heads)
    if crossed:
        lines.append(f'{names}<th colspan="{len(columns)}"></th>')
    starts = [dict(_runs(rows, level, crossed)) for level in range(len(row_names))]
    body = []
    for i, fields in enumerate(texts):
        of_row = [(level, sizes[i]) for level, sizes in enumerate(starts) if i in sizes]
        heads = "".join(_head(rows[i][level], f'rowspan="{size}"', left=True) for level, size in of_row)
        look = looks[i] if looks is not None else [""] * len(fields)
        body.append(heads + "".join(_field(text, look[j], j in words) for j, text in enumerate(fields)))
    head, rest = ("".join(f"<tr>{line}</tr>" for line in part) for part in (lines, body))
    # border and align: what is left where styles are taken away
    return f'<table border="1" class="dataframe"><thead>{head}</thead><tbody align="right">{rest}</tbody></table>'


def _runs(labels: Labels, level: int, together: bool) -> list[tuple[int, int]]:
    """Where labels that are alike up to a level begin, and how many there are; those of the last level stand alone."""
    runs: list[tuple[int, int]] = []
    for i, label in enumerate(labels):
        alike = together and level < len(label) - 1 and i > 0 and labels[i - 1][: level + 1] == label[: level + 1]
        if alike:
            runs[-1] = runs[-1][0], runs[-1][1] + 1
        else:
            runs.append((i, 1))
    return runs


def _head(label: str, span: str = "", *, left: bool = False) -> str:
    spans = f" {span}" if span and not span.endswith('="1"') else ""
    style = "text-align:left" * left + (";vertical-align:top" if left and spans else "")
    return f'<th{spans} style="{style}">{escape(label)}</th>' if style else f"<th{spans}>{escape(label)}</th>"


def _field(text: str, look: str, is_words: bool) -> str:
    shown = escape(text if is_words else text.replace(" ", "\u00a0"))
    style = TINT if look == "tint" else "text-align:left" if is_words else ""
    shown = f"<i>{shown}</i>" if look == "i" else shown
    return f'<td style="{style}">{shown}</td>' if style else f"<td>{shown}</td>"


def shown_of(n: int, most: int) -> int:
    """How many of n rows or columns are shown where up to `most` would be; the last one is always among them."""
    return n if n <= most else PART


def cut_table(
    row_names: Sequence[str],
    rows: Labels,
    column_names: Sequence[str],
    columns: Labels,
    texts: Sequence[Sequence[str]],
    more: tuple[int, int],
    looks: Sequence[Sequence[str]] | None = None,
) -> str:
    """A crossed table with `more` rows and columns left out before the last ones, and a remark that says how many."""
    looks = [[""] * len(columns)] * len(rows) if looks is None else looks
    columns = columns if column_names else [("",)]
    if more[0]:
        rows = _with_gap(rows, (GAP,) * len(row_names))
        texts, looks = _with_gap(texts, [GAP] * len(columns)), _with_gap(looks, [""] * len(columns))
    if more[1]:
        columns = _with_gap(columns, (GAP,) * len(column_names))
        texts, looks = [_with_gap(row, GAP) for row in texts], [_with_gap(row, "") for row in looks]
    drawn = table(row_names, rows, column_names, columns, texts, looks)
    parts = [
        f"{n:,} more {noun if n > 1 else noun[:-1]}" for n, noun in zip(more, ("rows", "columns"), strict=True) if n
    ]
    return drawn + (remark(f"{GAP} stands for {' and '.join(parts)}.") if parts else "")


def _with_gap(items: Sequence[Any], gap: Any) -> list[Any]:
    return [*items[:-1], gap, items[-1]]
