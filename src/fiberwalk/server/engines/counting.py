"""The hypercube that an engine counts: the same as that of the data read as a whole, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import joined
from ...release.tables.tables import check_trees
from ..cube.coded_columns import declared_labels, refuse_names
from ..cube.finding_levels import with_levels
from ..cube.hypercube import Hypercube, gathered
from ..cube.keys_of_people import negative_keys, no_halves, no_number, refuse_alike
from ..cube.roles import NO_ROWS, Layout, Roles, layout_of
from .arrow_labels import Labelled, labelled
from .engine import Engine, in_our_words

MOST_OCCUPIED = 30_000_000
"""Cells that are held; each takes 8 bytes a dim, and 16 more."""
MOST_LABELS = 1_000_000
"""Of a column: one with more is no dim, and its labels would fill the memory."""
NAMED = 4
"""Columns that are named because they make a cube large."""


def cube_of_engine(engine: Engine, seed: int, roles: Roles) -> Hypercube:
    """The cube of microdata that an engine counts, once, by all dims together."""
    check_trees(roles.hierarchies)
    with in_our_words(engine.words):
        layout = layout_of(list(engine.columns), roles)
        _refuse_what_needs_records(layout, roles)
        declared = declared_labels(roles.labels, layout.dims)
        found = [_labelled(engine, name, declared.get(name)) for name in layout.dims]
        if layout.keys:
            _check_keys(engine, layout.keys)
        cube = _counted(engine, found, layout, seed)
        refuse_names(cube.columns, cube.population)
        cube = with_levels(cube, dict(roles.hierarchies or {})).occupied()
    return cube if layout.keys else cube.keyed_by_content()


def _refuse_what_needs_records(layout: Layout, roles: Roles) -> None:
    """Refuse what is worked out of every record by itself, or needs the order of rows."""
    if layout.count is not None:
        raise InputError(
            f"the column {layout.count!r} holds counts of cells, and an engine counts records, one row a person: give the "
            "file or frame itself, or say which columns are dims (columns=)."
        )
    if len(layout.keys) == 1:
        raise InputError(
            "keys= of data that an engine counts are the two columns of stored halves (`fiberwalk keys`, "
            "fw.server.record_keys), which it adds up; a single column would have to be hashed record by record."
        )
    for option, given in (("summed", roles.summed), ("sampling_weights", layout.weights)):
        if given:
            raise InputError(
                f"{option}= needs every record, and an engine only counts them: give the file or frame itself."
            )


def _labelled(engine: Engine, name: str, declared: Sequence[str] | None) -> Labelled:
    values = engine.values(name, MOST_LABELS + 1)
    if not len(values):
        raise InputError(NO_ROWS)
    if len(values) > MOST_LABELS:
        raise InputError(
            f"column {name!r} has more than {MOST_LABELS:,} labels: it names people, not groups of them; leave it out "
            "(columns=)."
        )
    return labelled(values, name, declared)


def _check_keys(engine: Engine, keys: Sequence[str]) -> None:
    """What `stored_keys` checks, by what the engine says."""
    facts = engine.key_facts(keys)
    for half, name in enumerate(keys):
        if facts.missing[half]:
            raise no_number("a row", name)
        if facts.smallest[half] < 0:
            raise negative_keys(name)
        if not facts.whole[half] or facts.largest[half] >= 2**32:
            raise no_halves(name)
    refuse_alike(engine.distinct_keys(keys), facts.records, keys)


def _counted(engine: Engine, found: Sequence[Labelled], layout: Layout, seed: int) -> Hypercube:
    """The cube by one group-by; groups whose values have the same label are one cell."""
    codes: list[list[np.ndarray]] = [[] for _ in found]
    sums: list[list[np.ndarray]] = [[] for _ in ("count", *layout.keys)]
    groups = 0
    for batch in engine.groups(layout.dims, layout.keys, MOST_OCCUPIED + 1):
        groups += batch.num_rows
        if groups > MOST_OCCUPIED:
            raise _too_many(found)
        columns = batch.columns
        for labels, of_dim, column in zip(found, codes, columns, strict=False):
            of_dim.append(labels.codes(column))
        for of_sum, column in zip(sums, columns[len(found) :], strict=True):
            of_sum.append(_whole(column))
    cells = [labels.of_cells(of_dim) for labels, of_dim in zip(found, codes, strict=True)]
    counts, *halves = (np.concatenate(of_sum) for of_sum in sums)
    keys = joined(*halves) if halves else np.zeros(len(counts), dtype=np.uint64)
    return gathered(cells, counts.astype(np.int64), keys, seed)


def _whole(column: object) -> np.ndarray:
    """Whole numbers modulo 2^64: a sum of 64 bits that ran over is right, whatever its sign."""
    numbers = np.asarray(column)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError
    return numbers.astype(np.uint64)


def _too_many(found: Sequence[Labelled]) -> InputError:
    largest = sorted((labels.column for labels in found), key=lambda column: -len(column.labels))[:NAMED]
    named = ", ".join(f"{column.name!r} ({len(column.labels):,} labels)" for column in largest)
    return InputError(
        f"people are in more than {MOST_OCCUPIED:,} different cells by all dims together, too many to be held. The most "
        f"labels have {named}: leave some out (columns=), or have them coarser in the data."
    )
