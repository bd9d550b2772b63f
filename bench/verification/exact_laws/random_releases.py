"""Random small releases of every kind, and random laws on them: few enough tables that all of them can be listed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import xarray as xr

import fiberwalk as fw
from fiberwalk.fiber.laws.hypergeometric import Hypergeometric
from verification.exact_laws.exact_law import Believed

Random = np.random.Generator
DIMS = "ABCDE"
PERTURBATION = [[0.7, 0.3, 0, 0], [0.2, 0.5, 0.2, 0.1], [0.1, 0.2, 0.4, 0.3], [0, 0.1, 0.3, 0.6]]


def _counts(rng: Random, shape: tuple[int, ...], means: tuple[float, ...] = (0.5, 1.0, 2.0)) -> np.ndarray:
    return rng.poisson(rng.choice(means), shape)


def _margins(dims: int, size: int) -> list[str]:
    return [",".join(one) for one in combinations(DIMS[:dims], size)]


def _named(place: np.ndarray) -> dict[str, str]:
    return {DIMS[axis]: str(i + 1) for axis, i in enumerate(place)}


def _some_hidden(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    hidden = rng.random(shape) < rng.choice([0.5, 0.7, 0.9])
    hidden.flat[rng.integers(hidden.size)] = True
    return hidden


def two_way(rng: Random) -> fw.Release:
    """Row and column totals."""
    return fw.publish(_counts(rng, tuple(rng.integers(2, 4, 2))), ["A", "B"])


def hidden_cells(rng: Random) -> fw.Release:
    """A two-way table, some of its cells hidden."""
    shape = tuple(rng.integers(3, 6, 2))
    return fw.suppress(_counts(rng, shape), where=_some_hidden(rng, shape))


def three_way(rng: Random) -> fw.Release:
    """All two-way margins of three dims, or with some cells published besides."""
    shape = tuple(rng.permutation([2, 3, 3 if rng.random() < 0.7 else 4]))
    if rng.random() < 0.5:
        return fw.publish(_counts(rng, shape), _margins(3, 2))
    return fw.suppress(_counts(rng, (3, 3, 3)), where=_some_hidden(rng, (3, 3, 3)), margins=_margins(3, 2))


def binary(rng: Random) -> fw.Release:
    """2 x 2 x 2 x 2, or one dim more, given margins of two or three dims."""
    dims = 5 if rng.random() < 0.1 else 4  # five are slow: tables are reached in principle only
    return fw.publish(_counts(rng, (2,) * dims, (0.3, 0.6, 1.0)), _margins(dims, int(rng.integers(2, 4))))


def other_margins(rng: Random) -> fw.Release:
    """Decomposable margins, or a few of them only."""
    some = [["A,B", "B,C"], ["A", "B,C"], ["A", "B", "C"], ["A"], ["A,B", "C"]]
    return fw.publish(_counts(rng, tuple(rng.integers(2, 4, 3)), (0.3, 0.6)), some[rng.integers(len(some))])


def rounded(rng: Random) -> fw.Release:
    """Every figure rounded to a base."""
    table = _counts(rng, tuple(rng.integers(2, 4, 2)), (2.0, 5.0))
    rule = str(rng.choice(["nearest", "within"]))
    return fw.round_to(table, base=int(rng.choice([2, 3])), rounding=rule, margins=["A", "B"])


def linked(rng: Random) -> fw.Release:
    """Two tables that share a dim, and must agree on it; half of the time as margins of the one crossed table."""
    sizes = dict(zip("ABC", rng.integers(2, 4, 3).tolist(), strict=True))
    whole = _counts(rng, tuple(sizes.values()), (0.3, 0.6))
    labels = {dim: [str(i + 1) for i in range(n)] for dim, n in sizes.items()}
    whole_table = xr.DataArray(whole, dims=list("ABC"), coords=labels)
    first, second = whole_table.sum("C"), whole_table.sum("A")
    return fw.linked([fw.publish(first, ["A", "B"]), fw.publish(second, ["B", "C"])], full=bool(rng.random() < 0.5))


def hierarchical(rng: Random) -> fw.Release:
    """Labels in groups, whose totals are published too; some cells hidden, or only margins known."""
    shape = (int(rng.integers(3, 6)), int(rng.integers(2, 4)))
    cut = int(rng.integers(1, shape[0]))
    groups = {"low": [str(i + 1) for i in range(cut)], "high": [str(i + 1) for i in range(cut, shape[0])]}
    table = _counts(rng, shape, (0.5, 1.0))
    margins = ["A", "A:1", "B", "A:1,B"] if rng.random() < 0.5 else ["A", "A:1", "B"]
    if rng.random() < 0.5:
        return fw.publish(fw.table(table, hierarchies={"A": groups}), margins)
    return fw.suppress(fw.table(table, hierarchies={"A": groups}), where=_some_hidden(rng, shape), margins=margins)


def outside_knowledge(rng: Random) -> fw.Release:
    """Bounds of some cells and of a sum, known from elsewhere."""
    shape = tuple(rng.integers(2, 5, 2))
    table = _counts(rng, shape)
    release = fw.publish(table, ["A", "B"])
    for place in rng.permutation(np.argwhere(table >= 0))[: rng.integers(1, 4)]:
        value = int(table[tuple(place)])
        if rng.random() < 0.5:
            release = release.knows(_named(place), at_most=value + int(rng.integers(0, 3)))
        else:
            release = release.knows(_named(place), at_least=max(0, value - int(rng.integers(0, 2))))
    return release


def insider(rng: Random) -> fw.Release:
    """One who knows her own part of a hidden cell."""
    shape = tuple(rng.integers(3, 5, 2))
    table, hidden = _counts(rng, shape), _some_hidden(rng, shape)
    release = fw.suppress(table, where=hidden)
    place = rng.permutation(np.argwhere(hidden))[0]
    return release.knows(_named(place), own=int(rng.integers(0, table[tuple(place)] + 1)))


def rule_known(rng: Random) -> fw.Release:
    """Small counts and a few others hidden, and the reader knows the rule; perhaps also which cells it hid."""
    table = _counts(rng, tuple(rng.integers(3, 5, 2)), (2.0, 3.0))
    others, zeros, flags = rng.random(table.shape) < 0.3, bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    hidden = others & ((table > 0) | zeros)
    return fw.suppress(table, hidden, rule="< 3", rule_known=True, flags=flags, zeros_hidden=zeros)


def magnitudes(rng: Random) -> fw.Release:
    """Turnover with a decimal, some cells of a square or a ring of cells hidden."""
    n = int(rng.integers(2, 4))
    table = np.round(rng.lognormal(1.5 if n == 3 else 2.5, 1.0, (4, 4)), 1)
    hidden = np.zeros((4, 4), dtype=bool)
    for i in range(n):
        hidden[i, i] = hidden[i, (i + 1) % n] = True
    return fw.suppress(fw.table(table, decimals=1), where=hidden)


def protected(rng: Random) -> fw.Release:
    """Published by a random method whose likelihood is exact, beside exact totals."""
    table = _counts(rng, tuple(rng.integers(2, 4, 2)), (1.0, 2.0, 3.0))
    seed, exact = int(rng.integers(2**31)), ["A", "B"]
    method = rng.choice(["random rounding", "perturbation", "noise", "sample"])
    if method == "random rounding":
        return fw.protect.random_round(table, base=3, exact=exact, seed=seed)
    if method == "perturbation":
        return fw.protect.perturb(table, PERTURBATION, exact=exact, seed=seed)
    if method == "noise":
        return fw.protect.add_noise(table, {-1: 0.3, 0: 0.4, 1: 0.2, 2: 0.1}, exact=exact, seed=seed)
    return fw.protect.draw_sample(table, size=max(1, int(table.sum()) // 3), exact=exact, seed=seed)


KINDS: dict[str, Callable[[Random], fw.Release]] = {
    "row and column totals": two_way,
    "hidden cells": hidden_cells,
    "three-way": three_way,
    "two labels in every dim": binary,
    "decomposable margins": other_margins,
    "rounded": rounded,
    "linked tables": linked,
    "hierarchies": hierarchical,
    "bounds known from elsewhere": outside_knowledge,
    "insiders": insider,
    "the rule is known": rule_known,
    "magnitudes": magnitudes,
    "protected at random": protected,
}


def random_believed(rng: Random, release: fw.Release) -> tuple[fw.Release, Believed]:
    """One of the laws, and the release (with further evidence where linked tables or magnitudes can have no prior)."""
    bare = len(release.grids) > 1 or release.decimals > 0
    kind = str(
        rng.choice(["uniform", "listed weights"] if bare else ["uniform", "hypergeometric", "expected", "prior"])
    )
    if kind == "listed weights":
        return _with_listed_weights(rng, release), Believed(kind, "uniform")
    if kind == "uniform":
        return release, Believed(kind, "uniform")
    if kind == "hypergeometric":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of means that no figure settles
            return release, Believed(kind, "hypergeometric", Hypergeometric().on(release).means)
    cells = release.grids[0].cells
    if kind == "expected":
        means, flat = rng.lognormal(0.0, 1.0, cells.shape), np.empty(release.n_cells)
        flat[cells.ravel()] = means.ravel()
        return release, Believed("expected counts", fw.laws.expected(means), flat)
    own, given = {}, []
    for place in rng.permutation(np.argwhere(cells >= 0))[: rng.integers(1, 4)]:
        weights = rng.dirichlet(np.ones(60)) + 1e-3
        prior = {value: float(one) for value, one in enumerate(weights / weights.sum())}
        own[int(cells[tuple(place)])] = prior
        given.append((_named(place), prior))
    return release, Believed("priors on cells", fw.laws.prior(given, otherwise="uniform"), None, own)


def _with_listed_weights(rng: Random, release: fw.Release) -> fw.Release:
    """Evidence on some hidden cells: a weight for every value."""
    top = int(release.sums.upper.max())
    some = rng.permutation(release.hidden)[:3]
    items = tuple(fw.protect.Evidence(np.array([cell]), np.array([1]), 0, rng.normal(0, 0.7, top + 1)) for cell in some)
    return replace(release, evidence=release.evidence + items)
