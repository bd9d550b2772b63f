"""Reading a release: a format of the registry parses the file to figures, and these are put together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..base.errors import InputError
from .figures import from_figures
from .files.formats import format_of
from .files.reading_options import ReadingOptions
from .release import Release
from .tables.beforehand import Statement
from .tables.tables import check_trees


def read_release(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    path: str | os.PathLike[str],
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
    perturbed: bool = False,
    at_least: float | None = None,
    at_most: float | None = None,
    known_within: float | None = None,
) -> Release:
    """Read a published table with hidden cells.

    Parameters
    ----------
    path
        A long CSV (comma, semicolon or tab) or Parquet file with one row per cell, totals included under a label such
        as `Total`; or a JJ file as tau-ARGUS and sdcTable write it.
    dims, value, status
        The columns of the dims, of the figures and of the status codes. A hidden figure is empty, or one of the words that
        say so (NA, NaN, None, null, .., :, x, *, in any case); in a column of numbers of a Parquet file it is null, and NaN,
        which is what a computation gone wrong leaves, is refused. Left out, they are found by their names (value, count,
        freq, n; status, sdcStatus) and the rest are dims. Statuses u (primary suppression), x, m and w (secondary) and
        tau-ARGUS' 3 to 9, 11 and 12 mean hidden; a hidden row that still has a figure carries the truth. Status p means
        that the figure was perturbed at random: see `as_protected`.
    total
        The label of totals in the file.
    hierarchies
        {dim: hierarchy}: a mapping of parents to children, a frame of levels from coarse to fine, or the path of a
        `.hrc` file or level table, or the name (or names) of the column with a label's group. The file may then have
        rows for subtotals. Columns called "dim:..." are taken as such without being named.
    decimals
        Magnitudes are kept as whole numbers of 10^-decimals.
    header
        False: the columns are the dims, the value and, where `status` is given, the status.
    missing
        What a cell without a row is: "zero", "hidden", or (by default) an error.
    slack
        How far published totals may be from the sum of their cells because they were rounded.
    contributors, largest
        The columns that say how many contribute to a cell and how much the largest of them does (N_OBS and MAX, in any
        case, are found by themselves), for `audit(intruders="respondents")`; empty where that is not known. Like the truth
        they are the agency's own: `Release.to_file` does not write them.
    perturbed
        The figures of the cells went through a random method (totals did not), where no status p says which did. Name the
        method with `as_protected`.
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
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a file is named by its path; this is a {type(path).__name__}.")
    name, total = os.fspath(path), str(total)
    if not os.path.exists(path):
        raise InputError(f"{name}: there is no such file.")
    file_format = format_of(path)
    if not file_format.has_columns:
        if dims or value or status or hierarchies or contributors or largest:
            raise InputError(
                f"{name}: {file_format.called} has no columns to name; dims=, value=, status=, hierarchies=, contributors= "
                "and largest= do not apply."
            )
        dims = hierarchies = None  # an empty list or text names nothing
    if dims is not None:
        dims = [part.strip() for part in dims.split(",")] if isinstance(dims, str) else [str(dim) for dim in dims]
    check_trees(hierarchies)
    options = ReadingOptions(
        dims=dims,
        value=value,
        status=status,
        total=total,
        hierarchies=dict(hierarchies or {}),
        decimals=decimals,
        header=header,
        missing=missing,
        slack=slack,
        contributors=contributors,
        largest=largest,
        perturbed=perturbed,
    )
    known = Statement(at_least, at_most, known_within)
    return from_figures(replace(file_format.read(path, options), known=known))
