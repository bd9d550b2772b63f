"""Chains as users meet them: the same tables wherever they run, saved and taken up, stopped, and honest about doubt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.cycles import cycles
from fiberwalk.posterior.belief import believe
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.run import Run, new_run
from fiberwalk.sampler.chains.settings import BATCHES, ChainSettings
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.estimate import Estimate, estimate

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
MASK = np.random.default_rng(3).random((6, 7)) < 0.6
GOLDEN_SWAPS = [72, 7, 5, 24, 113, 116, 26, 31, 13, 6, 46, 6, 22, 86, 16, 3]
GOLDEN_CYCLES = [2, 5, 8, 6, 2, 6, 4, 11, 2, 4, 1, 5, 4, 9, 1, 4, 1, 6, 11, 11, 0, 3, 6, 11, 6]
HOLES = np.random.default_rng(4).poisson(4.0, (6, 7))


def holey() -> fw.Release:
    return fw.suppress(HOLES, where=MASK)


def nothing(moves) -> sp.csr_array:
    return sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)


def hidden_cells(release: fw.Release, moves) -> sp.csr_array:
    _, rows, _ = release.listed()
    rows.resize(rows.shape[0], moves.support.solved.fiber.n_columns)
    return sp.csr_array(rows)


def same(one: Estimate, two: Estimate) -> bool:
    return all(
        np.array_equal(a.counted.counters[: a.counted.top[0]], b.counted.counters[: b.counted.top[0]])
        and np.array_equal(a.diagnosis.rhat, b.diagnosis.rhat)
        and np.array_equal(a.diagnosis.entropy_error, b.diagnosis.entropy_error)
        for a, b in zip(one.units, two.units, strict=True)
    )


# --- the same bits ---------------------------------------------------------------------------------------------------


def test_golden_draws_of_swaps():
    """Integers only: the same on every Python and machine, and they must never change unnoticed."""
    moves = choose(support(fw.publish(SNEE, ["A", "B"])))
    (unit,) = units_of(moves, nothing(moves))
    chain = Chain(unit, unit.start, streams(2026, 1)[0])
    chain.advance(unit, 1000)
    assert (chain.place.table + unit.offset).tolist() == GOLDEN_SWAPS


def test_golden_draws_of_cycles():
    moves = choose(support(holey()))
    (block,) = moves.support.solved.blocks
    moves = replace(moves, sets=(cycles(block),))  # so few would be listed
    (unit,) = units_of(moves, nothing(moves))
    chain = Chain(unit, unit.start, streams(2026, 1)[0])
    chain.advance(unit, 1000)
    assert (chain.place.table + unit.offset).tolist() == GOLDEN_CYCLES


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_one_thread_two_threads_and_processes_give_the_same_bits(law):
    draw = partial(fw.sample, holey(), law, draws=40, chains=3, seed=5)
    one = draw()
    with ThreadPoolExecutor(1) as threads:
        assert draw(executor=threads).equals(one)
    with ThreadPoolExecutor(2) as threads:
        assert draw(executor=threads).equals(one)
    if law == "uniform":
        import multiprocessing

        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
            assert draw(executor=processes).equals(one)
    assert not draw(seed=6).equals(one)


@pytest.mark.slow
def test_dask_gives_the_same_bits():
    import distributed

    release = holey()
    moves = choose(support(release))
    alone = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=5, tolerance=0.3))
    tables = fw.sample(release, draws=40, seed=5)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        there = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=5, tolerance=0.3, executor=executor))
        assert same(alone, there)
        assert fw.sample(release, draws=40, seed=5, executor=executor).equals(tables)


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_estimates_agree_with_exact_answers_within_their_error(law):
    release = holey()
    moves = choose(support(release, law))
    exact = believe(release, law)
    found = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=2, tolerance=0.02))
    assert found.converged
    assert found.certificate.word == "connected"
    assert "chains from far apart" in found.certificate.evidence[-1]
    assert "(A=" in found.certificate.evidence[-1]  # cells are named by their labels
    for question, pmf in enumerate(exact.pmfs):
        parts = found.marginals(question)
        if not parts:
            assert pmf.values.tolist() == [found.fixed[question]]
            continue
        (part,) = parts
        bits = -(pmf.probabilities * np.log2(pmf.probabilities)).sum()
        assert abs(part.entropy - bits) < max(5 * part.entropy_error, 0.05)
        p = np.zeros(len(pmf.p))
        for k in np.flatnonzero(part.p):
            p[part.first + k - pmf.first] = part.p[k]  # a value that cannot be would be out of range or raise
        assert abs(p - pmf.p).sum() < 0.05
        assert part.ess >= 400
        assert part.rhat < 1.01


def test_sums_over_one_block_and_over_several():
    release = fw.publish(np.random.default_rng(1).poisson(2.0, (2, 3, 3)), ["A,B", "A,C"])
    moves = choose(support(release))
    _, rows, _ = release.listed(["B,C"])
    rows.resize(rows.shape[0], moves.support.solved.fiber.n_columns)
    found = estimate(moves, sp.csr_array(rows), ChainSettings(seed=1, tolerance=0.2))
    exact = believe(release, hidden_margins=["B,C"])
    question = len(exact.pmfs) - 1  # a cell of B,C: a sum over both slices of A, which are blocks of their own
    parts = found.marginals(question)
    assert len(parts) == 2
    assert all(part.width == 1 for part in parts)
    total = np.convolve(parts[0].p, parts[1].p)
    first = parts[0].first + parts[1].first + int(found.fixed[question])
    pmf = exact.pmfs[question]
    for value, p in zip(pmf.values, pmf.probabilities, strict=True):
        assert total[value - first] == pytest.approx(p, abs=0.02)


@pytest.mark.slow
def test_joint_counts():
    release = fw.publish([[2, 1], [1, 2]], ["A", "B"])
    moves = choose(support(release, "hypergeometric"))
    found = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=1, tolerance=0.2), joint=[(0, 1), (0, 3)])
    row, diagonal = found.units[0].joint
    assert row.shape == (4, 4)
    assert row.sum() == pytest.approx(1)
    assert np.fliplr(row).diagonal() == pytest.approx([1 / 20, 9 / 20, 9 / 20, 1 / 20], abs=0.03)  # x + y = 3
    assert row.sum() == pytest.approx(np.fliplr(row).trace())
    assert diagonal.diagonal().sum() == pytest.approx(1)  # both cells of the diagonal are equal here
    two = fw.publish(np.full((2, 2, 2), 2), ["A,B", "A,C"])
    apart = choose(support(two))
    with pytest.raises(fw.InputError, match="cells of different blocks are independent"):
        estimate(apart, hidden_cells(two, apart), ChainSettings(), joint=[(0, 7)])
    decided = fw.suppress(
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]], where=[[True, True, False], [True, True, False], [False, False, True]]
    )
    some = choose(support(decided))
    with pytest.raises(fw.InputError, match="a cell that the published figures decide"):
        estimate(some, hidden_cells(decided, some), ChainSettings(), joint=[(0, 4)])


def test_magnitudes_in_the_millions_converge():
    table = np.random.default_rng(0).integers(1_000_000, 9_000_000, (4, 5))
    release = fw.publish(table, ["A", "B"])
    for law in ("uniform", "hypergeometric"):
        moves = choose(support(release, law))
        found = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=1, tolerance=0.5))
        assert found.converged
        one = found.marginals(0)[0]
        assert one.width > 1 or law == "hypergeometric"
        assert len(one.p) <= 1024
        mean = ((one.first + np.arange(len(one.p)) * one.width + (one.width - 1) / 2) * one.p).sum()
        if law == "hypergeometric":  # the mean of a hypergeometric cell
            expected = table[0].sum() * table[:, 0].sum() / table.sum()
            assert mean == pytest.approx(expected, rel=1e-3)


def test_a_wide_cell_with_holes_converges():
    table = np.random.default_rng(0).integers(1_000_000, 3_000_000, (5, 5))
    release = fw.suppress(table, where=np.random.default_rng(1).random((5, 5)) < 0.7)
    moves = choose(support(release))
    assert estimate(moves, hidden_cells(release, moves), ChainSettings(seed=1, tolerance=0.5)).converged


# --- saved, taken up, stopped ----------------------------------------------------------------------------------------


def test_a_run_that_was_killed_goes_on_with_the_same_bits(tmp_path):
    path = tmp_path / "run.pickle"
    code = textwrap.dedent(f"""
        import os, numpy as np, fiberwalk as fw
        looks = 0
        def progress(line):
            global looks
            looks += 1
            if looks == KILL_AT:
                os.kill(os.getpid(), 9)
        release = fw.suppress(np.array({HOLES.tolist()}), where=np.array({MASK.tolist()}))
        tables = fw.sample(release, draws=30, chains=2, seed=9, checkpoint={str(path)!r}, progress=progress)
        np.save({str(tmp_path / "tables.npy")!r}, tables["table"].values)
    """)
    first = subprocess.run([sys.executable, "-c", code.replace("KILL_AT", "3")], capture_output=True, text=True)
    assert first.returncode == -signal.SIGKILL, first.stderr
    assert path.exists()
    again = subprocess.run([sys.executable, "-c", code.replace("KILL_AT", "-1")], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    resumed = np.load(tmp_path / "tables.npy")
    assert np.array_equal(resumed, fw.sample(holey(), draws=30, chains=2, seed=9)["table"].values)


def test_a_checkpoint_of_other_work_is_refused(tmp_path):
    path = tmp_path / "run.pickle"
    fw.sample(holey(), draws=5, chains=2, seed=1, checkpoint=path)
    with pytest.raises(fw.InputError, match="belongs to another release, law, seed or version"):
        fw.sample(holey(), draws=5, chains=2, seed=2, checkpoint=path)
    path.write_bytes(b"not a pickle")
    with pytest.raises(fw.InputError, match="is no checkpoint of fiberwalk"):
        fw.sample(holey(), draws=5, chains=2, seed=1, checkpoint=path)
    with pytest.raises(fw.InputError, match="cannot be written"):
        fw.sample(holey(), draws=5, chains=2, seed=1, checkpoint=tmp_path / "no" / "folder")


def test_time_that_is_up_is_said():
    moves = choose(support(fw.publish(SNEE, ["A", "B"])))
    found = estimate(moves, nothing(moves), ChainSettings(tolerance=1e-9), max_seconds=0.2)
    assert not found.converged
    assert found.stopped == "its time was up"
    assert found.units[0].draws > 0


def test_ctrl_c_gives_what_there_is(monkeypatch):
    moves = choose(support(fw.publish(SNEE, ["A", "B"])))
    looks = []

    def progress(line: str) -> None:
        looks.append(line)
        if len(looks) == 3:
            signal.raise_signal(signal.SIGINT)

    found = estimate(moves, nothing(moves), ChainSettings(tolerance=1e-9), progress=progress)
    assert found.stopped == "it was interrupted"
    assert len(looks) == 3

    def later() -> None:
        time.sleep(0.4)
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as other:
        other.submit(later)
        found = estimate(moves, nothing(moves), ChainSettings(tolerance=1e-9, max_draws=1 << 26))
    assert found.stopped == "it was interrupted"
    assert found.units[0].draws > 0
    assert found.units[0].diagnosis.entropy_error.max() < 0.1  # of the last look, which was long ago


def test_ctrl_c_before_new_draws_is_no_second_look(monkeypatch):
    """The first look of these is good enough: a second one at the same draws would pass for the agreement of two."""
    moves = choose(support(fw.publish(SNEE, ["A", "B"])))
    further = Run._to_next_look

    def once(run, *how):
        if run.looks:
            raise KeyboardInterrupt
        further(run, *how)

    monkeypatch.setattr(Run, "_to_next_look", once)
    found = estimate(moves, nothing(moves), ChainSettings(tolerance=100.0))
    assert found.stopped == "it was interrupted"
    assert not found.converged


@pytest.mark.slow
def test_chains_that_never_agree_are_not_called_converged():
    """Many parts that no step joins: the negative control of the stop rule."""
    from dataclasses import replace

    from fiberwalk.base.certificate import Certificate
    from fiberwalk.moves.families.listed import Listed

    release = fw.publish(np.full((3, 3), 4), ["A", "B"])
    moves = choose(support(release))
    one_swap = sp.csr_array(np.array([[1, -1, 0, -1, 1, 0, 0, 0, 0]]))
    stuck = replace(moves, sets=(Listed(one_swap, Certificate("unproven", "one swap of nine")),))
    found = estimate(stuck, nothing(moves), ChainSettings(tolerance=1.0, max_draws=4096))
    assert not found.converged
    assert found.units[0].diagnosis.rhat.max() > 1.5


# --- batches ---------------------------------------------------------------------------------------------------------


def test_batches_are_joined_without_losing_anything():
    moves = choose(support(holey()))
    (unit,) = units_of(moves, nothing(moves))
    one, two = (Chain(unit, unit.start, streams(1, 1)[0]) for _ in range(2))
    for _ in range(BATCHES):
        one.advance_batch(unit, None)
        two.advance_batch(unit, None)
    two.join_batches()
    assert two.length == 2 * one.length
    assert two.batch == one.batch // 2
    assert two.sums[: two.batch].sum(axis=0) == pytest.approx(one.sums.sum(axis=0))
    assert two.squares[: two.batch].sum(axis=0) == pytest.approx(one.squares.sum(axis=0))


# --- what users get --------------------------------------------------------------------------------------------------


def test_every_sampled_table_agrees_with_the_release():
    release = holey()
    tables = fw.sample(release, draws=50, chains=2)["table"]
    assert tables.dims == ("chain", "draw", "A", "B")
    values = tables.values
    assert (values.sum(axis=2) == HOLES.sum(axis=0)).all()
    assert (values.sum(axis=3) == HOLES.sum(axis=1)).all()
    assert (values[:, :, ~MASK] == HOLES[~MASK]).all()
    assert np.issubdtype(values.dtype, np.integer)


def test_a_release_that_decides_everything_is_its_own_sample():
    release = fw.suppress([[1, 2], [3, 4]], where=[[True, False], [False, False]])
    tables = fw.sample(release, draws=3, chains=2)
    assert (tables["table"].values == [[1, 2], [3, 4]]).all()
    assert tables.attrs["certificate"] == "exact"


def test_decimals_come_back_in_their_unit():
    release = fw.suppress(
        fw.table(np.array([[1.5, 2.5, 3.0], [2.0, 4.5, 1.0], [3.5, 1.0, 2.0]]), decimals=1), where=np.ones((3, 3), bool)
    )
    tables = fw.sample(release, draws=20, chains=2)["table"]
    assert tables.sum("A").values[0, 0].tolist() == pytest.approx([7.0, 8.0, 6.0])


def test_wrong_arguments_are_named():
    release = holey()
    for wrong in (dict(draws=0), dict(chains=0), dict(thin=0), dict(draws=1.5), dict(draws=True)):
        with pytest.raises(fw.InputError, match=f"{next(iter(wrong))}=.*: a whole number of at least 1"):
            fw.sample(release, **wrong)
    with pytest.raises(fw.InputError, match="seed=-1: a whole number"):
        fw.sample(release, seed=-1)
    with pytest.raises(fw.InputError, match="a checkpoint needs a seed"):
        fw.sample(release, seed=None, checkpoint="x")
    with pytest.raises(fw.InputError, match="executor=3: an Executor"):
        fw.sample(release, executor=3)
    with pytest.raises(fw.InputError, match="there is no law 'unifrom'"):
        fw.sample(release, "unifrom")


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_chains_stop_soon_after_their_errors_are_small_enough(law):
    """Not at the next power of two, nor at a second one: errors are not half of what they may be."""
    release = holey()
    moves = choose(support(release, law))
    for seed in range(1, 5):
        done = estimate(moves, hidden_cells(release, moves), ChainSettings(seed=seed, tolerance=0.03))
        assert done.converged
        worst = 3 * max(unit.diagnosis.entropy_error.max() for unit in done.units)
        assert 0.6 * 0.03 < worst < 0.03


def test_looks_that_are_good_count_only_when_some_draws_lie_between():
    moves = choose(support(holey()))
    unit_run = new_run(moves, hidden_cells(holey(), moves), ChainSettings(tolerance=np.inf)).units[0]
    for batch, good, looks in ((16, True, 1), (17, True, 1), (18, True, 2), (20, False, 0), (64, True, 1)):
        unit_run.chains[0].batch = batch
        unit_run._count_looks(good)
        assert unit_run.good_looks == looks
