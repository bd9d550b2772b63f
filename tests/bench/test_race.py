"""What the race stores is what it shows: in its report, in the README, and to the guard that looks for losses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.places import BENCH

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.moves import registry
from fiberwalk.moves.families.row_pairs import row_pairs


def figure(bench, **changes):
    one = bench("figures").Figure("steps", "4 x 4", "ns per step", "ns", 5.0, "peer", 10.0, more_is_better=False)
    return replace(one, **changes)


def test_a_ratio_says_how_many_times_better_whichever_way_better_goes(bench):
    assert figure(bench).ratio == 2.0
    assert figure(bench, more_is_better=True).ratio == 0.5
    assert figure(bench, theirs=None).ratio is None
    assert figure(bench, target=2.0).met
    assert not figure(bench, target=2.1).met
    assert not figure(bench, target=2.0, complete=False).met
    assert figure(bench, theirs=None, target=5.0).met
    assert not figure(bench, theirs=None, target=4.9).met
    assert not figure(bench, theirs=None, target=5.1, more_is_better=True).met


def test_a_slope_is_the_exponent(bench):
    curve = bench("figures").Curve("growth", "x", "cells", "s", tuple((n, 3.0 * n**1.5) for n in (1.0, 10.0, 100.0)))
    assert curve.slope == pytest.approx(1.5)


def test_what_is_stored_is_read_back(bench, tmp_path, monkeypatch):
    stored, figures = bench("stored"), bench("figures")
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    curve = figures.Curve("growth", "x", "cells", "s", ((1.0, 2.0), (3.0, 4.0)))
    findings = (figure(bench), figures.Skipped("steps", "R", "not here."), curve)
    stored.store({"steps": stored.Ran(stored.now(1.0), findings)})
    stored.store({"growth": stored.Ran(stored.now(1.0), (curve,))})
    assert stored.read()["steps"].findings == findings
    assert list(stored.read()) == ["steps", "growth"]  # what was not run again is kept
    assert stored.read(quick=True) == {}


def test_the_guard_tells_a_loss_of_more_than_a_third_or_so(bench):
    guard = bench("guard")
    before = {"x": figure(bench)}
    assert not guard.losses(before, {"x": figure(bench, ours=7.0)})
    assert guard.losses(before, {"x": figure(bench, ours=8.0)}) == {"x": pytest.approx(0.375)}
    assert guard.losses(before, {}) == {"x": 1.0}
    assert guard.losses(before, {"x": figure(bench, ours=float("nan"))})
    assert not guard.losses({"x": figure(bench, guarded=False)}, {})


@pytest.mark.parametrize(("times", "status"), [([8.0, 6.0], 0), ([8.0, 9.0, 8.0], 1)], ids=["once", "always"])
def test_what_seems_slower_is_measured_again_before_it_counts(bench, tmp_path, monkeypatch, capsys, times, status):
    guard, stored = bench("guard"), bench("stored")
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    stored.store({"steps": stored.Ran(stored.now(1.0), (figure(bench),))}, quick=True)
    left = list(times)

    def run(names):
        assert names == ["steps"]
        return {"steps": stored.Ran(stored.now(1.0), (figure(bench, ours=left.pop(0)),))}

    assert guard.held(["steps", "growth"], run) == status
    assert not left
    said = capsys.readouterr().out
    assert ("2.00 stored, 1.25 now (38% lost)" in said) == bool(status), said


def test_a_peer_that_is_not_here_is_no_loss(bench, tmp_path, monkeypatch):
    guard, stored = bench("guard"), bench("stored")
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    here = figure(bench, peer="another")
    stored.store({"steps": stored.Ran(stored.now(1.0), (figure(bench), here))}, quick=True)
    absent = bench("figures").Skipped("steps", "peer", "not here.")
    assert guard.held(["steps"], lambda names: {"steps": stored.Ran(stored.now(1.0), (absent, here))}) == 0
    both = absent, replace(absent, peer="another")
    assert guard.held(["steps"], lambda names: {"steps": stored.Ran(stored.now(1.0), both)}) == 1


def test_nothing_to_compare_with_is_said(bench, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench("stored"), "RESULTS", tmp_path)
    assert bench("guard").held(["steps"], lambda names: {}) == 1
    assert "--quick --store" in capsys.readouterr().out


def test_the_report_and_the_readme_say_what_is_stored(bench):
    found = bench("stored").read()
    assert set(found) == set(bench("contests").NAMES)
    written, quoted = bench("written"), bench("quoted")
    assert (BENCH / "results" / "race.md").read_text() == written.as_markdown(found)
    text = (BENCH.parent / "README.md").read_text()
    for (begin, end), words in quoted.quotations().items():
        assert text.split(begin)[1].split(end)[0].strip() == words.strip()


def test_a_target_that_is_missed_shows(bench):
    written = bench("written")
    assert "NOT met" in written.as_line(figure(bench, target=3.0))
    assert "**not met**" in written.targets([figure(bench, target=3.0)])
    assert "**not met**" not in written.targets([figure(bench, target=2.0)])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1234567.0, "1,230,000"),
        (123.4, "123"),
        (45.67, "46"),
        (4.567, "4.6"),
        (0.4567, "0.46"),
        (0.00123, "0.0012"),
    ],
)
def test_figures_have_the_digits_that_matter(bench, value, shown):
    assert bench("written").number(value) == shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "margins", "way"),
    [
        ((3, 3), ["A", "B"], "swaps"),
        ((2, 2), ["A", "B"], "swaps in two rows and two columns"),
        ((3, 3, 3), ["A,B", "A,C", "B,C"], "listed moves"),
        ((3, 4), None, "listed moves"),
        ((3, 4), None, "cycles of a network"),
    ],
    ids=["swaps", "bounded", "listed", "hidden", "many cycles"],
)
def test_single_steps_and_ours_have_the_same_law(bench, shape, margins, way, monkeypatch):
    """Effective draws of a chain with another law would be no race."""
    if way == "cycles of a network":
        monkeypatch.setattr(registry, "_with_quick_moves", lambda block, around: around)
    release = small_release(shape, margins)
    for law in ("uniform", "hypergeometric"):
        both = bench("effective").course(release, law)
        assert both.peer.words.endswith(way)
        for walker in (both.ours, both.peer):
            seen = np.concatenate([walker.keep(k, 1000, 64)[:, 0] for k in range(4)])
            assert follows(seen, release, law, both.unit.columns[0]), (law, walker.name)


@pytest.mark.slow
@pytest.mark.parametrize("lists", [20_000_000, 0], ids=["shared", "drawn"])
def test_single_steps_in_two_rows_have_the_same_law(bench, lists, monkeypatch):
    """In tables with cells missing, from lists of the columns that rows share or from moves that were drawn."""
    peer = bench("peers.plus_minus_one")
    monkeypatch.setattr(peer, "FEW_SHARED", lists)
    release = small_release((3, 4), None)
    block = fw.moves.choose_moves(release).support.solved.blocks[0]
    moves = row_pairs(block)
    for law in ("uniform", "hypergeometric"):
        chain = peer.chain_for(moves, block, law == "hypergeometric")
        assert ("lists" in chain.words) == bool(lists)
        table, random, seen = block.start.astype(np.int64), streams(1, 1)[0], []
        for _ in range(4000):
            chain.steps(table, random, 64)
            seen.append(table[0])
        assert follows(np.array(seen), release, law, block.columns[0]), law
        assert not follows(np.array(seen)[::-1] + 1, release, law, block.columns[0])


def small_release(shape, margins):
    """A table of small counts, given some margins; without any, most of its cells are hidden."""
    table = np.arange(1, 1 + np.prod(shape)).reshape(shape) % 4
    if margins is not None:
        return fw.publish(table, margins)
    return fw.suppress(table, where=np.random.default_rng(2).random(shape) < 0.8)


def follows(seen, release, law, column):
    """Are values drawn as often as they should be, within six standard errors of half as many independent draws?"""
    exact = fw.audit(release, law, "exact").belief.pmfs[int(np.flatnonzero(release.hidden == column)[0])]
    p = np.array([exact.between(int(value), int(value)) for value in exact.values])
    share = np.array([(seen == value).mean() for value in exact.values])
    return bool((np.abs(share - p) < 6 * np.sqrt(p * (1 - p) / (len(seen) / 2))).all())
