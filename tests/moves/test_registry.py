"""The ways to moves: the first that leads anywhere is taken, and a new one needs one line."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves import registry
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.lattice import LatticeMoves, lattice_moves
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.margins import MarginMoves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.swaps import Swaps

HOLES = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1]], dtype=bool)


@pytest.mark.parametrize(
    ("release", "kind"),
    [
        (lambda: fw.publish(np.full((3, 3), 2), ["A", "B"]), Swaps),
        (lambda: fw.suppress(np.full((3, 4), 2), where=HOLES), Listed),  # few cycles are listed
        (lambda: fw.publish(np.full((4, 4, 4), 1), ["A", "B", "C"]), MarginMoves),
        (lambda: fw.publish(np.full((2, 2, 2), 1), ["A,B", "B,C", "A,C"]), Listed),
    ],
)
def test_the_first_way_that_leads_anywhere_is_taken(release, kind):
    (moves,) = choose(support(release())).sets
    assert type(moves) is kind


def test_where_the_law_has_gaps_nothing_is_proven():
    gaps = fw.laws.prior([({"A": "1", "B": "1"}, {0: 0.5, 2: 0.3, 4: 0.2})])
    (moves,) = choose(support(fw.publish(np.full((3, 3), 2), ["A", "B"]), gaps)).sets
    assert isinstance(moves, Mixture)
    assert any("excluded" in line for line in moves.certificate.evidence)


def test_a_line_is_all_that_a_way_needs(monkeypatch):
    release = fw.publish(np.full((3, 3), 2), ["A", "B"])
    monkeypatch.setattr(registry, "WAYS", (lambda wanted: lattice_moves(wanted.block), *registry.WAYS))
    (moves,) = choose(support(release)).sets
    assert isinstance(moves, LatticeMoves)
