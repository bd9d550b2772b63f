"""What the end of a hidden path tells of its beginning: each group of squares exactly where it is small, else by chains."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import InputError, TooLarge
from ...base.jit import own_sources
from ...base.progress import Progress
from ...base.saved_forms import saved
from ...fiber.equations.sparse import rows_through
from ...fiber.exact.solved import Budget
from ...fiber.laws.support import NO_TABLE, Support
from ...sampler.chains.checkpoint import load, take_up
from ...sampler.chains.memory import refuse_what_does_not_fit
from ...sampler.chains.run import Run
from ...sampler.chains.settings import ChainSettings
from ...sampler.chains.unit import Unit
from ...sampler.estimate import Estimate, UnitEstimate, estimate_by
from ..parts.answered import Answered, BlockAnswer, open_questions
from ..parts.pmf import Pmf
from ..parts.sampled import pmf_of, short_of, time_for_chains
from .exact_path import exact_likelihood
from .path_groups import PathGroup, incidence, path_groups
from .path_kernel import PathKernel
from .path_unit import is_path, path_runs, path_unit
from .paths import HiddenPaths

WORK_PER_TABLE = 20_000
"""Operations that a table takes at a step, for what a budget allows of exact sums over paths."""


@saved("PathBelief")
@dataclass(frozen=True, eq=False)
class PathBelief:
    """What is believed of theta and of the steps that led to the published table."""

    corners: np.ndarray
    """[square, 2, dim]: the labels (numbers of nodes) of the top-left and the bottom-right cell."""
    order_known: bool
    steps: tuple[Pmf | None, ...]
    """By how much the top-left cell of each square grew; None where it cannot be told from that of others."""
    thetas: np.ndarray
    theta_prior: np.ndarray
    theta: np.ndarray
    """How probable each theta is given the published table, and the standard error of that."""
    theta_error: np.ndarray


def by_paths(
    paths: HiddenPaths,
    support: Support,
    picked: Any,
    method: str,
    budget: Budget,
    settings: ChainSettings,
    progress: Progress | None,
) -> Answered:
    """The laws of all questions, each group of squares by itself."""
    if any(len(item.cells) > 1 for item in support.release.evidence):
        raise InputError("a hidden path cannot be read together with figures of sums that a random method published.")
    questions = open_questions(support, picked)
    so_far = _SoFar(
        parts=[[] for _ in range(picked.shape[0])],
        steps=[None] * len(paths.squares),
        theta=paths.theta_prior,
        theta_error=np.zeros(len(paths.thetas)),
    )
    left: list[PathGroup] = []
    for group in path_groups(paths, support):
        if progress is not None:
            progress(f"paths through {len(group.squares)} squares and {len(group.cells)} cells")
        try:
            if method == "chains" and not group.decided:
                raise TooLarge("chains are asked for.")
            so_far.add_exact(group, *_exactly(paths, group, support, questions, budget))
        except TooLarge:
            if method == "exact":
                raise
            # where its cells are known there is nothing to sample, unless its steps tell of theta
            if not group.decided or len(paths.thetas) > 1:
                left.append(group)
    evidence: tuple[str, ...] = ()
    stopped = ""
    if left:
        run = _taken_up(paths, left, support, questions, settings)
        sampled = estimate_by(
            run,
            paths.release,
            np.zeros(picked.shape[0]),
            max_seconds=time_for_chains(),
            progress=progress,
            short=lambda estimated: short_of(estimated, so_far.parts, settings.tolerance),
        )
        so_far.add_sampled(left, sampled, len(paths.thetas))
        evidence, stopped = sampled.certificate.evidence, sampled.stopped
    keys = paths.release.keys[paths.squares.cells[:, [0, 3]]]
    path = PathBelief(
        keys, paths.order_known, tuple(so_far.steps), paths.thetas, paths.theta_prior, so_far.theta, so_far.theta_error
    )
    return Answered(so_far.parts, so_far.answers, evidence, stopped, path)


@dataclass(eq=False)
class _SoFar:
    """What is known so far of questions, of steps and of theta, one group of squares after the other."""

    parts: list[list[Pmf]]
    steps: list[Pmf | None]
    theta: np.ndarray
    theta_error: np.ndarray
    answers: list[BlockAnswer] = field(default_factory=list)

    def add_exact(self, group: PathGroup, asked: np.ndarray, exact: _Exact) -> None:
        """A group that is solved."""
        for row, pmf in zip(asked, exact.pmfs, strict=True):
            self.parts[row].append(pmf)
        self.answers.append(BlockAnswer(exact.pmfs, exact.tables, EXACT_PATHS))
        for square, law in zip(group.squares, exact.steps, strict=True):
            self.steps[square] = law
        self.theta = exact.theta

    def add_sampled(self, groups: Sequence[PathGroup], sampled: Estimate, n_thetas: int) -> None:
        """Groups that chains have walked on."""
        for row, parts in enumerate(sampled.parts):
            pmfs = (pmf_of(sampled.units[number].marginal(unit_question)) for number, unit_question in parts)
            self.parts[row] = [*self.parts[row], *pmfs]
        for group, unit_estimate in zip(groups, sampled.units, strict=True):
            self.answers.append(BlockAnswer((), None, unit_estimate.unit.certificate))
            first = len(group.cells)
            for k, square in enumerate(group.squares):
                self.steps[square] = pmf_of(unit_estimate.marginal(first + k))
            if n_thetas > 1:
                self.theta, self.theta_error = _theta_of(unit_estimate, n_thetas)


# --- exactly --------------------------------------------------------------------------------------------------------


EXACT_PATHS = Certificate("exact", "sums over all paths")


@dataclass(frozen=True, eq=False)
class _Exact:
    pmfs: tuple[Pmf, ...]
    steps: tuple[Pmf | None, ...]
    theta: np.ndarray
    tables: int


def _exactly(
    paths: HiddenPaths, group: PathGroup, support: Support, questions: Any, budget: Budget
) -> tuple[np.ndarray, _Exact]:
    """Which questions concern a group, and their laws, by the probability of every table."""
    tables, p, theta = weighed_tables(paths, group, support, budget)
    asked, rows = rows_through(questions, group.cells)
    values = rows @ tables.T
    steps: tuple[Pmf | None, ...] = (None,) * len(group.squares)
    if group.independent:
        grown: Any = np.linalg.lstsq(
            incidence(group.local, len(group.cells)).toarray().T, (group.end - tables).T, rcond=None
        )[0]
        steps = tuple(_law(sizes, p) for sizes in np.round(grown).astype(np.int64))
    return asked, _Exact(tuple(_law(row, p) for row in values), steps, theta, len(tables))


def weighed_tables(
    paths: HiddenPaths, group: PathGroup, support: Support, budget: Budget
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[table, cell]: every table of a group from which paths led to the published one; how probable each, and each theta."""
    most = int(min(budget.operations / WORK_PER_TABLE, budget.bytes / (64 * len(group.cells))))
    likelihood = exact_likelihood(paths, group, most)
    tables = likelihood.tables
    logs = likelihood.given_theta + np.log(paths.theta_prior)[:, None]
    logs += _log_law(group, support, tables)
    if not np.isfinite(logs).any():
        raise _nothing_left(paths, group, tables)
    p = np.exp(logs - logs.max())
    p /= p.sum()
    theta, p = p.sum(axis=1), p.sum(axis=0)
    possible = np.isfinite(logs).any(axis=0)  # also what is too improbable for floating point is possible
    return tables[possible], p[possible], theta


