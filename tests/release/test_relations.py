"""Relations that a publication tells besides its figures: facts about cells and totals of any dims."""

from __future__ import annotations

import pytest

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN
from fiberwalk.release.figures import from_figures
from fiberwalk.release.files.publication import Figure, Publication, Relation
from fiberwalk.release.tables.dims import Dim

ROW, COL = Dim("row", ("a", "b")), Dim("col", ("x", "y"))
CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
A, X, EVERYTHING = (0, COL.total), (ROW.total, 0), (ROW.total, COL.total)


def published(values: list[int | None], *relations: Relation) -> fw.Release:
    figures = [
        Figure(key, value, HIDDEN if value is None else 0, where=f"cell {key}")
        for key, value in zip([*CELLS, EVERYTHING], values, strict=True)
    ]
    return from_figures(Publication([ROW, COL], figures, "a list", relations=relations))


def test_a_relation_between_totals_and_cells():
    """Row a is twice column x less 1: 1 + 4 = 2 * (1 + 2) - 1, and of cells that are hidden it leaves less."""
    twice = Relation({A: 1, X: -2}, -1, "line 7")
    assert published([1, 4, 2, 3, 10], twice).truth is not None
    hidden = published([None, None, None, None, 10], twice)
    assert hidden.sums.words[-1] == "relation on line 7:"
    tables = [(a, b, c, 10 - a - b - c) for a in range(11) for b in range(11 - a) for c in range(11 - a - b)]
    assert fw.count(hidden) == sum(a + b == 2 * (a + c) - 1 for a, b, c, _ in tables)


def test_relations_that_do_not_hold():
    with pytest.raises(fw.InputError, match="a list, line 7: the relation's cells sum to 5, not 6, 1 off"):
        published([1, 4, 2, 3, 10], Relation({A: 1}, 6, "line 7"))
    nothing = {A: 1, (0, 0): -1, (0, 1): -1}
    with pytest.raises(fw.InputError, match="a list, line 8: the relation says 0 = 2"):
        published([1, 4, 2, 3, 10], Relation(nothing, 2, "line 8"))
    assert len(published([1, 4, 2, 3, 10], Relation(nothing, 0)).sums) == 1  # the grand total
