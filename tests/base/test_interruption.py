"""Ctrl-C at every moment: what is there is told, what is missing is named, and nothing breaks."""

from __future__ import annotations

import os
import signal
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.base import interruption, progress
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.interruption import (
    check_time,
    interrupts_held,
    plain_interrupts,
    time_left,
    time_limit,
)
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.equations.lattice import integer_kernel
from fiberwalk.fiber.laws import priors
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.bases import graver
from fiberwalk.moves.bases.graver import graver_basis
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.listed import Listed
from fiberwalk.posterior.parts.exact_block import time_for_exact
from fiberwalk.posterior.parts.sampled import time_for_chains
from fiberwalk.report.words import doubts
from fiberwalk.sampler.chains import unit_run
from fiberwalk.sampler.kernels.schedule import odds
from fiberwalk.sampler.kernels.schedule.walk import listed_arrays
from fiberwalk.sampler.lines.weights import weights_on

HOLES = np.random.default_rng(4).poisson(4.0, (6, 7))
MASK = np.random.default_rng(3).random((6, 7)) < 0.6


def pressed_at(words: str, then: int = 1):
    """A progress function that presses Ctrl-C at the first line, or a later one, that begins with these words."""
    seen = []

    def told(line: str) -> None:
        seen.extend([line] if line.startswith(words) else [])
        if len(seen) == then:
            seen.append("")
            os.kill(os.getpid(), signal.SIGINT)

    return told


def test_ctrl_c_inside_a_compiled_function_is_a_keyboard_interrupt():
    with pytest.raises(KeyboardInterrupt), plain_interrupts():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    with pytest.raises(SystemError, match="another"), plain_interrupts():
        raise SystemError("another")


def test_ctrl_c_waits_while_half_of_something_would_be_lost():
    with interrupts_held() as came:
        assert not came()
        os.kill(os.getpid(), signal.SIGINT)
        assert came()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("moment", ["[", "bounds of cells and sums"])
def test_ctrl_c_in_a_look_and_in_the_bounds_gives_what_there_is(moment):
    release = fw.suppress(HOLES, where=MASK)
    audit = fw.audit(release, method="chains", tolerance=0.05, progress=pressed_at(moment))
    assert audit.stopped == "it was interrupted"
    assert not audit.converged
    bounds, cells = fw.bounds(release), audit.cells.sort_index()
    assert (cells["lower"] <= bounds["lower"]).all()
    assert (cells["upper"] >= bounds["upper"]).all()
    assert np.allclose([pmf.p.sum() for pmf in audit.belief.pmfs], 1)


def test_time_that_is_up_when_a_start_was_discarded(monkeypatch):
    monkeypatch.setattr(unit_run, "APART", 0.0)
    audit = fw.audit(fw.suppress(HOLES, where=MASK), method="chains", max_seconds=1e-9)
    assert audit.stopped == "its time was up"
    assert all(np.isfinite(pmf.p_error).all() for pmf in audit.belief.pmfs)


def test_ctrl_c_before_every_respondent_had_her_turn(tmp_path):
    table = np.array([[1, 5, 4], [7, 1, 6], [3, 8, 1]])
    release = fw.suppress(table, where=(table < 2) | (table > 5))
    audit = fw.audit(release, intruders="respondents", progress=pressed_at("respondent 2"))
    assert len(audit.respondents) == 1
    assert audit.stopped == "2 of 3 respondents were not asked"
    assert not audit.converged
    audit.save(tmp_path / "a")
    assert fw.load(tmp_path / "a").stopped == audit.stopped
    assert doubts(audit) == [("NOT CONVERGED", "2 of 3 respondents were not asked. Let it finish.")]


def test_ctrl_c_in_a_further_reading():
    table = np.array([[1, 5, 4, 2], [7, 2, 6, 1], [3, 8, 9, 2], [2, 2, 5, 1]])
    also = [{"A": "1", "B": "2"}, {"A": "2", "B": "1"}, {"A": "3", "B": "2"}]
    release = fw.suppress(table, rule="< 3", where=also, rule_known=True)
    audit = fw.audit(release, progress=pressed_at("block 1 of", then=2))
    assert audit.stopped == "1 of 1 further readings was not looked at"
    assert not audit.converged


def test_ctrl_c_in_the_second_of_two_laws_leaves_the_first():
    release = fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"])
    comparison = fw.compare(release, progress=pressed_at("block 1 of", then=2))
    assert list(comparison.audits) == ["uniform"]
    assert comparison.left_out == ("hypergeometric",)
    assert not comparison.converged
    assert comparison.sentence.endswith("Interrupted: 'hypergeometric' is left out.")


# --- where long work stands ------------------------------------------------------------------------------------------


