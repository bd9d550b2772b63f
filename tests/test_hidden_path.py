"""A Markov-perturbed table whose squares share cells: what its hidden paths tell, against every path one by one."""

from __future__ import annotations

from math import factorial, prod

import numpy as np
import pytest
import scipy.sparse as sp
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from kernels import Target
from plain_paths import law_of, posterior
from protocol import LEAST_P, p_value

import fiberwalk as fw
from fiberwalk.fiber.support import support
from fiberwalk.posterior.path_groups import path_groups
from fiberwalk.posterior.path_unit import path_unit
from fiberwalk.posterior.paths import hidden_paths

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


# --- chains ---------------------------------------------------------------------------------------------------------


def unit_target(release, law, weight, thetas=None):
    """The one unit of a release's chains, and the law of its whole states: x_0, the steps, the order and theta."""
    paths, inside = hidden_paths(release), support(release, law)
    (group,) = path_groups(paths, inside)
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    unit = path_unit(paths, group, inside, nothing)
    states = twin(release, weight, thetas)
    plan = unit.kernels[0].plan
    listed = {}
    for (first, steps, place, theta), p in states.items():
        row = [*(first[cell] for cell in group.cells), *(steps[square] for square in group.squares)]
        row += [place[square] for square in group.squares] if plan.secret_order else []
        row += [plan.thetas.tolist().index(theta)] if len(plan.thetas) > 1 else []
        listed[tuple(row)] = p
    tables = np.array(list(listed))
    assert len(states) == len(listed) <= 12_000
    return Target("hidden paths", unit, tables, np.array(list(listed.values())))


FIVE = [[1, 0, 1], [1, 2, 0]]
MEANS = np.array([[0.5, 2.0, 1.0], [3.0, 1.0, 0.0]])
UNIFORM = ("uniform", lambda table: 1.0)
EXPECTED = (
    fw.expected(MEANS),
    lambda table: prod(m**x / factorial(x) for m, x in zip(MEANS.ravel(), table, strict=True)),
)


def chain_cases():
    """Laws, orders, thetas and facts: a release, its law, the weight of a table, and the prior of theta."""

    def read(table, theta, order="given", squares="adjacent"):
        return fw.as_protected(table, "markov_perturb", theta=theta, order=order, squares=squares)

    corner = {"A": "1", "B": "1"}
    yield "uniform", read(FIVE, 0.3), *UNIFORM, None
    yield (
        "hypergeometric",
        read(FIVE, 0.3),
        "hypergeometric",
        law_cases((2, 3), np.random.default_rng(1))["hypergeometric"][1],
        None,
    )
    yield "an expected count of 0", read([[1, 0, 1], [2, 2, 0]], 0.3), *EXPECTED, None
    yield "a law with gaps", read(FIVE, 0.3), *law_cases((2, 3), np.random.default_rng(1))["with gaps"], None
    yield "a secret order", read([[1, 1, 0], [0, 1, 1]], 0.4, "secret"), *UNIFORM, None
    prior = {0.0: 0.3, 0.2: 0.3, 0.6: 0.3, 1.0: 0.1}
    yield "an unknown theta", read(FIVE, prior), *UNIFORM, prior
    yield "all of it", read([[1, 0, 1], [1, 1, 0]], prior, "secret"), *EXPECTED, prior
    yield "steps that depend on each other", read([[1, 1, 0], [1, 1, 1]], 0.4, squares="all"), *UNIFORM, None
    yield "at least", read(FIVE, 0.3).knows(corner, at_least=1), "uniform", lambda table: float(table[0] >= 1), None
    yield "exactly", read(FIVE, 0.3).knows(corner, exactly=1), "uniform", lambda table: float(table[0] == 1), None
    three = read([[[1, 0], [1, 1]], [[0, 1], [1, 1]]], 0.3, squares=SQUARES["three-way"][1])
    yield (
        "a sum that steps change",
        three.knows({"A": "1", "C": "1"}, exactly=2),
        *("uniform", lambda table: float(table[0] + table[2] == 2), None),
    )
    yield "cut off at 1", read([[3, 1, 1], [1, 0, 1]], 0.9), *UNIFORM, None


CHAIN_CASES = {name: case for name, *case in chain_cases()}
QUICK = {"uniform", "an expected count of 0", "all of it", "exactly"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in CHAIN_CASES]
)
def test_chains_draw_whole_paths_by_their_law(name):
    p = p_value(unit_target(*CHAIN_CASES[name]), 7, 4000)
    assert p > LEAST_P, p
