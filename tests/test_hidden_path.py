"""A Markov-perturbed table whose squares share cells: what its hidden paths tell, against every path one by one."""

from __future__ import annotations

from math import factorial, prod

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from plain_paths import law_of, posterior

import fiberwalk as fw

THREE = [[1, 2, 0], [2, 1, 1], [0, 1, 3]]


def cells_of(table):
    """The keys of a table's cells, as `Audit.pmf` takes them."""
    shape = np.shape(table)
    return [dict(zip("ABC", (str(k + 1) for k in where), strict=False)) for where in np.ndindex(shape)]


def public(release):
    """The published table and the squares of a release, in the order of the steps where it is known."""
    mechanism = release.applied[-1].mechanism
    return tuple(release.figures.tolist()), [tuple(one) for one in mechanism.squares.cells.tolist()], mechanism


def twin(release, law, thetas=None):
    """Every path to the published table of a release."""
    end, squares, mechanism = public(release)
    return posterior(end, squares, thetas or {mechanism.theta: 1.0}, mechanism.order_known, law)


def agrees(pmf, wanted, within=1e-9):
    """Does a law have the probabilities of a dictionary?"""
    found = {int(value): p for value, p in pmf.items() if p > 0}
    return found.keys() == wanted.keys() and all(abs(found[v] - p) < within for v, p in wanted.items())


def compare(audit, states, table):
    """All that an exact audit says of cells, steps and theta, against all paths."""
    assert audit.method == "exact"
    moved = set(audit.release.hidden.tolist())
    for number, cell in enumerate(cells_of(table)):
        if number not in moved:
            continue  # no square has it: it is published as it was
        wanted = law_of(states, lambda state, j=number: state[0][j])
        assert agrees(audit.pmf(**cell), wanted), (cell, audit.pmf(**cell), wanted)
    path = audit.belief.path
    if path is None:
        return  # squares apart and a theta that is known: evidence says it all
    thetas = law_of(states, lambda state: state[3])
    assert path.theta == pytest.approx([thetas.get(theta, 0.0) for theta in path.thetas], abs=1e-9)
    for number, law in enumerate(path.steps):
        if law is not None:
            wanted = law_of(states, lambda state, k=number: state[1][k])
            assert agrees(dict(zip(law.values.tolist(), law.probabilities.tolist(), strict=True)), wanted)


# --- exact sums -----------------------------------------------------------------------------------------------------

ADJACENT = [
    ({"A": "1", "B": "1"}, {"A": "2", "B": "2"}),
    ({"A": "1", "B": "2"}, {"A": "2", "B": "3"}),
]
SQUARES = {
    "adjacent": ((2, 3), "adjacent"),
    "three rows": ((3, 2), "adjacent"),
    "all": ((2, 3), "all"),
    "repeated": ((2, 3), [ADJACENT[0], ADJACENT[1], ADJACENT[0]]),
    "the same twice": ((2, 2), [ADJACENT[0], ADJACENT[0]]),
    "corner to the right": ((2, 3), [({"A": "1", "B": "2"}, {"A": "2", "B": "1"}), ADJACENT[1]]),
    "apart": ((2, 4), [ADJACENT[0], ({"A": "1", "B": "3"}, {"A": "2", "B": "4"})]),
    "three-way": ((2, 2, 2), [
        ({"A": "1", "B": "1", "C": "1"}, {"A": "2", "B": "2", "C": "1"}),
        ({"A": "1", "B": "1", "C": "1"}, {"A": "1", "B": "2", "C": "2"}),
        ({"A": "1", "B": "2", "C": "1"}, {"A": "2", "B": "2", "C": "2"}),
    ]),
}  # fmt: skip
GAPS = {0: 1.0, 1: 0.0, 2: 0.5, 3: 2.0, 5: 1.0, 6: 0.1}


def law_cases(shape, rng):
    """Every kind of law, with its weight of a whole table."""
    means = rng.uniform(0.2, 4.0, shape)
    corner = dict.fromkeys("ABC"[: len(shape)], "1")
    return {
        "uniform": ("uniform", lambda table: 1.0),
        "hypergeometric": ("hypergeometric", lambda table: 1 / prod(map(factorial, table))),
        "expected": (
            fw.expected(means),
            lambda table: prod(m**x / factorial(x) for m, x in zip(means.ravel(), table, strict=True)),
        ),
        "with gaps": (fw.prior([(corner, GAPS)], otherwise="uniform"), lambda table: GAPS.get(table[0], 0.0)),
    }


@examples(25)
@given(
    st.sampled_from(list(SQUARES)),
    st.sampled_from(["uniform", "hypergeometric", "expected", "with gaps"]),
    st.sampled_from([0.0, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-9, 1.0, (0.1, 0.4), (0.0, 0.3, 1.0)]),
    st.sampled_from(["given", "secret"]),
    st.integers(0, 2**32 - 1),
)
def test_exact_sums_are_those_over_every_path(squares, law, theta, order, seed):
    rng = np.random.default_rng(seed)
    shape, listed = SQUARES[squares]
    table = rng.multinomial(rng.integers(3, 9), rng.dirichlet(np.ones(int(np.prod(shape))))).reshape(shape)
    chosen, weight = law_cases(shape, rng)[law]
    if isinstance(theta, tuple):
        prior = rng.dirichlet(np.ones(len(theta)))
        thetas = dict(zip(theta, prior, strict=True))
        made = fw.markov_perturb(table, theta[rng.choice(len(theta), p=prior)], squares=listed, order=order, seed=seed)
        theta = thetas
        order = "given" if made.applied[-1].mechanism.order_known else "secret"
    else:
        made = fw.markov_perturb(table, theta, squares=listed, order=order, seed=seed)
    release = fw.as_protected(made.published, "markov_perturb", theta=theta, squares=listed, order=order)
    states = twin(release, weight, theta if isinstance(theta, dict) else None)
    if not states:
        with pytest.raises(fw.InputError):
            fw.audit(release, chosen, "exact")
        return
    compare(fw.audit(release, chosen, "exact"), states, table)