def test_a_line_is_shown_when_it_is_due_though_no_other_follows(monkeypatch, capsys):
    monkeypatch.setattr(progress, "WAIT", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.shown() as tell:
        tell("first")
        tell("the newest")
        tell.timer.join()
        assert "the newest" in capsys.readouterr().err
        tell("never due")
    assert "never due" not in capsys.readouterr().err


def test_a_notebook_gets_one_output_that_is_overwritten(monkeypatch):
    shown = []

    def display(bundle, **options):
        shown.append((bundle["text/plain"], options))
        return types.SimpleNamespace(update=lambda bundle, **how: shown.append((bundle["text/plain"], how)))

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    monkeypatch.setattr(progress, "WAIT", 0.0)
    with progress.shown() as tell:
        tell("a line")
        tell.timer.join() if tell.timer else None
    assert shown == [("a line", {"raw": True, "display_id": True}), ("", {"raw": True})]


def test_silent_where_nobody_watches(capsys):
    with progress.shown() as tell:
        assert tell is None
    assert capsys.readouterr().err == ""


# --- a limit of time -------------------------------------------------------------------------------------------------


class Clock:
    """A clock that goes on by so much whenever it is looked at."""

    def __init__(self, each: float) -> None:
        self.now, self.each = 0.0, each

    def monotonic(self) -> float:
        self.now += self.each
        return self.now


def test_limits_are_kept_within_each_other(monkeypatch):
    monkeypatch.setattr(interruption, "time", Clock(0.0))
    check_time("nothing is limited")
    assert time_left() is None
    with time_limit(10.0), time_limit(None), time_limit(99.0):
        assert time_left() == 10.0
        interruption.time.now = 10.5
        with pytest.raises(fw.TimeUp, match="its time was up while bread was baked, and there is no result yet"):
            check_time("bread was baked")
        with pytest.raises(fw.TimeUp), ThreadPoolExecutor(1) as other:
            other.submit(copy_context().run, check_time, "bread was baked").result()
        with time_limit(1.0):
            assert time_left() == 0.0
    assert time_left() is None


def test_what_comes_before_chains_is_limited_too(monkeypatch):
    """Weights that are listed, an enumeration and an elimination; before, only chains looked at the time."""
    release = fw.publish([[400, 300, 200], [100, 200, 300]], margins=["A", "B"])
    law = fw.laws.prior([({"A": "1", "B": "1"}, lambda x: 1.0 + x)])
    monkeypatch.setattr(interruption, "time", Clock(1.0))
    monkeypatch.setattr(priors, "AT_A_TIME", 16)
    with pytest.raises(fw.TimeUp, match="the weights of .* values of A=1, B=1 were listed"):
        fw.audit(release, law, "exact", max_seconds=3.0)
    four = fw.publish(np.full((4, 4), 8), margins=["A", "B"])
    with pytest.raises(fw.TimeUp, match="cells were eliminated|tables were enumerated"):
        fw.audit(four, "hypergeometric", "exact", max_seconds=3.0)
    with pytest.raises(fw.TimeUp, match="tables were counted"):
        fw.audit(four, "uniform", "exact", max_seconds=3.0)


def test_moves_and_schedules_take_no_more_than_there_is(monkeypatch):
    """A Graver basis and the lesson of a schedule; short ones are never broken off, so that little time gives an answer."""
    release = fw.publish(np.arange(27).reshape(3, 3, 3) % 4 + 1, margins=["A,B", "B,C", "A,C"])
    block = choose(support(release)).support.solved.blocks[0]
    with time_limit(1e-9):
        graver_basis(integer_kernel(block.A), block.upper - block.lower, 10**6)
    monkeypatch.setattr(graver, "AT_ONCE", -1)
    with time_limit(1e-9), pytest.raises(fw.TimeUp, match="while moves were looked for"):
        graver_basis(integer_kernel(block.A), block.upper - block.lower)
    monkeypatch.setattr(graver, "AT_ONCE", 10**12)
    monkeypatch.setattr(odds, "AT_ONCE", -1)
    weights = weights_on(support(release).weigh, block.columns, block.lower, block.upper)
    moves = Listed(
        graver_basis(integer_kernel(block.A), block.upper - block.lower), Certificate("unproven", "under test")
    )
    arrays, random = listed_arrays(moves, block, weights), streams(1, 1)[0]
    with time_limit(1e-9), pytest.raises(fw.TimeUp, match="while chains were tuned"):
        odds.learn_odds(arrays, weights, block.lower, block.upper, block.start.copy(), random, 1000)


def test_chains_get_what_is_left(monkeypatch):
    """Not what there was at the call: moves that took long to find are paid for."""
    monkeypatch.setattr(interruption, "time", Clock(0.0))
    assert time_for_chains() is None
    with time_limit(10.0):
        interruption.time.now = 6.0
        assert time_for_chains() == pytest.approx(0.9 * 4.0)
        with time_for_exact("auto"):
            assert time_left() == pytest.approx(2.0)
        with time_for_exact("exact"):
            assert time_left() == pytest.approx(4.0)
