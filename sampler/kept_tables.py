"""Tables that are kept: draws of all units, thinned until they are nearly independent, put together to whole tables."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.plain_file import Damaged
from ..base.progress import Progress
from ..fiber.blocks.presolve import Presolved
from .chains.chain import Chain
from .chains.chain_state import whole_number
from .chains.checkpoint import save
from .chains.diagnostics import Diagnosis
from .chains.run import Run
from .chains.unit import Unit

MOST_THIN = 1000
"""The most draws from one kept to the next (thinning), where chains mix badly."""
PORTION = 4_000_000
"""Numbers that are kept at a time before they are packed."""


@dataclass(eq=False)
class Stored:
    """Chains after their warm-up, and the tables kept so far; it can be saved and goes on the same."""

    run: Run
    draws: int
    thin: list[int]
    """Draws from one kept to the next, for each unit."""
    tables: list[list[list[np.ndarray]]] = field(default_factory=list)
    """[unit][chain]: portions of kept draws, in the smallest integers that hold them."""
    done: int = 0

    @classmethod
    def after(cls, run: Run, draws: int, thin: int | None) -> Stored:
        """Go on from a warm-up."""
        for unit_run in run.units:
            for chain in unit_run.chains:
                chain.counts = False
        intervals = [
            thin if thin is not None else _enough(unit_run.draws * len(unit_run.chains), unit_run.diagnosis)
            for unit_run in run.units
        ]
        return cls(run, draws, intervals, [[[] for _ in unit_run.chains] for unit_run in run.units])

    @classmethod
    def begun(cls, run: Run) -> Stored:
        """As it is before a checkpoint is taken up: how many draws are kept and how far apart is said there."""
        return cls(run, 0, [])

    def state(self) -> dict[str, Any]:
        """Where the chains are, and the tables kept so far."""
        kept = {"draws": self.draws, "thin": self.thin, "tables": self.tables, "done": self.done}
        return {**self.run.state(), "kept": kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.run.restore(state)
        kept, units = state["kept"], self.run.units
        self.draws, self.done = whole_number(kept["draws"], 0), whole_number(kept["done"], 0)
        self.thin = [whole_number(interval, 1) for interval in kept["thin"]]
        self.tables = kept["tables"]
        shapes = [(self.done, len(unit_run.unit.columns)) for unit_run in units for _ in unit_run.chains]
        kept_shapes = [(sum(map(len, parts)), parts[0].shape[1]) for by_chain in self.tables for parts in by_chain]
        if len(self.thin) != len(units) or kept_shapes != shapes:
            raise Damaged

    def go_on(self, progress: Progress | None = None) -> None:
        """Keep draws until there are as many as wanted."""
        units, executor, checkpoint = self.run.units, self.run.settings.executor, self.run.settings.checkpoint
        if not units:
            self.done = self.draws
        n_chains = len(units[0].chains) if units else 1
        cells = max(1, sum(len(unit_run.unit.columns) for unit_run in units))
        with ExitStack() as stack:
            if executor is None:
                workers = min(n_chains, os.cpu_count() or 1)
                executor = stack.enter_context(ThreadPoolExecutor(max_workers=workers))
            while self.done < self.draws:
                portion = min(self.draws - self.done, max(1, PORTION // cells))
                tasks = [
                    executor.submit(
                        keep_draws,
                        [unit_run.unit for unit_run in units],
                        [unit_run.chains[c] for unit_run in units],
                        self.thin,
                        portion,
                    )
                    for c in range(n_chains)
                ]
                for c, task in enumerate(tasks):
                    chains, kept = task.result()
                    for k, unit_run in enumerate(units):
                        unit_run.chains[c] = chains[k]
                        self.tables[k][c].append(kept[k])
                self.done += portion
                if checkpoint is not None:
                    save(self, self.run.fingerprint, checkpoint)
                if progress is not None:
                    progress(f"{self.done:,} of {self.draws:,} tables of each chain")

    def begin_anew(self, draws: int) -> None:
        """Forget what was kept; the chains go on from where they are."""
        self.draws, self.done = draws, 0
        self.tables = [[[] for _ in unit_run.chains] for unit_run in self.run.units]

    def whole_tables(self, solved: Presolved) -> np.ndarray:
        """[chain, draw, cell]: the kept tables, with the cells that were decided all along."""
        n = solved.fiber.n_cells
        largest = max(
            [
                int(solved.start[:n].max(initial=0)),
                *(
                    int(portion.max(initial=0))
                    for by_unit in self.tables
                    for by_chain in by_unit
                    for portion in by_chain
                ),
            ]
        )
        whole = np.empty((self.run.settings.chains, self.draws, n), dtype=_smallest(largest))
        whole[:] = solved.start[:n]
        for unit_run, by_chain in zip(self.run.units, self.tables, strict=True):
            cells = np.flatnonzero((unit_run.unit.columns >= 0) & (unit_run.unit.columns < n))
            for c, portions in enumerate(by_chain):
                whole[c][:, unit_run.unit.columns[cells]] = np.concatenate(portions)[:, cells]
        return whole


def kept_bytes(solved: Presolved, draws: int) -> int:
    """What so many tables of one chain take at most: their open cells as they are kept, and twice the whole tables."""
    n = solved.fiber.n_cells
    cells = 2 * n + int((~solved.decided[:n]).sum())
    largest = max(int(solved.start[:n].max(initial=0)), *(int(block.upper.max()) for block in solved.blocks), 0)
    return draws * cells * np.dtype(_smallest(largest)).itemsize


def keep_draws(
    units: list[Unit], chains: list[Chain], thin: list[int], draws: int
) -> tuple[list[Chain], list[np.ndarray]]:
    """Kept draws of one chain of each unit: what an executor is given to do."""
    kept = []
    for unit, chain, interval in zip(units, chains, thin, strict=True):
        drawn = chain.keep(unit, np.arange(len(unit.columns)), draws, interval)
        kept.append(drawn.astype(_smallest(int(np.abs(drawn).max(initial=0)))))
    return chains, kept


def _smallest(largest: int) -> Any:
    return next((kind for kind in (np.int16, np.int32) if largest <= np.iinfo(kind).max), np.int64)


def _enough(draws: int, diagnosis: Diagnosis | None) -> int:
    """The thinning that makes kept draws nearly independent: draws over their effective sample size."""
    assert diagnosis is not None
    ess = float(np.min(diagnosis.ess, initial=draws))
    return int(np.clip(np.ceil(draws / max(ess, 1.0)), 1, MOST_THIN))
