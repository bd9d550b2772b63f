"""A Markov-perturbed table whose squares share cells: what its hidden paths tell, against every path one by one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import factorial, prod

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.effort import examples
from support.kernels import Reached, Target
from support.naive.paths import law_of, posterior
from support.protocol import LEAST_P, chi_square, p_value

import fiberwalk as fw
from fiberwalk.base.random_streams import below, streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.posterior.paths import hidden_path, path_changes, path_kernel, path_redraws, path_state
from fiberwalk.posterior.paths.path_groups import path_groups
from fiberwalk.posterior.paths.path_unit import is_path, path_unit
from fiberwalk.posterior.paths.paths import hidden_paths
from fiberwalk.protect.perturbation.markov_perturbation import as_believed, step
from fiberwalk.sampler.chains.run import Run


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
            fw.laws.expected(means),
            lambda table: prod(m**x / factorial(x) for m, x in zip(means.ravel(), table, strict=True)),
        ),
        "with gaps": (fw.laws.prior([(corner, GAPS)], otherwise="uniform"), lambda table: GAPS.get(table[0], 0.0)),
    }


@examples(16)
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
        made = fw.protect.markov_perturb(
            table, theta[rng.choice(len(theta), p=prior)], squares=listed, order=order, seed=seed
        )
        theta = thetas
        order = "given" if made.applied[-1].mechanism.order_known else "secret"
    else:
        made = fw.protect.markov_perturb(table, theta, squares=listed, order=order, seed=seed)
    release = fw.protect.as_protected(made.published, "markov_perturb", theta=theta, squares=listed, order=order)
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
    assert 20 < len(listed) == len(states) < 5000, len(listed)
    return Target("hidden paths", unit, Reached(lambda: (tables, np.array(list(listed.values())))))


SMALL, THREE_ROWS = [[4, 3, 5], [3, 6, 4]], [[3, 1, 2], [0, 3, 2], [2, 1, 3]]
MEANS = np.array([[0.5, 2.0, 0.0], [3.0, 1.0, 1.5]])
UNIFORM = ("uniform", lambda table: 1.0)
FACTORIAL = ("hypergeometric", lambda table: 1 / prod(map(factorial, table)))
EXPECTED = (
    fw.laws.expected(MEANS),
    lambda table: prod(m**x / factorial(x) for m, x in zip(MEANS.ravel(), table, strict=True)),
)
LISTED = {0: 1.0, 1: 0.2, 3: 2.0, 4: 1.0, 6: 1.0}
WITH_GAPS = (
    fw.laws.prior([({"A": "1", "B": "1"}, LISTED)], otherwise="uniform"),
    lambda table: LISTED.get(table[0], 0.0),
)


def chain_cases():
    """Laws, orders, thetas and facts: a release, its law, the weight of a table, and the prior of theta."""

    def read(table, theta, order="given", squares="adjacent"):
        return fw.protect.as_protected(table, "markov_perturb", theta=theta, order=order, squares=squares)

    corner = {"A": "1", "B": "1"}
    yield "uniform", read(THREE_ROWS, 0.3), *UNIFORM, None
    yield "hypergeometric", read(THREE_ROWS, 0.4), *FACTORIAL, None
    yield "an expected count of 0", read([[4, 3, 0], [3, 6, 4]], 0.3, squares=[ADJACENT[0], *ADJACENT]), *EXPECTED, None
    yield "a law with gaps", read(SMALL, 0.4), *WITH_GAPS, None
    yield "a secret order", read(SMALL, 0.6, "secret"), *UNIFORM, None
    prior = {0.0: 0.2, 0.2: 0.5, 0.6: 0.2, 1.0: 0.1}
    yield "a secret order of four", read([[2, 1, 1], [0, 2, 1], [1, 1, 2]], 0.6, "secret"), *FACTORIAL, None
    yield "an unknown theta", read(SMALL, prior), *UNIFORM, prior
    yield "all of it", read(SMALL, prior, "secret"), *FACTORIAL, prior
    yield "steps that depend on each other", read([[2, 3, 1], [3, 1, 2]], 0.4, squares="all"), *UNIFORM, None
    yield "at least", read(SMALL, 0.4).knows(corner, at_least=2), "uniform", lambda table: float(table[0] >= 2), None
    known = read(SMALL, 0.4, squares=[*ADJACENT, ADJACENT[0]]).knows(corner, exactly=1)
    yield "exactly", known, "uniform", lambda table: float(table[0] == 1), None
    three = read([[[3, 1], [2, 2]], [[1, 3], [2, 3]]], 0.4, squares=SQUARES["three-way"][1])
    known = three.knows({"A": "1", "C": "1"}, at_least=4, at_most=5)
    yield "a sum that steps change", known, "uniform", lambda table: float(4 <= table[0] + table[2] <= 5), None
    yield "cut off at 1", read([[5, 2, 6], [3, 5, 4]], 0.7), *UNIFORM, None


CHAIN_CASES = {name: case for name, *case in chain_cases()}
QUICK = {"uniform", "an expected count of 0", "all of it", "exactly"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in CHAIN_CASES]
)
def test_chains_draw_whole_paths_by_their_law(name):
    p = p_value(unit_target(*CHAIN_CASES[name]), 7, 4000)
    assert p > LEAST_P, p


# --- each kind of change by itself ----------------------------------------------------------------------------------


def nudge(plan, weights, room, random):
    path_changes.nudge(plan, weights, room, below(random, len(plan.cells)), random)


def redraw(plan, weights, room, random):
    path_redraws.redraw(plan, weights, room, path_redraws.how_many(len(plan.cells), random), random)


def move(plan, weights, room, random):
    path_changes.move(plan, room, random)


def p_after(target, change, plan=None, times=6, number=2500):
    """States drawn from the exact law, and changed some times: how probable it is that they still follow it."""
    kernel = target.unit.kernels[0]
    plan, room, random = plan or kernel.plan, kernel.room(), streams(3, 1)[0]
    rows = np.random.default_rng(4).choice(len(target.p), number, p=target.p)
    states = target.tables[rows].copy()
    for state in states:
        path_kernel.read_state(kernel.plan, state, room.now)
        for _ in range(times):
            change(plan, kernel.weights, room, random)
        path_kernel.write_state(kernel.plan, room.now, state)
    after = target.places(states)
    assert (after != rows).mean() > 0.02, "nothing changed"
    if (after < 0).any():
        return 0.0  # a path that is impossible
    return chi_square(np.bincount(after, minlength=len(target.p)), target.p)


CHANGES = {
    "nudge": (nudge, ["uniform", "hypergeometric", "cut off at 1", "a sum that steps change"]),
    "redraw": (redraw, ["all of it", "hypergeometric", "a law with gaps", "at least", "an unknown theta", "cut off at 1"]),
    "pair": (path_changes.pair, ["steps that depend on each other", "exactly", "a sum that steps change"]),
    "move": (move, ["a secret order of four", "all of it"]),
    "turn": (path_changes.turn, ["an unknown theta", "all of it"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=[] if k == 0 else pytest.mark.slow)
        for kind, (_, names) in CHANGES.items()
        for k, name in enumerate(names)
    ],
)
def test_every_change_leaves_the_law_of_paths_as_it_is(kind, name):
    assert p_after(unit_target(*CHAIN_CASES[name]), CHANGES[kind][0]) > LEAST_P


def redraw_without_sums(plan, weights, room, random):
    """A redraw that takes its odds for the law of what came before: the sums Z are left out."""
    now, other, squares = room.now, room.other, len(plan.cells)
    path_state.copy_path(now, other)
    path_redraws.log_sums(plan, weights, now, other.first, room.odds, squares, True)
    path_redraws.draw_back(plan, weights, other, room.odds, squares, True, 1.0, random)
    path_state.copy_path(other, now)


def move_always(plan, weights, room, random):
    """A square that has its turn at another time whenever that is possible."""
    now, other = room.now, room.other
    path_state.copy_path(now, other)
    one, two = below(random, len(plan.cells)), below(random, len(plan.cells))
    other.order[one], other.order[two] = other.order[two], other.order[one]
    if path_state.trace(plan, other) > -np.inf:
        path_state.copy_path(other, now)


def without_neighbours(plan):
    """A nudge that forgets the earlier steps which share cells."""
    return plan._replace(near_start=np.zeros_like(plan.near_start))


def without_prior(plan):
    """A turn that forgets how probable the thetas are beforehand."""
    return plan._replace(log_prior=np.zeros_like(plan.log_prior))


@pytest.mark.parametrize(
    ("name", "change", "wrong"),
    [
        ("cut off at 1", redraw_without_sums, None),
        ("a secret order", move_always, None),
        ("uniform", nudge, without_neighbours),
        ("an unknown theta", path_changes.turn, without_prior),
    ],
)
def test_a_wrong_change_is_noticed(name, change, wrong):
    target = unit_target(*CHAIN_CASES[name])
    plan = None if wrong is None else wrong(target.unit.kernels[0].plan)
    assert p_after(target, change, plan, times=20) < LEAST_P


# --- simulation-based calibration -----------------------------------------------------------------------------------

MARGINS = [[5, 3], [2, 3, 3]]
PUBLICATIONS = 2000


def published_tables(rng, thetas, order):
    """Tables drawn from a fiber, all alike, each with a theta and what is published of it."""
    fiber = [
        np.array([[a, b, MARGINS[0][0] - a - b], [2 - a, 3 - b, 3 - (MARGINS[0][0] - a - b)]])
        for a in range(3)
        for b in range(4)
        if 0 <= MARGINS[0][0] - a - b <= 3
    ]
    squares = np.array([[0, 1, 3, 4], [1, 2, 4, 5]])
    for truth in rng.choice(len(fiber), PUBLICATIONS):
        theta = rng.choice(list(thetas), p=list(thetas.values()))
        values = fiber[truth].ravel().copy()
        for square in squares if order == "given" else rng.permutation(squares):
            values[square] += step(values[square], theta, rng) * np.array([1, -1, -1, 1])
        yield fiber[truth], theta, values.reshape(2, 3)


def ranks(thetas, order, believed=None, method="exact"):
    """How often the true corner, and the true theta, had each tenth of the posterior below it; ties at random."""
    rng, known, corners, ranks_of_theta = np.random.default_rng(5), {}, [], []
    for truth, theta, published in published_tables(rng, thetas, order):
        if published.tobytes() not in known:
            release = fw.protect.as_protected(published, "markov_perturb", theta=believed or thetas, order=order)
            audit = fw.audit(release, method=method, progress=False)
            path = audit.belief.path
            of_theta = dict(zip(path.thetas.tolist(), path.theta.tolist(), strict=True))
            known[published.tobytes()] = audit.pmf(A="1", B="2"), of_theta
        pmf, of_theta = known[published.tobytes()]
        corners.append(pmf[pmf.index < truth[0, 1]].sum() + rng.random() * pmf.get(truth[0, 1], 0.0))
        below_it = sum(p for one, p in of_theta.items() if one < theta)
        ranks_of_theta.append(below_it + rng.random() * of_theta.get(theta, 0.0))
    return [np.histogram(found, bins=10, range=(0, 1))[0] for found in (corners, ranks_of_theta)]


@pytest.mark.parametrize("method", ["exact", pytest.param("chains", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("thetas", "order"), [({0.3: 1.0}, "given"), ({0.3: 1.0}, "secret"), ({0.1: 0.3, 0.4: 0.5, 0.9: 0.2}, "secret")]
)
def test_the_truth_ranks_evenly_in_the_posterior(thetas, order, method):
    for counts in ranks(thetas, order, method=method):
        assert stats.chisquare(counts).pvalue > LEAST_P


def test_the_ranks_betray_a_theta_that_is_wrong():
    assert stats.chisquare(ranks({0.5: 1.0}, "given", believed=0.1)[0]).pvalue < LEAST_P


# --- one square, errors, files, threads -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "chains"])
def test_one_square_is_the_square(method):
    """A theta that is believed to be one of a single value sends a square through paths."""
    published = np.array([[3, 5], [4, 2]])
    wanted = fw.snooper.square(published, 0.25)["posterior"]
    release = fw.protect.as_protected(
        published, "markov_perturb", theta=0.25, squares=[ADJACENT[0], ADJACENT[0]], order="given"
    )
    assert not agrees(fw.audit(release, method="exact").pmf(A="1", B="1"), wanted.to_dict())
    alone = as_believed(fw.protect.as_protected(published, "markov_perturb", theta=0.25), theta=[0.25])
    audit = fw.audit(alone, method=method)
    assert audit.belief.path is not None
    found = audit.pmf(A="1", B="1").reindex(wanted.index, fill_value=0.0)
    assert abs(found - wanted).max() < (1e-9 if method == "exact" else 0.01)


def published(theta=0.3, order="given", table=SMALL):
    return fw.protect.as_protected(table, "markov_perturb", theta=theta, order=order)


@pytest.mark.parametrize("method", ["exact", "chains"])
@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda method: fw.audit(published(1.0, table=[[4, 5, 0], [3, 3, 5]]), method=method),
            "no path leads to the published table: with theta = 1 no step within the square from A=1, B=2 to A=2, B=3",
        ),
        (
            lambda method: fw.audit(
                published(0.0), fw.laws.prior([({"A": "1", "B": "1"}, {3: 1, 5: 1})]), method=method
            ),
            "A=1, B=1",
        ),
        (
            lambda method: fw.audit(published(0.0).knows({"A": "1", "B": "1"}, at_least=5), method=method),
            "A=1, B=1",
        ),
    ],
)
def test_what_no_path_can_do_is_refused_in_words(method, ask, words):
    with pytest.raises(fw.InputError) as refused:
        ask(method)
    assert words in str(refused.value)


@pytest.mark.parametrize("method", ["exact", "chains"])
def test_a_saved_audit_has_its_paths(method, tmp_path):
    audit = fw.audit(published({0.1: 0.5, 0.4: 0.5}, "secret"), method=method, max_draws=2048, progress=False)
    audit.save(tmp_path / "audit.fw")
    again = fw.load(tmp_path / "audit.fw")
    assert again.cells.equals(audit.cells)
    one, other = audit.belief.path, again.belief.path
    for name in ("corners", "thetas", "theta_prior", "theta", "theta_error"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.order_known == other.order_known
    assert [law.p.tolist() for law in one.steps if law] == [law.p.tolist() for law in other.steps if law]


def by_chains(**how):
    release = published({0.1: 0.5, 0.4: 0.5}, "secret")
    return fw.audit(release, method="chains", seed=5, **{"progress": False, "max_draws": 4096, **how})


def test_the_same_bits_on_any_threads_stopped_or_not(tmp_path):
    whole = by_chains().cells
    for threads in (1, 2):
        with ThreadPoolExecutor(threads) as executor:
            assert by_chains(executor=executor).cells.equals(whole)
    stopped = by_chains(checkpoint=tmp_path / "run", max_seconds=1e-9)
    assert stopped.stopped == "its time was up"
    assert not stopped.converged
    assert by_chains(checkpoint=tmp_path / "run").cells.equals(whole)


def test_paths_are_taken_up_where_they_were_and_only_such_as_lead_to_the_published_table(tmp_path, monkeypatch):
    path, asked, whole = tmp_path / "run", [], by_chains().cells

    def possible(unit, state):
        asked.append((unit, state.copy()))
        return is_path(unit, state)

    monkeypatch.setattr(hidden_path, "is_path", possible)

    def stop(_):
        if path.exists():
            raise RuntimeError

    with pytest.raises(RuntimeError):
        by_chains(checkpoint=path, progress=stop)
    assert by_chains(checkpoint=path).cells.equals(whole)
    assert asked
    for unit, state in asked:
        plan = unit.kernels[0].plan
        cells, squares = len(plan.end), len(plan.cells)
        assert is_path(unit, state)
        for place in (0, cells):  # a cell of the first table; a step
            other = state.copy()
            other[place] += 1
            assert not is_path(unit, other)
        turns = state.copy()
        turns[cells + squares : cells + 2 * squares] = 0
        assert not is_path(unit, turns)


def test_ctrl_c_gives_what_there_is(monkeypatch):
    further = Run._to_next_look

    def once(run, *how):
        if run.looks:
            raise KeyboardInterrupt
        further(run, *how)

    monkeypatch.setattr(Run, "_to_next_look", once)
    audit = by_chains(tolerance=1e-9)
    assert audit.stopped == "it was interrupted"
    assert np.isfinite(audit.cells["entropy"]).all()


def test_a_batch_of_many_squares_is_known_to_take_long():
    """Chains can be stopped between batches: those of paths must not pass for quick ones."""
    table = np.random.default_rng(1).poisson(3, (20, 20))
    release = fw.protect.markov_perturb(table, 0.1, seed=1)
    paths, inside = hidden_paths(release), support(release, "uniform")
    (group,) = path_groups(paths, inside)
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    unit = path_unit(paths, group, inside, nothing)
    assert unit.kernels[0].work(len(unit.columns)) > 4e5


@pytest.mark.parametrize("name", ["a secret order of four", "all of it", "a sum that steps change"])
def test_what_is_noted_of_a_path_follows_from_its_steps(name):
    """Changes keep up what they know of a path: after many of them it is what going back from the end tells."""
    target = unit_target(*CHAIN_CASES[name])
    kernel = target.unit.kernels[0]
    room, again, random = kernel.room(), kernel.room().now, streams(6, 1)[0]
    path_kernel.read_state(kernel.plan, target.tables[0], room.now)
    for _ in range(200):
        path_kernel.change(kernel.plan, kernel.weights, room, random)
    path_state.copy_path(room.now, again)
    path_state.trace(kernel.plan, again)
    for one, other in zip(room.now, again, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