def _log_law(group: PathGroup, support: Support, tables: np.ndarray) -> np.ndarray:
    """The log-weight of tables under the law, -inf where facts exclude them."""
    logs = np.zeros(len(tables))
    possible = ((tables >= group.lower) & (tables <= group.upper)).all(axis=1)
    if len(group.rows.lower):
        sums = tables @ group.rows.matrix.T
        possible &= ((sums >= group.rows.lower) & (sums <= group.rows.upper)).all(axis=1)
    logs[~possible] = -np.inf
    for j, cell in enumerate(group.cells):
        low, high = int(group.lower[j]), int(group.upper[j])
        weights = support.weigh.relative(int(cell), low, high)
        if weights is not None:
            logs[possible] += weights[tables[possible, j] - low]
    return logs


def _law(values: np.ndarray, p: np.ndarray) -> Pmf:
    """The law of a question that has some value in every table."""
    first = int(values.min())
    odds = np.bincount(values - first, weights=p)
    return Pmf.exact(first, odds / odds.sum(), np.bincount(values - first) > 0)


def _nothing_left(paths: HiddenPaths, group: PathGroup, tables: np.ndarray) -> InputError:
    """What to say where every table that leads to the published one is excluded."""
    release = paths.release
    for j, cell in enumerate(group.cells):
        values = tables[:, j]
        if not ((values >= group.lower[j]) & (values <= group.upper[j])).any():
            where = release.words(release.keys[cell])
            reach = release.between(int(values.min()), int(values.max()))
            return InputError(
                NO_TABLE
                + f"with the published table {where} {reach} at the beginning of its path, and what is known of it "
                f"{release.between(int(group.lower[j]), int(group.upper[j]))}."
            )
    where = release.words(release.keys[group.cells[0]])
    return InputError(
        NO_TABLE + f"every table from which steps lead to the published one is excluded (around {where})."
    )


