"""Public rows become a workbook: the crosstab with withheld cells marked, a sheet that explains it, one of hierarchies."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

from ....base.errors import InputError
from ....base.text_files import written_whole
from ..format import FilePath
from ..long_writing import long_frame
from ..rows import PublicRows
from .cell_texts import ABOUT, PRIMARY_MARK, WITHHELD, shown
from .workbook import openpyxl_for

if TYPE_CHECKING:
    import pandas as pd

TABLE, ABOUT_SHEET, HIERARCHIES = "table", "about", "hierarchies"
HIERARCHY_HEAD = ("dim", "level", "label", "group")
DECIMALS, TOTALS = "decimals", "total"
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""Of a sheet."""
_ALIKE = (1980, 1, 1, 0, 0, 0)
"""When the parts of a workbook were made: the same release makes the same bytes at any time."""
_HEAD, _HIDDEN = "DDDDDD", "F4CCCC"


def write(rows: PublicRows, path: FilePath, total: str) -> None:
    """Write public rows; `total` is what totals are called."""
    openpyxl = openpyxl_for(path, "writing")
    frame = long_frame(rows, total)
    book = openpyxl.Workbook()
    table, about = book.active, book.create_sheet(ABOUT_SHEET)
    table.title = TABLE
    _crosstab(rows, frame, table)
    for line in _explained(rows, frame, total):
        _put(about, about.max_row + 1 if about.max_row > 1 or about["A1"].value else 1, 1, *line)
    about.column_dimensions["A"].width, about.column_dimensions["B"].width = 14, 90
    if any(dim.levels for dim in rows.dims):
        _hierarchies(rows, book.create_sheet(HIERARCHIES))
    plain = io.BytesIO()
    book.save(plain)
    with written_whole(path) as temporary:
        temporary.write_bytes(_without_times(plain.getvalue()))


def _crosstab(rows: PublicRows, frame: pd.DataFrame, sheet: Any) -> None:
    """The table: the last dim across, the others down."""
    from openpyxl.styles import Alignment, Font, PatternFill

    names = [dim.name for dim in rows.dims]
    one_dim = len(names) == 1
    down = names if one_dim else names[:-1]
    keys = [tuple(row) for row in frame[down].to_numpy().tolist()]
    order = {key: k for k, (_, key) in enumerate(sorted(zip(rows.keys[:, : len(down)].tolist(), keys, strict=True)))}
    places = {key: k for k, key in enumerate(sorted(set(keys), key=order.__getitem__))}
    across = ["value"] * len(frame) if one_dim else frame[names[-1]].tolist()
    by_node = {} if one_dim else dict(zip(across, rows.keys[:, -1].tolist(), strict=True))
    labels = ["value"] if one_dim else sorted(set(across), key=by_node.__getitem__)
    if len(places) + 2 > MOST_ROWS or len(labels) + len(down) > MOST_COLUMNS:
        raise InputError(f"{rows.source}: {len(places)} rows and {len(labels)} columns are more than a sheet can have.")
    top = 1 if one_dim else 2
    if not one_dim:
        _put(sheet, 1, len(down) + 1, names[-1])
    _put(sheet, top, 1, *down, *labels)
    for cell in [*sheet[1], *sheet[top]]:
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor=_HEAD)
    for key, k in places.items():
        _put(sheet, top + 1 + k, 1, *key)
    figures = zip(*(frame[name] if name in frame else [""] * len(frame) for name in ("value", "status", "lower", "upper")),
                  strict=True)  # fmt: skip
    column_of = {label: len(down) + 1 + k for k, label in enumerate(labels)}
    for key, label, figure in zip(keys, across, figures, strict=True):
        cell = sheet.cell(top + 1 + places[key], column_of[label])
        text = shown(figure)
        if text == figure[0]:
            cell.value = float(text) if rows.decimals else int(text)
            cell.number_format = f"0.{'0' * rows.decimals}" if rows.decimals else "0"
        else:
            _text(cell, text)
            cell.alignment = Alignment(horizontal="right")
        if figure[1] in ("u", "x"):
            cell.fill = PatternFill("solid", fgColor=_HIDDEN)
    sheet.freeze_panes = sheet.cell(top + 1, len(down) + 1)


def _explained(rows: PublicRows, frame: pd.DataFrame, total: str) -> list[tuple[str, str]]:
    """What a reader has to know of the table, line by line."""
    statuses = frame["status"].tolist()
    withheld = sum(status in ("u", "x") for status in statuses)
    lines = [
        ("table", f"{' by '.join(dim.name for dim in rows.dims)}, in the sheet {TABLE!r}"),
        (TOTALS, total),
        (DECIMALS, str(rows.decimals)),
        (WITHHELD, f"a figure that is withheld ({withheld} of {len(statuses)} figures are)"),
    ]
    if "u" in statuses:
        lines.append((PRIMARY_MARK, "a figure that is withheld because it is sensitive itself"))
    if "p" in statuses:
        lines.append((f"{ABOUT}5", "a figure that was changed at random; 5 stands for any"))
    if "lower" in frame:
        lines.append(
            ("3 to 7", "the figure lies in this range, its ends included; 'at least 3' and 'at most 7' have one end")
        )
    lines.append(("empty", "nothing is said of this cell or total"))
    if any(dim.levels for dim in rows.dims):
        lines.append((HIERARCHIES, f"how labels add up to groups stands in the sheet {HIERARCHIES!r}"))
    return lines


def _hierarchies(rows: PublicRows, sheet: Any) -> None:
    """A row for each label on each level of its dim."""
    _put(sheet, 1, 1, *HIERARCHY_HEAD)
    number = 1
    for dim in rows.dims:
        for level in dim.levels:
            for label, group in zip(dim.labels, level.group_of, strict=True):
                number += 1
                _put(sheet, number, 1, dim.name, level.name, label, group)


def _put(sheet: Any, row: int, column: int, *texts: str) -> None:
    for place, text in enumerate(texts):
        _text(sheet.cell(row, column + place), text)


def _text(cell: Any, text: str) -> None:
    """Put a text into a cell, as a text: none is a formula or a number."""
    from openpyxl.utils.exceptions import IllegalCharacterError

    try:
        cell.value = text
    except IllegalCharacterError:
        raise InputError(f"the label {text!r} would not survive a workbook; rename it.") from None
    cell.data_type = "s"


def _without_times(content: bytes) -> bytes:
    """The same workbook, which does not say when it was made."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as parts, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as alike:
        for part in parts.infolist():
            text = parts.read(part)
            if part.filename == "docProps/core.xml":
                text = _CORE
            info = zipfile.ZipInfo(part.filename, _ALIKE)
            info.compress_type = zipfile.ZIP_DEFLATED
            alike.writestr(info, text)
    return made.getvalue()


_CORE = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties '
    b'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"></cp:coreProperties>'
)
