"""The cheapest of several mechanisms: whom it is protected from, what it says, what ends it, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.choosing import outlook
from fiberwalk.choosing.merges import WIDEST, Merge, levels, together
from fiberwalk.loading import load

TABLE = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
QUICK = ["suppression", "merge", "round_to"]
ALONE = [["p", "q", ""], ["", "", ""], ["", "", ""]]


def cheapest(mechanisms=QUICK, table=TABLE, until="p <= 0.3", **more):
    return fw.protect.cheapest(table, mechanisms, until=until, **{"rule": "< 3", "seed": 1, **more})


# --- whom it is protected from ------------------------------------------------------------------------------------


def test_contributors_who_are_alone_are_intruders_before_every_candidate():
    """Merged with the cell of somebody who knows her own, a sensitive figure is known to her."""
    table = [[1, 2, 8], [9, 7, 6], [5, 4, 9]]
    both = {"merge": ("merge", {"groups": [{"B": {"1+2": ["1", "2"]}}]})}
    outside = cheapest(both, table, alone=False)
    inside = cheapest(both, table, alone=ALONE)
    assert outside.tried[0].run.risk == pytest.approx(1 / 4)
    assert outside.reached
    assert inside.tried[0].run.risk == 1
    assert not inside.reached
    assert "before contributors who are alone" in inside.risk
    wide = cheapest(["merge"], table, alone=ALONE)
    for known in ({"A": "1", "B": "1"}, {"A": "1", "B": "2"}):
        value = table[0][int(known["B"]) - 1]
        other = ("1", "2" if known["B"] == "1" else "1")
        assert fw.audit(wide.release.knows(known, exactly=value)).cells.loc[other, "p_modal"] <= 0.3


def test_the_rule_holds_for_merged_categories_and_a_list_does_not_speak_of_them():
    table = [[1, 1, 9, 8], [5, 6, 7, 9]]
    both = {"merge": ("merge", {"groups": [{"B": {"1+2": ["1", "2"]}}]})}
    by_rule = cheapest(both, table, until="p <= 0.5").tried[0]
    assert (by_rule.reached, by_rule.why_not, by_rule.run.risk) == (False, "publishes A=1, B=1+2", 1)
    named = cheapest(both, table, until="p <= 0.5", rule=None, where=[{"A": "1", "B": "1"}]).tried[0]
    assert named.reached
    assert named.run.risk == pytest.approx(1 / 3)


def test_sensitive_totals_are_looked_at():
    table = [[1, 1, 0], [4, 9, 7], [8, 3, 6]]
    found = cheapest({"r": ("random_round", {"base": [5]})}, table, until="p <= 0.7")
    total = next(pmf for key, pmf in _beliefs(found) if key == "A=1, B=Total")
    assert total > 0.1
    assert found.tried[0].run.risk >= total


def _beliefs(found):
    release = found.tried[0].release
    cells = fw.audit(release, hidden_margins=["A"]).cells
    return [(f"A={a}, B={b}", p) for (a, b), p in cells["p_modal"].items()]


def test_intervals_are_wanted_of_every_mechanism():
    plain, wide = cheapest(["round_to"], until="p <= 0.35"), cheapest(["round_to"], until="p <= 0.35", above=8)
    assert (plain.best.run.value, wide.best.run.value) == (10, 25)
    assert wide.frame.loc[("round_to", "base=10"), "why_not"] == "leaves A=1, B=1 a narrower interval than wanted"
    assert fw.bounds(plain.release).loc[("1", "1"), "upper"] < 1 + 8 <= fw.bounds(wide.release).loc[("1", "1"), "upper"]


def test_a_law_that_is_worse_counts():
    one = cheapest(["merge", "random_round"], law="uniform")
    two = cheapest(["merge", "random_round"], law=["uniform", "hypergeometric"])
    pairs = [(a.run.risk, b.run.risk) for a in one.tried for b in two.tried if a.name == b.name]
    assert all(a <= b + 1e-9 for a, b in pairs)
    assert any(a < b - 1e-3 for a, b in pairs)
    assert "under the law uniform, hypergeometric" in two.words


# --- what is merged ------------------------------------------------------------------------------------------------


def crosses(groups, sets):
    """Is a set of labels neither within a group nor made of whole ones?"""
    return any(
        one & group and not one <= group and any(one & other and not other <= one for other in groups)
        for one in sets
        for group in groups
    )


def test_merges_keep_to_hierarchies_and_totals_to_merges():
    tree = {"low": ["a", "b", "c"], "high": ["d", "e"]}
    table = fw.table([[3, 1], [4, 2], [5, 6], [9, 8], [7, 4]], labels={"A": list("abcde")}, hierarchies={"A": [tree]})
    groups = [set(labels) for labels in tree.values()]
    for level in levels(table, lambda merge: []):
        dim = table.dims[0]
        found = {
            frozenset(frozenset(dim.labels[i] for i in part) for part in together(0, dim, merge.joins))
            for merge in level.merges
            if all(axis == 0 for axis, _ in merge.joins)
        }
        expected = set()
        for cuts in combinations(range(1, 5), 4 - level.lost) if level.lost <= 4 else ():
            ends = (0, *cuts, 5)
            sets = frozenset(frozenset("abcde"[a:b]) for a, b in pairwise(ends))
            if not crosses(groups, sets):
                expected.add(sets)
        assert found == expected
        assert level.complete
    within, across = (
        Merge(table, frozenset((0, place) for place in places)).release(None) for places in ((0,), (0, 1, 2, 3))
    )
    names = [{within.words(key) for key in within.shown.tolist()}, {across.words(key) for key in across.shown.tolist()}]
    assert "A=low, B=1" in names[0]
    assert "A=low, B=1" not in names[1]


def test_many_categories_are_not_all_looked_at_and_the_result_says_so():
    table = fw.table(np.full((9, 9), 9))
    first = [level for level, _ in zip(levels(table, lambda merge: []), range(3), strict=False)]
    assert [level.complete for level in first] == [True, False, False]
    assert len(first[1].merges) == WIDEST < first[1].looked_at == 16 * 15 // 2
    given = [level for level, _ in zip(levels(table, lambda merge: ["x"]), range(2), strict=False)]
    assert [(len(level.merges), level.complete) for level in given] == [(0, True), (0, True)]


# --- what counts ---------------------------------------------------------------------------------------------------


def test_chains_that_do_not_settle_reach_nothing(monkeypatch):
    usual = outlook.clear_belief

    def unsettled(*args, **more):
        belief, found = usual(*args, **more)
        return replace(belief, pmfs=tuple(replace(pmf, converged=False) for pmf in belief.pmfs)), found

    assert cheapest().reached
    monkeypatch.setattr(outlook, "clear_belief", unsettled)
    found = cheapest()
    assert not found.reached
    assert {one.why_not for one in found.tried if one.release is not None} >= {"chains did not settle"}
    with pytest.raises(fw.InputError, match="there is nothing to publish: none of .* candidates reaches p <= 0.3"):
        found.release  # noqa: B018


def test_a_sampled_figure_counts_with_three_errors(monkeypatch):
    """A probability of 0.29 with an error of 0.01 is not clearly below 0.3."""
    kept = []
    usual = outlook.clear_belief

    def sampled(*args, **more):
        belief, _ = usual(*args, **more)
        pmfs = tuple(replace(pmf, method="chains", p_error=np.full(len(pmf.p), kept[-1])) for pmf in belief.pmfs)
        belief = replace(belief, pmfs=pmfs)
        return belief, args[2](belief)

    monkeypatch.setattr(outlook, "clear_belief", sampled)
    only = {"m": ("merge", {"groups": [{"B": {"1+2": ["1", "2"]}}]})}  # 1 / 7 = 0.143
    for error, reached in ((0.05, True), (0.054, False)):
        kept.append(error)
        found = cheapest(only)
        assert found.reached is reached
        assert found.frame["risk_error"].iloc[0] == pytest.approx(error)


def test_a_candidate_that_cannot_be_is_listed_with_its_reason():
    def fails(table, seed):
        raise ValueError("no such luck")

    found = cheapest({"mine": fails, "merge": "merge"})
    assert found.frame.loc["mine", "why_not"].tolist() == ["ValueError: no such luck"]
    assert found.best.run.method == "merge"
    assert "mine does not reach it" in found.words
    assert "mine" not in found.ru_map.frame.index.get_level_values("method")
    with pytest.raises(fw.InputError, match="no mechanism can be applied: mine: ValueError: no such luck"):
        cheapest({"mine": fails})


# --- what a result says --------------------------------------------------------------------------------------------


def test_what_a_result_says(tmp_path):
    found = cheapest()
    frame = found.frame
    assert frame["best"].sum() == 1
    assert frame[frame["reached"]]["utility"].max() == frame[frame["best"]]["utility"].iloc[0]
    assert frame[frame["cheapest"]].index.get_level_values("mechanism").tolist() == QUICK
    assert (frame["why_not"] == "").tolist() == frame["reached"].tolist()
    assert repr(found) == f"<Cheapest: {found.words}>"
    assert found.words.startswith(
        "suppression keeps most of those that reach p <= 0.3 for every sensitive figure under"
    )
    assert "with a likelihood that is support only" in found.words
    assert found.suppression.cost == 4
    assert found.release is found.suppression.release
    assert found.audit().cells["p_modal"].loc["1", "1"] == pytest.approx(found.best.run.risk)
    assert found.ru_map.frame.loc["original", "risk"].item() == 1
    assert found.ru_map.frame.loc["original", "utility"].item() == 1
    assert set(found.ru_map.best(found.max_risk).index.get_level_values("method")) == {"suppression"}
    found.ru_map.save(tmp_path / "map.fw")
    assert load(tmp_path / "map.fw").frame["risk"].tolist() == found.ru_map.frame["risk"].tolist()
    titles = [axes.get_title(loc) for axes in found.plot().axes for loc in ("left", "center")]
    assert "until p <= 0.3: the cheapest is suppression" in titles
    assert found.readable()["target"].iloc[0] == "reached"


def test_of_several_targets_the_risk_is_the_share_of_the_worst():
    found = cheapest(until="p <= 0.3 and bits >= 2")
    assert found.max_risk == 1
    for one in found.tried:
        assert one.reached == (one.run.risk <= 1)
    bits = cheapest(until="bits >= 2")
    assert bits.max_risk == 0.5
    merged = bits.by_mechanism["merge"]
    assert merged.run.risk == pytest.approx(1 / np.log2(7))


def test_the_same_seed_gives_the_same_releases_whatever_else_is_allowed():
    one = cheapest(["random_round"], until="p <= 0.5")
    two = cheapest(["merge", "random_round"], until="p <= 0.5")
    figures = [found.by_mechanism["random_round"].release.figures.tolist() for found in (one, two)]
    assert figures[0] == figures[1]
    seeds = {cheapest(["random_round"], until="p <= 0.5", seed=None).seed for _ in range(3)}
    assert len(seeds) == 3
    again = fw.protect.random_round(TABLE, one.best.run.value, seed=one.best.run.seed, margins=["A", "B", ""])
    assert again.figures.tolist() == figures[0]
    assert one.best.run.seed != one.seed


def test_of_lists_all_values_are_tried_and_of_ladders_as_many_as_it_takes():
    own = cheapest({"rounded": ("round_to", {"base": [2, 10, 12]})})
    assert own.frame.index.get_level_values("setting").tolist() == ["base=2", "base=10", "base=12"]
    assert own.frame["reached"].tolist() == [False, True, True]
    ladder = cheapest(["round_to"])
    assert ladder.frame["reached"].tolist() == [False, False, True]
    assert [one.run.value for one in cheapest(["round_to"], until="p <= 0.001").tried] == [3, 5, 10, 25]
    functions = cheapest([fw.round_to, fw.merge, fw.protect.suppression])
    assert list(functions.by_mechanism) == ["round_to", "merge", "suppression"]


# --- what ends it --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "words"), [(KeyboardInterrupt(), "it was interrupted"), (fw.TimeUp("over"), "its time was up")]
)
def test_what_ends_it_leaves_the_best_so_far(end, words):
    def ended(line):
        if line.startswith("merge: "):
            raise end

    found = cheapest(progress=ended)
    assert found.best.run.method == "suppression"
    assert found.stopped == words
    assert f"not everything was tried: {words}" in found.words
    with pytest.raises(type(end)):
        cheapest(["merge", "suppression"], progress=ended)


def test_an_ended_search_for_patterns_keeps_the_pattern():
    def ended(line):
        if "reaches the target" in line:
            raise KeyboardInterrupt

    found = cheapest(["suppression", "merge"], until="bits >= 3", progress=ended)
    assert found.stopped == "it was interrupted"
    assert [one.run.method for one in found.tried] == ["suppression"]
    assert found.reached


def test_a_pattern_whose_audit_was_ended_is_audited_anew(monkeypatch):
    """What stopped chains left of it is forgotten."""
    usual, known = outlook.clear_belief, []

    def ended_once(*args, **more):
        known.append(dict(more["known"]))
        if len(known) == 1:
            more["known"][0.2] = {"half": "done"}
            raise fw.TimeUp("over")
        return usual(*args, **more)

    monkeypatch.setattr(outlook, "clear_belief", ended_once)
    found = cheapest()
    assert (found.reached, found.stopped) == (True, "its time was up")
    assert [one.run.method for one in found.tried] == ["suppression"]
    assert known == [{}, {}]


# --- what leaves ---------------------------------------------------------------------------------------------------


def test_two_truths_with_the_same_publication_leave_alike(tmp_path):
    """The cells of a merged category are exchanged: nothing that is written tells which table it was."""
    written = []
    for number, row in enumerate(([7, 20, 6], [9, 18, 6])):
        found = cheapest(["merge"], [[1, 5, 4], row, [3, 8, 9]])
        assert found.best.what == "B: 1+2"
        path = tmp_path / f"{number}.csv"
        found.release.to_file(path)
        written.append((path.read_bytes(), found.release.published.to_series().to_string()))
        assert found.release.without_truth().truth is None
    assert written[0] == written[1]
    other = cheapest(["merge"], [[1, 5, 4], [7, 21, 6], [3, 8, 9]]).release
    other.to_file(tmp_path / "other.csv")
    assert (tmp_path / "other.csv").read_bytes() != written[0][0]


def test_the_choice_itself_tells_of_the_table():
    """As the docstring says: tables with the same merged figures may be merged otherwise."""
    one, two = (cheapest(["merge"], [row, [7, 20, 6], [3, 8, 9]]) for row in ([1, 5, 4], [5, 1, 4]))
    assert one.best.what == "B: 1+2"
    assert two.best.what == "B: 2+3"


# --- what it refuses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanisms", "more", "words"),
    [
        ([], {}, "mechanisms= says what is allowed: some of 'suppression', 'merge', 'round_to'"),
        (None, {}, "mechanisms= says what is allowed"),
        (["rounding"], {}, "there is no mechanism 'rounding'; did you mean"),
        (["merge", "merge"], {}, "mechanisms= has 'merge' twice; give each a name of its own, in a dict"),
        (
            [("suppression", {"minimise": "counts"})],
            {},
            "what suppression is to do is said beside it",
        ),
        (["swap"], {}, "method 'swap' needs its dim="),
        ({"r": ("round_to", {"bases": [3]})}, {}, "method 'r' has no parameter 'bases'"),
        (QUICK, {"keep": "totals"}, r"cheapest\(keep=\): only suppression .* merge, round_to do not; allow that alone"),
        (QUICK, {"withheld": [{"A": "1", "B": "2"}]}, r"cheapest\(withheld=\): only suppression"),
        (QUICK, {"until": "p < 1"}, "until='p < 1' is not understood"),
        (QUICK, {"utility": "beauty"}, "utility='beauty': there is no such utility"),
        (QUICK, {"law": "binomial"}, "binomial"),
        (QUICK, {"rule": None}, "needs where= or rule="),
        (QUICK, {"rule": "< 1"}, "rule '< 1' hides no cell"),
        (QUICK, {"seed": -1}, "seed=-1"),
        (QUICK, {"max_seconds": 0}, "max_seconds=0"),
    ],
)
def test_refusals(mechanisms, more, words):
    with pytest.raises(fw.InputError, match=words):
        cheapest(mechanisms, **more)


def test_what_only_suppression_can_keep_goes_with_suppression_alone():
    found = cheapest(["suppression"], keep="totals")
    assert found.reached
    assert "Total" not in str(found.suppression.figures.index.to_list())
