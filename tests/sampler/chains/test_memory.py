"""What chains take: told beforehand, against what a run holds; and refused in words where it is too much."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.memory import chain_bytes, needed_bytes
from fiberwalk.sampler.chains.run import new_run
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels import stocked_moves
from fiberwalk.sampler.kernels.stocked_moves import MoveKernel


def some_hidden(shape, mean=20, share=0.3):
    rng = np.random.default_rng(3)
    return fw.suppress(rng.poisson(mean, shape), where=rng.random(shape) < share)


RING = ["A,B", "B,C", "C,D", "D,E", "E,F", "A,F"]
RELEASES = {
    "complete": lambda: fw.publish(np.random.default_rng(1).poisson(4, (30, 40)), ["A", "B"]),
    "hidden cells": lambda: some_hidden((40, 40)),
    "few hidden cells": lambda: some_hidden((80, 80), share=0.05),
    "wide": lambda: fw.publish(np.random.default_rng(1).integers(0, 10**6, (12, 12)), ["A", "B"]),
    "three-way": lambda: fw.publish(np.random.default_rng(1).poisson(3, (5, 5, 5)), ["A,B", "B,C", "A,C"]),
    "six dims": lambda: fw.publish(np.random.default_rng(1).poisson(3, (2,) * 6), RING),
}  # fmt: skip


def arrays_in(thing, seen):
    """The bytes of all arrays that can be reached from something, each once."""
    if id(thing) in seen:
        return 0
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        return thing.nbytes if thing.base is None else arrays_in(thing.base, seen)
    if sp.issparse(thing):
        return sum(arrays_in(one, seen) for one in (thing.data, thing.indices, thing.indptr))
    if isinstance(thing, (tuple, list)):
        return sum(arrays_in(one, seen) for one in thing)
    if isinstance(thing, dict):
        return sum(arrays_in(one, seen) for one in thing.values())
    if dataclasses.is_dataclass(thing) or hasattr(thing, "__dict__"):
        return sum(arrays_in(one, seen) for one in vars(thing).values()) if hasattr(thing, "__dict__") else 0
    return 0


def questions_of(moves):
    return sp.csr_array(sp.eye_array(moves.support.solved.fiber.n_columns, dtype=np.int64))


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
@pytest.mark.parametrize("name", RELEASES)
def test_what_is_told_is_more_than_what_is_taken_and_not_much_more(name, law):
    moves = choose(support(RELEASES[name](), law))
    run = new_run(moves, questions_of(moves), ChainSettings(seed=1, chains=3, tolerance=0.5, max_draws=1024))
    units = [one.unit for one in run.units]
    told = needed_bytes(units, 3)
    seen: dict = {}
    arrays_in(units, seen)  # what all chains share was there before them
    new_run(moves, questions_of(moves), dataclasses.replace(run.settings, seed=2)).go_on()  # all is compiled now
    tracemalloc.start()
    run.go_on()
    grown = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    chains = [chain for one in run.units for chain in one.chains]
    held = arrays_in(chains, seen)
    limits = sum(chain_bytes(unit) for unit in units) * 3
    assert held <= limits
    assert held >= 0.15 * (limits - 1_000_000 * len(chains))
    # what was allocated on the way, besides what the chains held when they began (for the most part batches of zeros)
    assert grown <= told


def test_memory_does_not_grow_with_the_draws():
    moves = choose(support(some_hidden((25, 25))))
    sizes = []
    for draws in (2048, 16384):
        run = new_run(moves, questions_of(moves), ChainSettings(seed=1, chains=2, tolerance=1e-9, max_draws=draws))
        run.go_on()
        sizes.append(arrays_in([one.chains for one in run.units], {}))
    assert sizes[1] < 1.5 * sizes[0]


def test_chains_that_do_not_fit_are_refused_before_they_start_with_what_would_fit():
    release = fw.publish(np.random.default_rng(1).poisson(4, (30, 40)), ["A", "B"])
    moves = choose(support(release, "uniform"))
    units = units_of(moves, questions_of(moves))
    four, two = (needed_bytes(units, n) for n in (4, 2))
    with pytest.raises(fw.TooLarge) as error:
        fw.audit(release, method="chains", memory=two + 100_000, max_draws=1024)
    said = str(error.value)
    assert said.startswith(f"4 chains on 1,200 open cells and sums would take up to {four:,} bytes of memory, and ")
    assert "or ask for chains=2 (--chains 2), which fit" in said
    allowed = int(float(said.split("memory=")[1].split()[0]))
    assert four <= allowed <= 1.1 * four
    assert fw.audit(release, method="chains", memory=allowed, max_draws=1024).belief.stopped == ""
    assert fw.audit(release, method="chains", memory=two + 100_000, chains=2, max_draws=1024).belief.stopped == ""
    with pytest.raises(
        fw.TooLarge, match=r"and 1,000 are allowed\. Allow memory=\S+ \(--memory \S+\) if there is as much; "
    ):
        fw.audit(release, method="chains", memory=1000, max_draws=1024)


def test_a_table_of_a_million_cells_with_5_percent_hidden_needs_little():
    """Long cycles once took room for as many of the longest as a draw has steps: 1.5 GiB for each chain."""
    release = some_hidden((400, 400), share=0.05)
    moves = choose(support(release))
    (unit,) = [one for one in units_of(moves, questions_of(moves)) if len(one.columns) > 1000]
    kernel = max(unit.kernels, key=lambda one: one.longest())
    assert isinstance(kernel, MoveKernel)
    n = len(unit.columns)
    assert kernel.steps(n) * kernel.longest() > 1_000_000
    assert unit.most_waiting <= 100_000 + 6 * n


def test_little_room_to_wait_changes_no_draw_and_no_count(monkeypatch):
    moves = choose(support(some_hidden((60, 60), share=0.05)))
    (whole,) = [one for one in units_of(moves, questions_of(moves)) if len(one.columns) > 30]
    # walks along moves of fixed lengths stop for want of room at the end of a draw only, and need more of it
    stocked = tuple(kernel for kernel in whole.kernels if isinstance(kernel, stocked_moves.MoveKernel))
    unit = dataclasses.replace(whole, kernels=stocked, shares=(1,) * len(stocked), stretch=(1,) * len(stocked))

    def walked(room):
        monkeypatch.setattr(stocked_moves, "LEAST_WAITING", room)
        chain = Chain(unit, unit.start, np.random.default_rng(1).integers(1, 2**62, 4).astype(np.uint64))
        chain.advance(unit, 300)
        return chain

    wide, narrow = walked(100_000), walked(-(10**9))
    assert len(narrow.tally.waiting) < len(wide.tally.waiting)
    assert np.array_equal(wide.place.table, narrow.place.table)
    assert np.array_equal(wide.tally.windows.credits, narrow.tally.windows.credits)
    assert np.array_equal(wide.tally.sums, narrow.tally.sums)


def test_tables_that_are_kept_count_too():
    release = fw.publish(np.full((6, 7), 5), ["A", "B"])
    fw.sample(release, draws=10, chains=2, memory=5e7)
    refused = "2 chains on 42 .* would take up to .* Allow memory=.*; draw fewer tables; publish or leave"
    with pytest.raises(fw.TooLarge, match=refused):
        fw.sample(release, draws=1_000_000, chains=2, memory=50_000_000)
    with pytest.raises(fw.InputError, match="memory=0.5: the most bytes, a whole number of at least 1"):
        fw.sample(release, memory=0.5)
