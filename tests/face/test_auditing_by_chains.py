"""Audits by chains: right where the truth can be counted, honest about their errors, and never quietly unfinished."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from support.places import BENCH

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.bases.known_bases import expand, known_basis
from fiberwalk.moves.chooser import choose
from fiberwalk.posterior.belief import believe
from fiberwalk.posterior.parts.pmf import Pmf
from fiberwalk.posterior.parts.sampled import within
from fiberwalk.posterior.parts.sums import added
from fiberwalk.report.printed_sections import failures
from fiberwalk.sampler.chains.run import Run, new_run
from fiberwalk.sampler.chains.settings import ChainSettings

sys.path.append(str(BENCH))

from verification import calibration, three_way

HOLES = np.random.default_rng(4).poisson(4.0, (6, 7))
MASK = np.random.default_rng(3).random((6, 7)) < 0.6


def two_blocks() -> fw.Release:
    """Two squares of hidden cells that have nothing to do with each other."""
    table = np.array([[3, 5, 9, 9], [6, 2, 9, 9], [9, 9, 4, 7], [9, 9, 1, 8]])
    hidden = np.zeros((4, 4), dtype=bool)
    hidden[:2, :2] = hidden[2:, 2:] = True
    return fw.suppress(table, where=hidden)


# --- the truth -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_entropies_of_the_three_way_table_agree_with_a_count_by_slices():
    table = fw.examples.dfkpr01().table
    release = fw.publish(table, margins=["I,J", "J,K", "I,K"])
    tables, truth = three_way.true_entropies(np.asarray(table.values))
    assert tables == fw.count(release)
    for law, entropies in zip(("uniform", "hypergeometric"), truth, strict=True):
        audit = fw.audit(release, law, method="chains")
        found = audit.cells["entropy"].to_xarray().transpose(*table.dims).reindex_like(table).to_numpy()
        assert np.abs(found - entropies).max() < 0.02
        assert audit.converged
        assert audit.certificate.word == "connected"
        assert set(audit.cells["method"]) == {"chains"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:law 'hypergeometric'")
def test_stated_errors_are_the_errors_made():
    """A thousand releases are in `make verify`; with errors a third as large this fails, as it should."""
    found = calibration.put_together(calibration.calibrated(7, k) for k in range(12))
    assert 0.9 < found.share("p", 2) < 0.995
    assert found.share("mean", 2) > 0.88
    assert found.share("entropy", 2) > 0.95
    assert found.share("p", 2 / 3) < 0.9
    assert found.bounds_differ == 0
    assert found.not_converged == 0


def hard_pairs() -> list[np.ndarray]:
    """Moves that join two tables which nothing else joins: one of each number of cells, of two shapes."""
    found = {}
    for shape in ((3, 3, 3), (3, 3, 4), (3, 4, 4)):
        basis = known_basis(shape, ((0, 1), (0, 2), (1, 2)))
        for move in expand(basis.plus, basis.minus, shape).toarray():
            found.setdefault((shape, int(np.abs(move).sum())), move.reshape(shape))
    return list(found.values())


def test_two_tables_that_one_hard_move_joins_have_probability_one_half_each():
    pairs = hard_pairs()
    assert len(pairs) > 6
    for move in pairs:
        release = fw.publish(np.maximum(move, 0), margins=["A,B", "A,C", "B,C"])
        assert fw.count(release) == 2
        audit = fw.audit(release, method="chains")
        assert audit.certificate.word == "connected"
        open_cells = audit.cells[audit.cells["support"] > 1]
        assert len(open_cells) == np.count_nonzero(move)
        assert (np.abs(open_cells["p_modal"] - 0.5) < 0.02).all()


def test_a_sum_over_a_solved_and_a_sampled_block_is_put_together():
    release = two_blocks()
    margins = ["A", ""]
    exact = fw.audit(release, method="exact", hidden_margins=margins)
    first = believe(release, method="exact")
    # One block is known already, the other is left to the chains.
    known = {}
    believe(release, hidden_margins=margins, known=known)
    (kept,) = [mark for mark, one in known.items() if one.tables == min(v.tables for v in known.values())][:1]
    mixed = believe(release, hidden_margins=margins, method="chains", known={kept: known[kept]})
    assert mixed.tables is None
    assert {one.method for one in mixed.pmfs} == {"exact", "chains"}
    assert "1 of 2 independent blocks were solved exactly" in " ".join(mixed.certificate.evidence)
    assert len(first.pmfs) == 8
    for one, other in zip(mixed.pmfs, exact.belief.pmfs, strict=True):
        assert (one.lower, one.upper, one.support) == (other.lower, other.upper, other.support)
        assert np.abs(one.p - other.p).max() < 5 * one.errors.max() + 1e-12
        assert abs(one.entropy - other.entropy) < 5 * one.entropy_error + 1e-12


def test_sums_of_parts_in_bins():
    """Parts in bins of four and of one: the sum is right on average and in spread, in bins of four."""
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(50)), rng.dirichlet(np.ones(30))
    one = Pmf(0, p, np.ones(50, bool), 0, 199, 200, 7.0, width=4, method="chains", ess=900.0, rhat=1.0)
    two = Pmf.exact(7, q, np.ones(30, dtype=bool))
    total = added(100, [one, *[two] * 20])
    assert total.width == 4
    assert (total.lower, total.upper) == (240, 1019)
    assert total.method == "chains"
    assert total.mean == pytest.approx(100 + one.mean + 20 * two.mean)
    variance = [
        float((v**2 * some).sum() - (v * some).sum() ** 2) for v, some in ((np.arange(50) * 4, p), (np.arange(30), q))
    ]
    bins = np.arange(len(total.p)) * 4
    spread = float((bins**2 * total.p).sum() - (bins * total.p).sum() ** 2)
    assert spread == pytest.approx(variance[0] + 20 * variance[1], rel=0.01)
    assert total.p.sum() == pytest.approx(1)
    assert total.ess == 900
    assert total.entropy_error > 0


def test_magnitudes_in_the_billions_are_counted_in_bins():
    release = fw.publish([[3_000_000_000, 4_000_000_000], [5_000_000_000, 6_000_000_000]], ["A", "B"])
    assert fw.audit(release).cells.loc[("1", "1"), "entropy"] == pytest.approx(np.log2(7e9 + 1))  # on one line: exactly
    audit = fw.audit(release, method="chains")
    row = audit.cells.loc[("1", "1")]
    assert (row["lower"], row["upper"], row["support"]) == (0, 7_000_000_000, 7_000_000_001)
    assert row["entropy"] == pytest.approx(np.log2(7e9), abs=0.02)  # all values alike, whatever the bins
    assert row["mean"] == pytest.approx(3.5e9, rel=0.02)
    pmf = audit.belief.pmfs[0]
    assert pmf.width > 1
    assert len(pmf.p) <= 1024
    assert pmf.between(0, 1_750_000_000) == pytest.approx(0.25, abs=0.01)
    low, high = pmf.shortest(0.9)
    assert 0.88 * 7e9 < high - low < 0.93 * 7e9


def test_excluded_values_are_told_from_values_that_were_not_seen():
    table = [[2, 3, 4], [3, 2, 5], [4, 4, 1]]
    release = fw.publish(table, ["A", "B"])
    even = np.where(np.arange(30) % 2 == 0, 0.0, -np.inf)
    evidence = fw.protect.Evidence(np.array([0]), np.array([1]), 0, even, "it is even")
    seen = replace(release, evidence=(evidence,))
    exact, sampled = fw.audit(seen, method="exact"), fw.audit(seen, method="chains", tolerance=0.1)
    one, other = sampled.belief.pmfs[0], exact.belief.pmfs[0]
    assert one.values.tolist() == other.values.tolist()
    assert one.support == other.support
    assert not one.sharp
    assert np.abs(one.probabilities - other.probabilities).max() < 0.03


# --- the same bits everywhere ----------------------------------------------------------------------------------------


def page(tmp_path: Path, name: str, **how) -> bytes:
    release = fw.suppress(HOLES, where=MASK)
    fw.audit(release, method="chains", seed=3, tolerance=0.2, **how).to_html(tmp_path / name)
    return (tmp_path / name).read_bytes()


@pytest.mark.slow
def test_the_same_report_on_one_thread_two_threads_and_processes(tmp_path):
    here = page(tmp_path, "here.html")
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        assert page(tmp_path, "one.html", executor=one) == here
        assert page(tmp_path, "two.html", executor=two) == here
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert page(tmp_path, "processes.html", executor=processes) == here


COMMAND = [sys.executable, "-m", "fiberwalk", "audit"]


def written(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    fw.suppress(HOLES, where=MASK).to_file(path)
    return path


def command(tmp_path: Path, *words: str) -> list[str]:
    return [*COMMAND, str(written(tmp_path)), "--method", "chains", "--seed", "3", *words]


@pytest.mark.slow
def test_the_same_report_on_a_dask_cluster_by_the_command_line(tmp_path):
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for name, words in (("a.html", ["--threads", "1"]), ("b.html", [f"--cluster={cluster.scheduler_address}"])):
            line = command(tmp_path, "--tolerance", "0.2", *words)
            subprocess.run([*line, "--html", str(tmp_path / "page.html")], check=True, capture_output=True)
            (tmp_path / "page.html").rename(tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert b"--threads" not in (tmp_path / "a.html").read_bytes()


@pytest.mark.slow
def test_killed_in_mid_run_and_taken_up_again_gives_the_same_report(tmp_path):
    words = ["--tolerance", "0.03", "--html", str(tmp_path / "page.html")]
    subprocess.run(command(tmp_path, *words), check=True, capture_output=True)
    unbroken = (tmp_path / "page.html").read_bytes()
    (tmp_path / "page.html").unlink()
    saved = tmp_path / "chains"
    line = command(tmp_path, *words, "--checkpoint", str(saved))
    killed = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not saved.exists() and killed.poll() is None:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "page.html").exists()
    subprocess.run(line, check=True, capture_output=True)
    assert (tmp_path / "page.html").read_bytes() == unbroken


@pytest.mark.slow
def test_ctrl_c_gives_the_result_so_far(tmp_path):
    line = command(tmp_path, "--tolerance", "0.0001", "--html", str(tmp_path / "page.html"), "--checkpoint", "c")
    going = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    while not (tmp_path / "c").exists() and going.poll() is None:
        time.sleep(0.01)
    going.send_signal(signal.SIGINT)
    out, problems = going.communicate(timeout=1200)
    assert going.returncode == 0, problems
    assert "NOT CONVERGED (it was interrupted)" in out
    assert "not converged" in (tmp_path / "page.html").read_text(encoding="utf-8").lower()


# --- unfinished work and full disks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{"max_draws": 1024}, {"max_seconds": 1e-9}])
def test_unfinished_chains_say_so_wherever_they_are_shown(how, tmp_path, capsys):
    audit = fw.audit(fw.suppress(HOLES, where=MASK), method="chains", **how)
    assert not audit.converged
    assert "NOT CONVERGED" in repr(audit)
    assert not audit.cells["converged"].all()
    audit.to_html(tmp_path / "a.html")
    assert "not converged" in (tmp_path / "a.html").read_text(encoding="utf-8").lower()
    assert (audit.stopped != "") == ("max_seconds" in how)


def test_interrupted_just_after_a_start_was_discarded(monkeypatch):
    """The chains have no draws that count then; what the last look saw is told."""
    release = fw.suppress(HOLES, where=MASK)
    further = Run._to_next_look

    def until_discarded(run, *how):
        if run.looks:
            run.units[0].chains[0].batch = 0
            raise KeyboardInterrupt
        further(run, *how)

    monkeypatch.setattr(Run, "_to_next_look", until_discarded)
    audit = fw.audit(release, method="chains")
    assert audit.stopped == "it was interrupted"
    assert not audit.converged
    assert np.isfinite(audit.cells["entropy"]).all()


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_report_untouched(tmp_path):
    """The file system refuses files beyond some size, as a full one does."""
    import resource

    report = tmp_path / "page.html"
    report.write_text("the old report")
    line = [*COMMAND, str(written(tmp_path)), "--method", "chains", "--max-draws", "1024", "--html", str(report)]

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(line, capture_output=True, text=True, preexec_fn=small_files, env=os.environ)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "page.html: the file cannot be written" in done.stderr
    assert report.read_text() == "the old report"
    assert [one.name for one in tmp_path.iterdir() if "page" in one.name] == ["page.html"]


def test_a_checkpoint_that_cannot_be_written_is_refused_in_words(tmp_path):
    with pytest.raises(fw.InputError, match="no/c: the file cannot be written .there is no folder"):
        fw.audit(fw.suppress(HOLES, where=MASK), method="chains", checkpoint=tmp_path / "no" / "c")


def test_progress_tells_draws_errors_and_time_left():
    lines = []
    fw.audit(fw.suppress(HOLES, where=MASK), method="chains", tolerance=0.05, progress=lines.append)
    looks = [line for line in lines if line.startswith("[")]
    assert all(part in looks[1] for part in ("%", "draws a chain", "R-hat", "entropy error", "(wanted 0.05)", "left"))
    assert lines[-1].startswith(("all 1 sampled blocks done", "bounds of cells and sums"))


def test_a_script_that_asks_for_a_limit_fails_where_it_is_not_settled():
    audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    doubtful = replace(audit, belief=replace(audit.belief, stopped="it was interrupted"))
    assert failures(audit, above=9.0, on_disclosure=False) == []
    (why,) = failures(doubtful, above=9.0, on_disclosure=True)
    assert why == "NOT CONVERGED (it was interrupted): this does not rule out that a cell is at risk."


def test_sampled_laws_within_their_bounds():
    """One value is known, whatever chains saw; bins beyond the bounds go into the last one; gaps of a sum do no harm."""
    seen = Pmf(
        5, np.ones(1), np.ones(1, bool), 5, 5, 1, 0.0, method="chains", ess=90.0, p_error=np.ones(1), converged=False
    )
    known = within(seen, 5, 5, True, None)
    assert (known.method, known.certificate.word, known.converged) == ("exact", "exact", True)
    wide = Pmf(
        0, np.array([0.1, 0.4, 0.3, 0.2]), np.ones(4, bool), 0, 39, 40, 5.0, width=10, method="chains", ess=90.0,
        p_error=np.ones(4),
    )  # fmt: skip
    cut = within(wide, 12, 25, True, None)
    assert cut.between(12, 25) == pytest.approx(1)
    assert cut.mean == pytest.approx(0.5 * 15.5 + 0.5 * 22.5)
    gaps = added(0, [seen, Pmf.exact(0, np.array([0.5, 0.0, 0.5]), np.array([True, False, True]))])
    assert within(gaps, 4, 8, True, None).p.tolist() == [0, 0.5, 0, 0.5, 0]


def test_sums_over_blocks_are_settled_too_and_known_ones_not_asked():
    """Blocks go on until what is put together from them is known well enough; a margin that is known is no doubt."""
    table = np.random.default_rng(2).poisson(1.0, (2, 3, 4))
    release = fw.publish(table, margins=["A,C", "B,C"])
    alone = fw.audit(release, method="chains", progress=False)
    audit = fw.audit(release, method="chains", hidden_margins=["A,B", "A"], progress=False)
    cells = audit.cells.drop(index=alone.cells.index)
    asked = cells[cells["method"] == "chains"]
    assert len(asked) == 6
    assert asked["ess"].min() > alone.cells["ess"].min()
    assert audit.converged
    assert (3 * asked["entropy_mcse"] < 0.02).all()
    known = cells[cells["method"] == "exact"]
    assert sorted(known["lower"]) == sorted(table.sum(axis=(1, 2)))
    assert "never moved" not in " ".join(audit.certificate.evidence)


def test_where_chains_start_is_forgotten():
    """Chains start at far tables, which may be very improbable: these do not count, wherever a run is stopped."""
    release = fw.publish([[5, 2, 1], [2, 5, 3], [1, 1, 6]], margins=["A", "B"])
    law = fw.laws.expected(0.1 + 49.9 * np.eye(3))
    exact = fw.audit(release, law).belief.pmfs
    for draws in (2048, 8192):
        found = believe(release, law, method="chains", settings=ChainSettings(max_draws=draws)).pmfs
        for one, other in zip(found, exact, strict=True):
            assert abs(one.mean - other.mean) < 4 * one.mean_error
    cells = sp.csr_array(np.eye(9, dtype=np.int64))
    with ThreadPoolExecutor(1) as threads:
        run = new_run(choose(support(release, law)), cells, ChainSettings(seed=1, chains=2, executor=threads))
        run.go_on(max_seconds=1e-9)
        assert run.stopped
        assert run.units[0].draws == run.units[0].looked_at > 0
