"""Reading a release: a format of the registry parses the file to figures, and these are put together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..base.errors import InputError
from .figures import from_figures
from .files.argus.history import notes_on, read_lines, with_history
from .files.formats import format_of
from .files.long_reading import publication_of_rows
from .files.parquet_file import frame_rows
from .files.publication import Publication
from .files.reading_options import ReadingOptions
from .release import Release
from .tables.beforehand import Statement
from .tables.tables import check_trees


def read_release(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    path: Any,
    dims: Sequence[str] | None = None,
    value: str | None = None,
    status: str | None = None,
    total: str = "Total",
    hierarchies: Mapping[str, Any] | None = None,
    decimals: int = 0,
    header: bool = True,
    *,
    missing: str = "error",
    slack: float = 0,
    contributors: str | None = None,
    largest: str | None = None,
    second: str | None = None,
    perturbed: bool = False,
    decimal_comma: bool = False,
    metadata: str | os.PathLike[str] | None = None,
    history: str | os.PathLike[str] | None = None,
    sheet: str | None = None,
    crosstab: bool = False,
    at_least: float | None = None,
    at_most: float | None = None,
    known_within: float | None = None,
) -> Release:
    """Read a published table with hidden cells.

    Parameters
    ----------
    path
        A long CSV (comma, semicolon or tab) or Parquet file with one row per cell, totals included under a label such
        as `Total`; a `.tab` file of tau-ARGUS with its `.rda`; a crosstab in a CSV file or an Excel workbook; a JJ file as
        tau-ARGUS and sdcTable write it; or a long DataFrame.
    dims, value, status
        The columns of the dims, of the figures and of the status codes. A hidden figure is empty, or one of the words that
        say so (NA, NaN, None, null, .., :, x, *, in any case); in a column of numbers of a Parquet file it is null, and NaN,
        which is what a computation gone wrong leaves, is refused. Left out, they are found by their names (value, count,
        freq, n; status, sdcStatus) and the rest are dims. Statuses u (primary suppression), x, m and w (secondary) and
        tau-ARGUS' 3 to 9, 11 and 12 mean hidden; a hidden row that still has a figure carries the truth. Status p means
        that the figure was perturbed at random: see `as_protected`. Columns `primary` and `suppressed` of true and false, as
        GaussSuppression writes them, take the place of a status.
    total
        The label of totals in the file.
    hierarchies
        {dim: hierarchy}: a mapping of parents to children, a frame of levels from coarse to fine, or the path of a
        `.hrc` file or level table, or the name (or names) of the column with a label's group; of files, trees and frames a
        list, too: several hierarchies of one dim. The file may then have rows for subtotals. Columns called "dim:..." are
        taken as such without being named.
    decimals
        Magnitudes are kept as whole numbers of 10^-decimals. Where a file says how many it has, that is taken.
    header
        False: the columns are the dims, the value and, where `status` is given, the status.
    missing
        What a cell without a row is: "zero", "hidden", or (by default) an error.
    slack
        How far published totals may be from the sum of their cells because they were rounded.
    contributors, largest, second
        The columns that say how many contribute to a cell and how much the largest and the second largest of them do
        (N_OBS, MAX and MAX2, in any case, are found by themselves), for `audit(intruders="respondents")` and the rules of
        `fw.protect.sensitivity`; empty where that is not known. Like the truth they are the agency's own: `Release.to_file`
        does not write them.
    perturbed
        The figures of the cells went through a random method (totals did not), where no status p says which did. Name the
        method with `as_protected`.
    decimal_comma
        Decimals of a text file stand after a comma. In a `.tab` file with its `.rda` they may without being asked.
    metadata
        The `.rda` file of a table of tau-ARGUS; left out, it is the one beside the table with its name. It says what the
        columns are, what totals are called, and where hierarchies are; what `value=`, `hierarchies=` and the like say
        comes before.
    history
        An a priori file of tau-ARGUS (`.hst`): statuses and protection levels of single cells, which come before those of
        the file. A release has no costs: `fw.protect.read_history` gives them, too.
    sheet
        The sheet of a workbook; left out, the first.
    crosstab
        A text file is a crosstab: labels in its first columns, those of the last dim in its header. One with the names of
        two dims in its corner (`town\\sex`), or with a column `Total` beside others, is known as such.
    at_least, at_most, known_within
        What everybody knows of every cell beforehand, as `fw.table` says it: cells that may be negative need it, unless the
        file has a lower limit for every hidden one. Percent of the truth are of files that hold it.

    Examples
    --------
    >>> import fiberwalk as fw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "published.csv"
    >>> _ = path.write_text("sex,town,count\\nf,Aby,\\nf,Bro,7\\nm,Aby,5\\nm,Bro,\\nTotal,Aby,9\\nTotal,Bro,10\\n")
    >>> release = fw.read_release(path)
    >>> release
    <Release of sex, town (2 x 2): 4 cells, 2 hidden, 2 known sums, as an outsider reads it>
    >>> fw.bounds(release)["lower"].tolist()
    [4, 3]
    """
    if dims is not None:
        dims = [part.strip() for part in dims.split(",")] if isinstance(dims, str) else [str(dim) for dim in dims]
    check_trees(hierarchies)
    options = ReadingOptions(
        dims=dims,
        value=value,
        status=status,
        total=str(total),
        hierarchies=dict(hierarchies or {}),
        decimals=decimals,
        header=header,
        missing=missing,
        slack=slack,
        contributors=contributors,
        largest=largest,
        second=second,
        perturbed=perturbed,
        decimal_comma=decimal_comma,
        metadata=None if metadata is None else os.fspath(metadata),
        sheet=sheet,
        crosstab=crosstab or None,
    )
    known = Statement(at_least, at_most, known_within)
    publication = replace(_publication(path, options), known=known)
    if history is None:
        return from_figures(publication)
    said = read_lines(history, publication, options.total)
    release = from_figures(with_history(publication, said))
    return replace(release, notes=(*release.notes, *notes_on(said, os.fspath(history))))


def _publication(path: Any, options: ReadingOptions) -> Publication:
    """What a file, or a frame, publishes."""
    own = [name for name in ("metadata", "sheet", "crosstab") if getattr(options, name) is not None]
    if hasattr(path, "columns"):
        if own:
            raise InputError(f"{own[0]}= is about files, and this is a frame.")
        return publication_of_rows("the frame", *frame_rows(path), options)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a file is named by its path; this is a {type(path).__name__}.")
    name = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{name}: there is no such file.")
    file_format = format_of(path, own)
    if not file_format.has_columns:
        asked = (
            options.dims,
            options.value,
            options.status,
            options.hierarchies,
            options.contributors,
            options.largest,
            options.second,
        )
        if any(asked):
            raise InputError(
                f"{name}: {file_format.called} has no columns to name; dims=, value=, status=, hierarchies=, contributors=, "
                "largest= and second= do not apply."
            )
        options = replace(options, dims=None, hierarchies={})  # an empty list or text names nothing
    return file_format.read(path, options)
