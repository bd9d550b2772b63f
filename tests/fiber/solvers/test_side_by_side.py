"""Independent work on threads and elsewhere: the same answers, and nothing goes on after what failed."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from support.elsewhere import Elsewhere

import fiberwalk as fw
from fiberwalk.base.interruption import check_time, time_left, time_limit
from fiberwalk.fiber.exact import elimination_bytes
from fiberwalk.fiber.solvers.side_by_side import side_by_side


def squared(number: int) -> int:
    return number * number


def seconds_left(_: int) -> float | None:
    return time_left()


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(1), ThreadPoolExecutor(3), Elsewhere()])
@pytest.mark.parametrize("jobs", [[], [3], list(range(20))])
def test_results_come_in_the_order_of_the_jobs(jobs, executor):
    assert side_by_side(squared, jobs, executor) == [job * job for job in jobs]


def test_other_places_keep_to_the_time_that_is_left():
    assert side_by_side(seconds_left, [1, 2], Elsewhere()) == [None, None]
    with time_limit(100.0):
        left = side_by_side(seconds_left, [1, 2], Elsewhere())
        assert all(0.0 < seconds <= 100.0 for seconds in left)
        assert all(0.0 < seconds <= 100.0 for seconds in side_by_side(seconds_left, [1, 2]))


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("problem", [fw.TooLarge, KeyboardInterrupt])
def test_what_fails_ends_the_others(problem, failing):
    begun, ended = threading.Event(), []

    def work(job: int) -> None:
        if job == failing:
            begun.wait(60)
            raise problem("no")
        begun.set()
        while True:  # it would go on for ever
            try:
                check_time("others failed")
            except fw.TimeUp:
                ended.append(job)
                raise

    with ThreadPoolExecutor(2) as threads, pytest.raises(problem):
        side_by_side(work, [0, 1], threads)
    assert ended == [1 - failing]
    check_time("the limit was that of the others alone")


# --- what an audit has done elsewhere --------------------------------------------------------------------------------


def two_blocks() -> fw.Release:
    """Cells of which those of the two halves have nothing to do with each other."""
    rng = np.random.default_rng(3)
    table = rng.poisson(4, (8, 8))
    hidden = np.zeros((8, 8), dtype=bool)
    hidden[:4, :4] = hidden[4:, 4:] = True
    return fw.suppress(table, where=hidden)


def test_exact_blocks_are_solved_elsewhere():
    release = two_blocks()
    here, there = fw.audit(release, "hypergeometric", "exact"), Elsewhere()
    assert fw.audit(release, "hypergeometric", "exact", executor=there).cells.equals(here.cells)
    assert there.ran == ["_attempted", "_attempted"]


def test_bounds_are_found_elsewhere():
    release = fw.publish(np.random.default_rng(4).poisson(2, (3, 4, 5)), ["A,B", "A,C", "B,C"])
    how = {"method": "chains", "max_draws": 2048}
    here, there = fw.audit(release, **how), Elsewhere()
    audit = fw.audit(release, executor=there, **how)
    assert audit.cells.equals(here.cells)
    assert set(there.ran) == {"advance_chains", "_bounds_in_block"}


def test_somebody_who_waits_for_what_is_done_elsewhere_is_told_what_it_is():
    lines: list[str] = []
    fw.audit(two_blocks(), "hypergeometric", "exact", executor=Elsewhere(), progress=lines.append)
    assert lines[:2] == ["block 1 of 2: 16 cells", "block 2 of 2: 16 cells"]
    lines.clear()
    fw.audit(two_blocks(), method="chains", max_draws=2048, executor=Elsewhere(), progress=lines.append)
    assert lines[-1] == "bounds of cells and sums: 0 of 32"


@pytest.mark.slow
def test_processes_give_the_same_answers():
    release = two_blocks()
    cube = fw.publish(np.random.default_rng(4).poisson(2, (3, 4, 5)), ["A,B", "A,C", "B,C"])
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as there:
        assert fw.audit(release, method="exact", executor=there).cells.equals(fw.audit(release, method="exact").cells)
        how = {"method": "chains", "max_draws": 2048}
        assert fw.audit(cube, executor=there, **how).cells.equals(fw.audit(cube, **how).cells)


def test_a_block_that_cannot_be_solved_ends_an_exact_audit():
    table = np.random.default_rng(5).poisson(6, (16, 16))
    hidden = np.zeros((16, 16), dtype=bool)
    hidden[:4, :4] = hidden[4:, 4:] = True
    for executor in (None, Elsewhere()):
        with pytest.raises(fw.TooLarge, match="cannot be solved exactly.*144 cells"):
            fw.audit(fw.suppress(table, where=hidden), "hypergeometric", "exact", limit=10**9, executor=executor)


def test_large_eliminations_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(elimination_bytes, "LARGE", 1000)
    at_once, most = [0, 0], [0, 0]
    lock, together = threading.Lock(), threading.Barrier(2)

    def eliminated(bytes_in_all: int) -> None:
        large = int(bytes_in_all > 1000)
        with elimination_bytes.one_large_at_a_time() as claim:
            claim(bytes_in_all)
            with lock:
                at_once[large] += 1
                most[large] = max(most[large], at_once[large])
            if not large:
                together.wait(60)  # small ones are side by side
            claim(bytes_in_all)  # again, by the same
            with lock:
                at_once[large] -= 1

    with ThreadPoolExecutor(4) as threads:
        side_by_side(eliminated, [10, 10], threads)
        side_by_side(eliminated, [5000] * 50, threads)
    assert most == [2, 1]


def test_waiting_for_a_large_elimination_ends_with_the_time(monkeypatch):
    monkeypatch.setattr(elimination_bytes, "WAIT", 0.001)
    with elimination_bytes._THE_LARGE_ONE, elimination_bytes.one_large_at_a_time() as claim, time_limit(1e-9):
        claim(10)
        with pytest.raises(fw.TimeUp, match="cells were eliminated"):
            claim(10**9)
