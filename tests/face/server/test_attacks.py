"""The server under attack: nothing is proven beyond what every distinct figure tells, seen once.

The attacks are those of bench/attacks, here on a town of ninety people and by bounds alone. Servers with a fault each
show that they would find something.
"""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import fiberwalk as fw

MODULES = (
    "contest", "leaky", "over_http", "servers", "ways.every_figure",
    *(f"knowledge.{name}" for name in ("beliefs", "bounds", "evidence", "laws", "outside", "population", "world")),
)  # fmt: skip
REQUESTS = 120
FEW_SMALL = fw.server.ServerRules(max_small_share=0.25)
ATTACKS = (
    "differencing",
    "overlapping filters",
    "averaging",
    "zero tests",
    "refusals",
    "the same request in every form",
)


@pytest.fixture(scope="module")
def suite(bench):
    """The modules of bench/attacks by their names, and a town."""
    modules = {name.rpartition(".")[2]: bench(f"attacks.{name}") for name in MODULES}
    return SimpleNamespace(**modules, town=modules["population"].town(1, people=90, regions=2, ages=4))


def proven(suite, attack, world, server, once=False):
    """The score of an attack after so many requests."""
    requests = (10**9,) if once else (REQUESTS,)
    (found,) = suite.contest.run(attack, world, server, suite.town.counts, requests, sweeps=0, once=once)
    assert found.score.wrong == 0
    return found.score


def benchmark(suite, world, server):
    return proven(suite, suite.every_figure.EveryFigure(), world, server, once=True).proven


def attack(suite, name):
    return next(made for make in suite.contest.ATTACKS if (made := make()).name == name)


def together(suite):
    return suite.contest.Together([make() for make in suite.contest.ATTACKS])


def leaky(suite, fault):
    """A server, and what attackers know of it."""
    town, servers = suite.town, suite.leaky
    law = suite.laws.noise(suite.servers.NOISE, 200, zeros_stay=fault != "empties by labels")
    world, rules = suite.world.World, fw.server.ServerRules()
    if fault == "draws anew":
        return servers.DrawsAnew(town, law, 7), world(town.frame, law, rules, 90, suite.world.OF_REQUESTS)
    if fault == "empties by labels":
        return servers.EmptiesByLabels(town, law, 7), world(town.frame, law, rules, 90, empties_redrawn=True)
    if fault == "refuses by truth":
        known = world(town.frame, law, FEW_SMALL, 90, refusals_see_truth=True)
        return servers.RefusesByTruth(town, law, 7, rules=FEW_SMALL), known
    return servers.PlainServer(town, law, 7), world(town.frame, law, rules, 90)


def test_where_there_is_no_fault_nothing_is_found(suite):
    server, world = leaky(suite, "none")
    found = proven(suite, together(suite), world, server)
    assert found.contradictions == 0
    assert found.proven <= benchmark(suite, world, server)


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        ("draws anew", ["differencing", "overlapping filters", "averaging", "the same request in every form"]),
        ("empties by labels", ["differencing", "zero tests", "the same request in every form"]),
        ("refuses by truth", ["refusals"]),
    ],
)
def test_each_attack_finds_the_fault_that_it_is_about(suite, fault, names):
    server, world = leaky(suite, fault)
    bound = benchmark(suite, world, server)
    for name in names:
        found = proven(suite, attack(suite, name), world, server)
        assert found.contradictions == 0
        assert found.proven >= bound + 5, name


def test_draws_that_the_code_does_not_make_are_noticed(suite):
    server, _ = leaky(suite, "draws anew")
    _, world = leaky(suite, "none")
    assert proven(suite, attack(suite, "averaging"), world, server).contradictions > 0


def test_every_attack_is_held_to_a_fault(suite):
    assert {make().name for make in suite.contest.ATTACKS} == set(ATTACKS)


@pytest.mark.parametrize(
    "name", ["random_round base 3", "add_noise up to 2", "perturb by a ptable", "round_lattice base 3"]
)
def test_the_server_gives_nothing_away_besides_its_figures(suite, name):
    rules = FEW_SMALL if name.startswith("add_noise") else fw.server.ServerRules()
    method = next(method for method in suite.servers.METHODS if method.name == name)
    world = suite.servers.world_of(suite.town, method, rules)

    def server():
        return suite.servers.server_of(suite.town, method, rules, 5)

    bound = benchmark(suite, world, server())
    found = proven(suite, together(suite), world, server())
    assert found.contradictions == 0
    assert found.proven <= bound


