"""A theta that is refused on the way: that a table was published tells that no step was, and audits use it."""

from __future__ import annotations

from collections import defaultdict
from math import comb

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.protect.perturbation import markov_perturbation as law

THETA = 0.7
TRUTH = np.array([[2, 1, 3], [2, 2, 2]])


def every_table() -> list[np.ndarray]:
    rows, columns = TRUTH.sum(axis=1), TRUTH.sum(axis=0)
    found = []
    for a in range(columns[0] + 1):
        for b in range(columns[1] + 1):
            c = rows[0] - a - b
            if 0 <= c <= columns[2]:
                top = np.array([a, b, c])
                found.append(np.array([top, columns - top]))
    return found


def published_from(table: np.ndarray, capped: bool) -> dict[tuple[int, ...], float]:
    """How probable each published table is, one square after the other; refused ones have none."""
    now = {tuple(table.ravel().tolist()): 1.0}
    for left in (0, 1):
        after: dict[tuple[int, ...], float] = defaultdict(float)
        for content, p in now.items():
            here = np.array(content).reshape(2, 3)
            square = here[:, left : left + 2].ravel()
            row, column, total = int(square[:2].sum()), int(square[[0, 2]].sum()), int(square.sum())
            if not capped and law.largest_theta(row, column, total) < THETA:
                continue
            row, column = law.oriented(row, column)
            low, high = law.corner_range(row, column, total)
            w = int(square[0])
            f = law.coming_in(w, high, column, THETA)
            for stay in range(w - low + 1):
                for come in range(high - w + 1):
                    odds = comb(w - low, stay) * (1 - THETA) ** stay * THETA ** (w - low - stay)
                    odds *= comb(high - w, come) * f**come * (1 - f) ** (high - w - come)
                    moved = here.copy()
                    moved[:, left : left + 2] += (low + stay + come - w) * np.array([[1, -1], [-1, 1]])
                    after[tuple(moved.ravel().tolist())] += p * odds
        now = after
    return {key: p for key, p in now.items() if p > 0}


def told(published: tuple[int, ...], method: str, capped: bool) -> dict[int, float]:
    release = fw.protect.as_protected(
        np.array(published).reshape(2, 3), "markov_perturb", theta=THETA, order="given", capped=capped
    )
    return fw.audit(release, method=method).pmf(A="1", B="1").to_dict()


@pytest.mark.parametrize("capped", [False, True])
def test_every_publication_tells_what_it_should(capped: bool) -> None:
    tables = every_table()
    odds = [published_from(one, capped) for one in tables]
    differ = 0
    for published in sorted({key for one in odds for key in one}):
        p = np.array([one.get(published, 0.0) for one in odds])
        wanted: dict[int, float] = defaultdict(float)
        for table, share in zip(tables, p / p.sum(), strict=True):
            wanted[int(table[0, 0])] += share
        found = told(published, "exact", capped)
        assert found == pytest.approx({key: wanted[key] for key in found}, abs=1e-9)
        if not capped:
            other = told(published, "exact", True)
            differ += max(abs(other.get(key, 0.0) - found.get(key, 0.0)) for key in {*found, *other}) > 0.01
    if not capped:
        assert differ  # the negative control: what was said before


def test_chains_follow_it() -> None:
    (published, *_) = sorted(published_from(TRUTH, False))
    exact, sampled = told(published, "exact", False), told(published, "chains", False)
    assert sampled == pytest.approx({key: exact.get(key, 0.0) for key in sampled}, abs=0.02)


def test_a_release_remembers_it() -> None:
    for seed in range(40):
        try:
            release = fw.protect.markov_perturb(TRUTH, THETA, order="given", capped=False, seed=seed)
        except fw.InputError:
            continue
        break
    assert "on which theta is too large" in release.applied[0].words
    assert release.applied[0].mechanism.capped is False
