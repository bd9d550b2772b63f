""".tab files, tables as tau-ARGUS takes them: no header, a row a cell or total, and a .rda file that says what is what."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ....base.errors import InputError, did_you_mean
from ....base.text_files import Rows, read_rows
from ...facts.facts import PRIMARY, Protection
from ...tables.hierarchies import Tree, read_hierarchy
from ..format import FilePath, Format
from ..long_reading import publication_of_rows
from ..publication import Publication
from ..reading_options import ReadingOptions
from .levels import level, number_of, with_point
from .metadata import (
    ABOVE,
    BELOW,
    CONTRIBUTORS,
    DIM,
    LARGEST,
    SECOND,
    STATUS,
    VALUE,
    Metadata,
    Variable,
    metadata_beside,
    read_metadata,
)
from .tab_writing import write

_CODES = {"S": "s", "U": "u", "P": "s", "M": "m", "ML": "m", "E": "14"}
"""Letters of statuses: P is a cell that must be published."""


def reads(path: FilePath) -> bool:
    """A .tab file with its .rda beside it; one without may be any text with tabs."""
    return os.fspath(path).lower().endswith(".tab") and metadata_beside(path) is not None


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read a .tab file by what its .rda says."""
    source = os.fspath(path)
    beside = options.metadata or metadata_beside(path)
    if beside is None:
        raise InputError(f"{source}: no .rda file stands beside it; say where it is with metadata=.")
    metadata = read_metadata(beside)
    rows = _rows(source, metadata)
    dims = _dims(metadata, options)
    columns = _columns(source, metadata, options)
    names = [one.name for one in (*dims, *columns.values())]
    places = [metadata.variables.index(one) for one in (*dims, *columns.values())]
    told = [(number, [row[place] for place in places]) for number, row in rows]
    for k, dim in enumerate(dims):
        _rename_totals(source, told, k, dim, options.total)
    for k, kind in enumerate(columns, start=len(dims)):
        for number, row in told:
            row[k] = _status(source, number, row[k], metadata) if kind == STATUS else with_point(row[k])
    called = {kind: one.name for kind, one in columns.items()}
    said = replace(
        options,
        dims=[one.name for one in dims],
        hierarchies=_hierarchies(source, metadata, dims, told, options),
        decimals=options.decimals or columns[VALUE].decimals,
        header=True,
        value=columns[VALUE].name,
        status=called.get(STATUS),
        contributors=called.get(CONTRIBUTORS),
        largest=called.get(LARGEST),
        second=called.get(SECOND),
    )
    publication = publication_of_rows(source, names, told, said)
    totals = {dim.name: dim.total for dim in dims}
    return replace(publication, totals=totals, protection=_protection(source, metadata, rows, publication))


_SAID = {"value": VALUE, "status": STATUS, "contributors": CONTRIBUTORS, "largest": LARGEST, "second": SECOND}
"""The options that name columns, and what these are."""


def _rows(source: str, metadata: Metadata) -> Rows:
    """The rows of the file, each with an entry for every variable."""
    width, rows = len(metadata.variables), read_rows(source, metadata.separator, as_written=True)
    told = []
    for number, row in rows:
        if len(row) == width + 1 and not row[-1]:  # a separator at the end of the line
            row = row[:-1]
        if len(row) != width:
            raise InputError(
                f"{source}, row {number}: {len(row)} columns where {metadata.source} has {width} variables; do the two "
                "belong together?"
            )
        told.append((number, row))
    return told


def _dims(metadata: Metadata, options: ReadingOptions) -> list[Variable]:
    dims = metadata.of_kind(DIM)
    if options.dims is None:
        return dims
    known = [one.name for one in dims]
    if sorted(options.dims) != sorted(known):
        raise InputError(f"{metadata.source}: the dims of the table are {', '.join(known)}; dims= must name them all.")
    return [dims[known.index(name)] for name in options.dims]