@pytest.mark.parametrize("name", ["random_round base 3", "add_noise, zeros too"])
def test_attacks_come_to_the_same_over_http(suite, name):
    method = next(method for method in suite.servers.METHODS if method.name == name)
    world = suite.servers.world_of(suite.town, method, FEW_SMALL)
    server = suite.servers.server_of(suite.town, method, FEW_SMALL, 5)
    behind = suite.over_http.OverHttp(suite.servers.server_of(suite.town, method, FEW_SMALL, 5))
    inside, over = (
        list(suite.contest.run(together(suite), world, one, suite.town.counts, (10, 60), sweeps=50))
        for one in (server, behind)
    )
    assert inside == over
    assert inside[-1].answered < inside[-1].asked  # some are refused


def test_refusals_follow_from_the_tables_that_they_refuse(suite):
    method, rules = suite.servers.METHODS[2], fw.server.ServerRules(max_small_share=0.15)
    ruled, free = (suite.servers.server_of(suite.town, method, given, 5) for given in (rules, fw.server.ServerRules()))
    shares: dict[bool, list[float]] = {True: [], False: []}
    for ask in suite.servers.random_requests(suite.town.frame, 100, 1, seed=1):
        seen, whole = (suite.outside.Outside(server).ask(ask) for server in (ruled, free))
        if whole.released:
            figures = np.array([figure for _, figure in whole.boxes(suite.town.frame)])  # of those who can be
            shares[seen.released].append(float(((figures > 0) & (figures <= rules.small)).mean()))
    assert len(shares[False]) > 10
    assert max(shares[True]) <= rules.max_small_share < min(shares[False])


def test_refusals_do_not_tell_that_a_column_follows_by_chance(bench):
    assert not bench("attacks.by_chance").refusals_differ()


def test_noise_on_zeros_does_not_tell_that_a_column_follows_by_chance(bench):
    assert bench("attacks.by_chance").empties_alike(one_more=False) < 0.9


# --- the reckoning behind the claims ---------------------------------------------------------------------------------


def small_world(suite, law, **known):
    """Two dims of two labels."""
    frame = suite.population.Frame({"a": ("x", "y"), "b": ("x", "y")})
    return suite.world.World(frame, law, fw.server.ServerRules(), 4, **known)


def asked(suite, world, counts, seed):
    """All tables of a faultless server."""
    town = suite.population.Population(world.frame, counts)
    evidence, outside = (
        suite.evidence.Evidence(world),
        suite.outside.Outside(suite.leaky.PlainServer(town, world.law, seed)),
    )
    for request in suite.every_figure.EveryFigure().requests(evidence):
        evidence.add(outside.ask(request))
    return evidence.figures()


def agreeing(world, figures, most):
    """Every table that agrees with the figures, by definition, with its probability: the same people are one draw."""
    cells = [(world.frame.cells(figure.box).tolist(), figure.published) for figure in figures]
    for counts in product(range(most + 1), repeat=world.frame.size):
        draws = {tuple((cell, counts[cell]) for cell in of_group if counts[cell]): [] for of_group, _ in cells}
        for of_group, published in cells:
            draws[tuple((cell, counts[cell]) for cell in of_group if counts[cell])].append(published)
        probability = 0.5 ** sum(counts)
        for people, figures_of_them in draws.items():
            row = world.law.probabilities[sum(count for _, count in people)]
            probability *= row.get(figures_of_them[0], 0.0) if len(set(figures_of_them)) == 1 else 0.0
        if probability:
            yield np.array(counts), probability


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_every_table_that_agrees(suite, seed):
    law = suite.laws.rounding(3, 40)
    world = small_world(suite, law)
    counts = np.random.default_rng(seed).integers(0, 4, 4)
    figures = asked(suite, world, counts, seed)
    tables = np.array([table for table, _ in agreeing(world, figures, 6)])
    found = suite.bounds.certain(world, figures, {cell: (9, -1) for cell in range(4)})
    assert any((table == counts).all() for table in tables)
    assert (found.lower <= tables.min(axis=0)).all()
    assert (found.upper >= tables.max(axis=0)).all()
    alone = suite.bounds.propagated(suite.bounds.rows_of(world, figures), world)
    assert (found.lower >= alone[0]).all()
    assert (found.upper <= alone[1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_chain_has_the_law_of_all_tables_one_by_one(suite, seed):
    law = suite.laws.noise(suite.servers.NOISE, 40, zeros_stay=True)
    world = small_world(suite, law)
    counts = np.random.default_rng(seed).integers(0, 3, 4)
    figures = asked(suite, world, counts, seed)
    task = suite.beliefs._task(world, figures)._replace(prior=np.full(4, np.log(0.5)))
    tallies, draws = suite.beliefs.walk(task, np.zeros(4, dtype=np.int64), 100_000, 1000, seed)
    expected = np.zeros((4, 9))
    for table, probability in agreeing(world, figures, 8):
        expected[np.arange(4), table] += probability
    expected /= expected[0].sum()
    assert draws > 20_000
    assert np.abs(tallies[:, :9] / draws - expected).max() < 0.02
