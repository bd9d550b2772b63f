"""Many tables rounded at once: each adds up, all agree, and no other such rounding is nearer to what the keys say."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.protect.rounding.lattice import lattice_of
from fiberwalk.protect.rounding.lattice_rounding import BEYOND, rounded_lattice
from fiberwalk.release.facts.facts import NO_VALUE

TREE = {"A": {"x": ["1", "2"], "y": ["3", "4"]}}
FLAT = [np.arange(2), np.zeros(2, int)]
TREED = [np.arange(3), np.array([0, 0, 1]), np.zeros(3, int)]
CROSSED = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
"""The three two-way tables of a cube of three dims."""
NO_ROUNDING = np.array([[[3, 1], [0, 1]], [[1, 3], [1, 0]]])
"""To base 2 no rounding suits all of its margins."""


# --- the naive twin: every rounding of the finest tables is tried ---------------------------------------------------


def groups_of(dims, table):
    """A table as the sets of cells of the cube that its figures sum, row by row."""
    places = list(product(*(range(len(levels[0])) for levels in dims)))
    found = []
    for figure in product(*(range(dims[i][level].max() + 1) for i, level in enumerate(table))):
        inside = [one for one in places if all(dims[i][level][one[i]] == figure[i] for i, level in enumerate(table))]
        found.append(frozenset(inside))
    return found


def every_sum(dims, cube, tables):
    """The true figures of tables, one after the other."""
    return np.array([sum(cube[one] for one in group) for table in tables for group in groups_of(dims, table)])


def naive(dims, cube, tables, finest, numbers, base, further=(), same=()):
    """The cheapest additive rounding of all tables and its cost; figures of the tables in `further` may go one further, and
    those numbered in `same` are alike."""
    groups = [(table, group) for table in tables for group in groups_of(dims, table)]
    truth = [sum(int(cube[one]) for one in group) for _, group in groups]
    cells = [i for i, (table, _) in enumerate(groups) if table in finest]
    wide = [table in further for table, _ in groups]
    choices = [
        [k for k in range(t // base - w, -(-t // base) + w + 1) if k >= 0] for t, w in zip(truth, wide, strict=True)
    ]
    tried = np.array(list(product(*(choices[i] for i in cells))))
    fits, cost, found = np.ones(len(tried), bool), np.zeros(len(tried)), []
    for i, (_, group) in enumerate(groups):
        sums = [
            sum(tried[:, n] for n, j in enumerate(cells) if groups[j][0] == table and groups[j][1] <= group)
            for table in finest
            if all(one <= group or not one & group for one in groups_of(dims, table))
        ]
        shown = sums[0]
        for other in sums[1:]:
            fits &= shown == other  # the same figure in another table
        fits &= np.isin(shown, choices[i])
        low, share = truth[i] // base, truth[i] % base / base
        cost += (numbers[i] - share if share else 0) * (shown - low)
        cost += BEYOND * np.maximum(np.maximum(low - shown, shown + -truth[i] // base), 0)
        found.append(shown * base)
    for one in same:
        fits &= found[one] == found[same[0]]
    if not fits.any():
        return None, np.inf
    best = np.flatnonzero(fits)[np.argmin(cost[fits])]
    return np.array([one[best] for one in found]), cost[best]


CASES = {
    "three crossed tables": ([FLAT, FLAT, FLAT], CROSSED, CROSSED),
    "a cube with all its margins": ([FLAT, FLAT, FLAT], [(0, 0, 0)], [(0, 0, 0)]),
    "a dim with a level": ([TREED, FLAT], [(0, 0)], [(0, 0)]),
    "tables at different levels": ([TREED, FLAT, FLAT], [(0, 0, 1), (1, 1, 0)], [(0, 0, 1), (1, 1, 0)]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("base", [2, 3])
def test_it_is_the_cheapest_of_all_additive_roundings(case, base):
    dims, wanted, finest = CASES[case]
    rng = np.random.default_rng(11)
    lattice = lattice_of(dims, wanted)
    assert set(lattice.finest) == set(finest)
    stages = set()
    for _ in range(12):
        cube = rng.integers(0, 6, [len(levels[0]) for levels in dims])
        truth = every_sum(dims, cube, lattice.tables)
        numbers = rng.random(len(truth))
        further = ()
        best, cost = naive(dims, cube, lattice.tables, finest, numbers, base)
        if best is None:
            further = finest
            best, cost = naive(dims, cube, lattice.tables, finest, numbers, base, further)
        stages.add(bool(further))
        found = rounded_lattice(lattice, truth, numbers, base, base)
        assert found.proven
        assert (found.figures == best).all(), (cube.tolist(), cost)
        assert (found.keyed == (truth // base + (numbers < truth % base / base)) * base).all()
        assert set(found.relaxed) == {
            table for table in lattice.tables if (np.abs(best - truth) >= base)[lattice.part(table)].any()
        }
        assert found.n_beyond == (np.abs(best - truth) >= base).sum()
    if (case, base) == ("a cube with all its margins", 2):
        assert stages == {False, True}  # both kinds were seen


def test_figures_of_the_same_people_are_alike():
    dims, wanted, finest = CASES["three crossed tables"]
    lattice, random = lattice_of(dims, wanted), np.random.default_rng(3)
    same = [lattice.starts[one] for one in finest]  # the first cell of each table
    torn = 0
    for _ in range(40):
        cube = random.integers(0, 6, (2, 2, 2))
        cube[0, 0, 1] = cube[0, 1, 0] = cube[1, 0, 0] = 0
        cube[0, 0, 0] = random.choice([1, 2, 4])
        truth = every_sum(dims, cube, lattice.tables)
        numbers = random.random(len(truth))
        alone = rounded_lattice(lattice, truth, numbers, 3, 3).figures[same]
        torn += len(set(alone)) > 1
        numbers[same] = numbers[same[0]]
        best, _ = naive(dims, cube, lattice.tables, finest, numbers, 3, same=same)
        assert (rounded_lattice(lattice, truth, numbers, 3, 3).figures == best).all()
    assert torn > 5  # not so where each has a key of its own


# --- every table adds up, all agree ---------------------------------------------------------------------------------


def figures(release):
    """What a release publishes of cells and sums, by their labels."""
    known = release.value != NO_VALUE
    keys = np.concatenate([release.keys[known], release.sums.keys])
    values = np.concatenate([release.value[known], release.sums.value])
    return {tuple(key): int(value) for key, value in zip(keys.tolist(), values, strict=True)}


def within(cell, key, dims):
    """Is a figure part of another?"""
    return all(set(dim.leaves[a]) <= set(dim.leaves[b]) for dim, a, b in zip(dims, cell, key, strict=True))


def misses(release, shown, margins):
    """How many sums of the cells of a table differ from what is published as their total, over all tables."""
    wrong = 0
    for margin in margins:
        keys, _ = release.margin(margin)
        cells = {tuple(key): shown[tuple(key)] for key in keys.tolist()}
        for n in range(len(margin)):
            for kept in combinations(margin, n):
                for key in release.margin(kept)[0].tolist():
                    inside = [value for cell, value in cells.items() if within(cell, key, release.dims)]
                    wrong += sum(inside) != shown[tuple(key)]
    return wrong


OFFERS = [
    ((3, 4), None, [("A", "B")]),
    ((3, 2, 2), None, [("A", "B"), ("B", "C"), ("A", "C")]),
    ((4, 2, 2), TREE, [("A", "B"), ("A:1", "C")]),
    ((3, 3, 2), None, [("A", "B", "C")]),
    ((2, 3, 2, 2), None, [("A", "B", "C"), ("B", "C", "D"), ("A", "D")]),
    ((4, 2), TREE, [("A", "B"), ("A:1", "B")]),
]


@given(st.sampled_from(OFFERS), st.sampled_from([2, 3, 5]), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_every_offered_table_adds_up_and_all_agree(offer, base, seed):
    shape, tree, margins = offer
    cube = np.random.default_rng(seed).poisson(2, shape)
    release = fw.protect.round_lattice(fw.table(cube, hierarchies=tree), base, margins=margins, seed=seed)
    shown = figures(release)
    assert misses(release, shown, margins) == 0
    assert all(value % base == 0 and value >= 0 for value in shown.values())
    truth = release.sums.matrix @ release.truth
    assert (release.sums.lower <= truth).all()
    assert (truth <= release.sums.upper).all()
    assert ((release.lower <= release.truth) & (release.truth <= release.upper)).all()
    if "all others to less than" not in release.applied[0].words:
        assert (np.abs(release.sums.value - truth) < base).all()
    if release.figures is not None:
        assert (release.published.values.ravel() == release.figures).all()
        assert (release.sums.matrix @ release.figures == release.sums.value).all()


def test_rounding_by_keys_alone_does_not_add_up_and_one_table_at_a_time_does_not_agree():
    """The negative controls: what the measure of this file says of the methods that give one of the two."""
    cube = np.random.default_rng(3).poisson(4, (3, 4, 3))
    margins = [("A", "B"), ("A", "C")]
    keyed = fw.protect.random_round(cube, 3, seed=5, keys="labels", margins=["A,B", "A,C", "A", "B", "C", ""])
    assert misses(keyed, keyed.sum_figures, margins) > 5
    alone = [fw.protect.controlled_round(cube.sum(axis=axis), 3, seed=5).published.values for axis in (2, 1)]
    assert (alone[0].sum(axis=1) != alone[1].sum(axis=1)).any()
    together = fw.protect.round_lattice(cube, 3, margins=margins, seed=5)
    assert misses(together, figures(together), margins) == 0


def test_figures_stay_as_their_keys_make_them_unless_they_must_turn():
    cube = np.random.default_rng(3).poisson(4, (3, 4, 3))
    margins = ["A,B", "A,C", "A", "B", "C", ""]
    together = fw.protect.round_lattice(cube, 3, margins=margins, seed=5)
    keyed = fw.protect.random_round(cube, 3, seed=5, keys="labels", margins=margins).sum_figures
    turned = sum(keyed[key] != value for key, value in figures(together).items())
    assert together.applied[0].own_words.startswith(f"{turned} of {len(keyed)} figures are not what their keys alone")
    assert 0 < turned < len(keyed) / 2
    other = fw.protect.round_lattice(cube, 3, margins=margins, seed=6)
    assert figures(other) != figures(together)
    # A table of one dim that happens to add up is left alone.
    line = np.array([3, 6, 1, 2, 9, 4])
    seeds = [
        seed for seed in range(60) if _adds_up(fw.protect.random_round(line, 3, seed=seed, keys="labels", margins=[""]))
    ]
    assert seeds
    for seed in seeds:
        as_keyed = fw.protect.random_round(line, 3, seed=seed, keys="labels").published
        assert fw.protect.round_lattice(line, 3, seed=seed).published.equals(as_keyed)


def _adds_up(release):
    return release.figures.sum() == next(iter(release.sum_figures.values()))


def test_what_is_published_does_not_depend_on_the_order_of_tables_dims_or_labels():
    import xarray as xr

    cube = xr.DataArray(
        np.random.default_rng(8).poisson(3, (3, 4, 2)),
        dims=["sex", "age", "town"],
        coords={"sex": list("fmx"), "age": list("1234"), "town": list("NS")},
    )
    one = fw.protect.round_lattice(cube, 3, margins=["sex,age", "age,town", "sex,town"], seed=4)
    moved = cube.transpose("town", "sex", "age").sel(age=list("3142"))
    other = fw.protect.round_lattice(moved, 3, margins=["town,sex", "sex,age", "town,age"], seed=4)
    named = []
    for release in (one, other):
        named.append(
            {
                frozenset((dim.name, dim.node_labels[node]) for dim, node in zip(release.dims, key, strict=True)): value
                for key, value in figures(release).items()
            }
        )
    assert named[0] == named[1]
    assert len(named[0]) == 12 + 8 + 6 + 3 + 4 + 2 + 1


def test_up_to_so_many_dims_and_everything():
    cube = np.random.default_rng(2).poisson(5, (4, 2, 3))
    by_number = fw.protect.round_lattice(fw.table(cube, hierarchies=TREE), 3, max_dims=2, seed=1)
    named = fw.protect.round_lattice(fw.table(cube, hierarchies=TREE), 3, margins=["A,B", "A,C", "B,C"], seed=1)
    assert figures(by_number) == figures(named)
    assert by_number.figures is None
    assert set(map(tuple, by_number.sums.keys)) == set(map(tuple, named.sums.keys))
    whole = fw.protect.round_lattice(cube, 3, seed=1)
    assert figures(whole) == figures(fw.protect.round_lattice(cube, 3, margins=["A"], max_dims=7, seed=1))
    assert len(figures(whole)) == 5 * 3 * 4


# --- what it tells --------------------------------------------------------------------------------------------------


def test_where_no_rounding_suits_a_table_all_of_its_figures_are_told_less_precisely():
    with pytest.raises(fw.InputError, match="no rounding exists"):
        fw.protect.controlled_round(NO_ROUNDING, 2, seed=1)
    release = fw.protect.round_lattice(NO_ROUNDING, 2, seed=1)
    applied = release.applied[0]
    assert "figures of A x B x C are known to less than 4, all others to less than 2" in applied.words
    assert applied.own_words.endswith(", 1 of them further from the truth than the next multiple")
    assert (np.abs(release.figures - release.truth) >= 2).sum() == 1
    # Nothing public tells which of the cells it was.
    assert (release.upper == release.figures + 3).all()
    assert (release.lower == np.maximum(release.figures - 3, 0)).all()
    assert (release.sums.upper == release.sums.value + 1).all()
    assert release.without_truth().applied[0].own_words == ""
    cells = fw.audit(release, method="exact").cells
    assert (cells["p_truth"] > 0).all()


def test_an_audit_of_offered_tables_knows_each_figure_to_less_than_the_base():
    cube = np.random.default_rng(5).poisson(1.5, (2, 3, 2))
    release = fw.protect.round_lattice(cube, 3, max_dims=2, seed=2)
    audit = fw.audit(release, method="exact", hidden_margins=["A,B", "C"])
    assert (audit.cells["p_truth"] > 0).all()
    assert release.likelihood == "support only"
    shown = figures(release)
    for key, row in zip(
        release.margin("A,B")[0].tolist(), audit.cells.xs("Total", level="C").itertuples(), strict=False
    ):
        assert row.upper - row.lower <= 4
        assert tuple(key) in shown


def test_outsiders_read_each_table_and_link_them(tmp_path):
    cube = np.random.default_rng(5).poisson(1.5, (2, 3, 2))
    release = fw.protect.round_lattice(cube, 3, seed=2)
    outside = fw.protect.as_protected(release.published, "round_lattice", base=3)
    assert fw.count(outside) == fw.count(release)
    assert (outside.applied[0].name, outside.likelihood) == ("lattice rounding", "support only")
    relaxed = fw.protect.as_protected(release.published, "round_lattice", base=3, relaxed=True, margins=[])
    assert "to a multiple less than 2 bases away" in relaxed.applied[0].words
    assert fw.bounds(relaxed)["upper"].max() == release.figures.max() + 5
    offered = fw.protect.round_lattice(cube, 3, margins=["A,B", "B,C"], seed=2)
    offered.to_file(tmp_path / "offered.csv")
    assert fw.count(fw.read_release(tmp_path / "offered.csv")) == fw.count(offered)


def test_record_keys_and_magnitudes():
    cube = np.random.default_rng(5).poisson(1.5, (2, 3, 2))
    keys = np.random.default_rng(6).integers(0, 2**64, cube.shape, dtype=np.uint64)
    one, other = (fw.protect.round_lattice(cube, 3, keys=keys, seed=seed) for seed in (1, 1))
    assert figures(one) == figures(other)
    assert one.applied[0].keys == "records"
    fresh = fw.protect.round_lattice(cube, 3, keys=None, seed=1)
    assert fresh.applied[0].keys == ""
    release = fw.protect.round_lattice(fw.table([[1.2, 0.4], [2.5, 3.1]], decimals=1), base=0.5, seed=1)
    assert (release.figures % 5 == 0).all()
    assert fw.protect.round_lattice([[1, 2], [3, 4]], base=1).published.values.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.round_lattice([[1, 2]], 0), "round_lattice(base=0): the base must be positive"),
        (
            lambda: fw.protect.round_lattice([[1, 2]], max_dims=0),
            "round_lattice(max_dims=0): a whole number of at least 1",
        ),
        (lambda: fw.protect.round_lattice([[1, 2]], max_dims=1.5), "round_lattice(max_dims=1.5): a whole number"),
        (
            lambda: fw.protect.round_lattice([[1, 2]], margins=[]),
            "round_lattice(): no table is offered; name some (margins=)",
        ),
        (lambda: fw.protect.round_lattice([[1, 2]], margins=["Z"]), "names 'Z', which is no dim of this table"),
        (
            lambda: fw.protect.round_lattice(np.ones((350, 350), int)),
            "4 tables of 123,201 figures are offered, more than the 100,000 that can be rounded at once; offer fewer",
        ),
        (
            lambda: fw.protect.round_lattice([[1, 2]], keys="cells"),
            "keys='cells': 'labels', a table of summed record keys",
        ),
        (lambda: fw.protect.round_lattice([[1, 2]], seed=-1), "seed=-1: a whole number of at least 0"),
        (lambda: fw.protect.round_lattice([[1, -2]]), "negative"),
    ],
)
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        call()