# --- by chains ------------------------------------------------------------------------------------------------------


def _taken_up(
    paths: HiddenPaths, groups: list[PathGroup], support: Support, questions: Any, settings: ChainSettings
) -> Run:
    """Chains on the paths of some groups, at their starts or where they were saved."""
    units = [path_unit(paths, group, support, questions) for group in groups]
    mark = paths_mark(units, settings)
    state = load(settings.checkpoint, mark)
    run = new_paths_run(paths, groups, units, settings, mark)
    take_up(run, state, settings.checkpoint)
    return run


def paths_mark(units: list[Unit], settings: ChainSettings) -> str:
    """A name for one piece of work on paths: the same release, law, questions, settings and sources, and nothing else."""
    digest = hashlib.sha256(repr(tuple(settings.decisive.values())).encode())
    digest.update(own_sources().encode())
    for unit in units:
        kernel = unit.kernels[0]
        assert isinstance(kernel, PathKernel)
        arrays = (*kernel.plan, *kernel.weights, unit.sums.data, unit.sums.indices, unit.sums.indptr)
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes() + b"|")
    return digest.hexdigest()


def new_paths_run(
    paths: HiddenPaths,
    groups: list[PathGroup],
    units: list[Unit],
    settings: ChainSettings,
    mark: str,
    kept_bytes: int = 0,
) -> Run:
    """Chains at their starts; `kept_bytes` are what will be kept of the draws of each."""
    refuse_what_does_not_fit(units, settings, kept_bytes)
    begun = path_runs(units, paths, groups, settings.seed, settings.chains)
    return Run(begun, settings, mark, possible=is_path)


def _theta_of(unit_estimate: UnitEstimate, number: int) -> tuple[np.ndarray, np.ndarray]:
    """How probable each theta is, and the standard error."""
    marginal = unit_estimate.marginal(len(unit_estimate.unit.columns) - 1)
    p, error = np.zeros(number), np.full(number, 1.0 / max(marginal.ess, 1.0))
    for k in range(len(marginal.p)):
        if marginal.first + k < number:
            p[marginal.first + k], error[marginal.first + k] = marginal.p[k], marginal.p_error[k]
    return p, error