def _columns(source: str, metadata: Metadata, options: ReadingOptions) -> dict[str, Variable]:
    """What is read besides the dims, by its kind: what the user names, else the first variable that is so."""
    found: dict[str, Variable] = {}
    another = options.value is not None and options.value not in [one.name for one in metadata.of_kind(VALUE)[:1]]
    for name, kind in _SAID.items():
        asked = getattr(options, name)
        if asked is not None:
            variable = metadata.named(asked)
            if variable is None or variable.kind == DIM:
                others = [one.name for one in metadata.variables if one.kind != DIM]
                raise InputError(f"{metadata.source}: there is no column {asked!r}; {did_you_mean(asked, others)}")
            found[kind] = variable
        elif (of_kind := metadata.of_kind(kind)) and not (another and kind in (CONTRIBUTORS, LARGEST, SECOND)):
            found[kind] = of_kind[0]  # of who contributes, it is said for the first figure
    if options.largest is not None and options.second is None:
        found.pop(SECOND, None)  # who names the one is not told the other
    if VALUE not in found:
        if CONTRIBUTORS not in found:
            raise InputError(f"{metadata.source}: no variable is a figure (<NUMERIC> or <FREQUENCY>).")
        found = {VALUE: found.pop(CONTRIBUTORS), **found}
    chosen = found[VALUE]
    return {kind: one for kind, one in found.items() if kind == VALUE or one is not chosen}


def _rename_totals(source: str, rows: Rows, place: int, dim: Variable, total: str) -> None:
    """Call the totals of a dim as those of the others are called."""
    for number, row in rows:
        if row[place] == dim.total:
            row[place] = total
        elif row[place] == total:
            raise InputError(
                f"{source}, row {number}: dim {dim.name!r} has the label {total!r}, although its total is called "
                f"{dim.total!r}; rename it."
            )


def _status(source: str, number: int, text: str, metadata: Metadata) -> str:
    """A status in the codes of other files."""
    called = {metadata.safe: "s", metadata.unsafe: "u", metadata.protect: "s"}
    code = called.get(text) or _CODES.get(text.upper(), text)
    if code == text and text and not re.fullmatch("1?[0-9]", text):
        raise InputError(
            f"{source}, row {number}: the status {text!r} is unknown; known are S (safe), U (unsafe), P (must stay), "
            "M (secondary), E (empty), and numbers from 1 to 14."
        )
    return code


def _hierarchies(
    source: str, metadata: Metadata, dims: Sequence[Variable], rows: Rows, options: ReadingOptions
) -> dict[str, object]:
    """The hierarchies of the dims: those that the user gives, else those that the metadata name."""
    found = dict(options.hierarchies)
    for place, dim in enumerate(dims):
        if dim.name in found:
            continue
        if dim.hierarchy is not None:
            found[dim.name] = read_hierarchy(_located(source, metadata, dim), dim.lead)
        elif dim.widths:
            labels = dict.fromkeys(row[place] for _, row in rows if row[place] != options.total)
            if tree := _tree_of_digits(list(labels), dim.widths):
                found[dim.name] = tree
    return found


def _located(source: str, metadata: Metadata, dim: Variable) -> str:
    """Where the hierarchy of a dim is: where the metadata say, or beside the table."""
    assert dim.hierarchy is not None
    beside = os.path.join(os.path.dirname(source), re.split(r"[\\/]", dim.hierarchy)[-1])
    for place in (beside, dim.hierarchy):
        if os.path.isfile(place):
            return place
    raise InputError(
        f"{metadata.source}: dim {dim.name!r} has its hierarchy in {dim.hierarchy!r}, which is not there and not beside the "
        "table; say where it is with hierarchies=."
    )


def _tree_of_digits(labels: Sequence[str], widths: Sequence[int]) -> Tree:
    """The tree of labels whose first characters name their group, level by level."""
    lengths = [sum(widths[: k + 1]) for k in range(len(widths))]
    tree: Tree = {}
    for label in labels:
        if len(label) != lengths[-1]:
            continue
        path = [label[:length] for length in lengths]
        for parent, child in pairwise(path):
            children = tree.setdefault(parent, [])
            if child not in children:
                children.append(child)
    return tree


def _protection(
    source: str, metadata: Metadata, rows: Rows, publication: Publication
) -> dict[tuple[int, ...], Protection] | None:
    """The protection levels of cells that are sensitive; of others tau-ARGUS writes some as well, which mean nothing."""
    columns = [metadata.of_kind(kind) for kind in (BELOW, ABOVE)]
    if not all(columns):
        return None
    below, above = (metadata.variables.index(found[0]) for found in columns)
    wanted = {}
    for (number, row), figure in zip(rows, publication.figures, strict=True):
        if figure.status == PRIMARY:
            texts = (row[place] or "0" for place in (below, above))
            levels = (number_of(text, f"{source}, row {number}", "a protection level") for text in texts)
            wanted[figure.key] = Protection(*(level(amount, publication.decimals) for amount in levels))
    return wanted or None


TAU_ARGUS = Format(
    "a table of tau-ARGUS", reads, read, endings=(".tab",), write_public=write, own_options=("metadata",)
)
