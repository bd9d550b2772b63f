"""Hidden paths of Markov perturbation: how long chains take, against a plain chain, and whether the truth ranks evenly.

python bench/studies/hidden_paths.py times       6 x 6 tables with 25 squares: seconds to R-hat < 1.01 and to the stop rule
python bench/studies/hidden_paths.py larger      20 x 20, all 225 squares of a 6 x 6, 4 x 4 x 3: what 60 seconds give
python bench/studies/hidden_paths.py effective   effective draws a second of the slowest cell: ours, its parts, a plain chain
python bench/studies/hidden_paths.py calibration [replicates] [seed]   ranks of true cells and thetas in posteriors by chains

Seconds are of the machine it runs on; ratios within one run are what to compare.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import stats

import fiberwalk as fw
from fiberwalk.base.jit import jit_lean
from fiberwalk.base.random_streams import below
from fiberwalk.fiber.laws.support import support
from fiberwalk.posterior.paths import path_changes, path_kernel, path_redraws, path_state
from fiberwalk.posterior.paths.path_groups import path_groups
from fiberwalk.posterior.paths.path_kernel import PathKernel
from fiberwalk.posterior.paths.path_state import PathPlan, PathRoom
from fiberwalk.posterior.paths.path_unit import path_runs, path_unit
from fiberwalk.posterior.paths.paths import hidden_paths
from fiberwalk.sampler.chains.unit_run import UnitRun
from fiberwalk.sampler.lines.weights import Weights

THETAS = (0.05, 0.2, 0.5)
MEANS = (3, 10, 50)
PRIOR = stats.beta(2, 8)
SELDOM = 0.02
"""The variance of a cell that hardly ever changes: too few changes to tell how fast it does."""


def release_of(mean: int, theta: float, order: str = "random", shape: tuple[int, ...] = (6, 6), **how: Any) -> Any:
    """A table of Poisson counts after Markov perturbation."""
    return fw.protect.markov_perturb(np.random.default_rng(1).poisson(mean, shape), theta, order=order, seed=1, **how)


# --- how long -------------------------------------------------------------------------------------------------------


class Clock:
    """Notes when R-hat first fell below 1.01 at a look, from the lines of progress."""

    def __init__(self) -> None:
        self.began, self.agreed = time.monotonic(), float("nan")

    def __call__(self, line: str) -> None:
        if np.isnan(self.agreed) and "R-hat" in line and float(line.split("R-hat")[1].split()[0]) < 1.01:
            self.agreed = time.monotonic() - self.began


def timed(release: Any, most: float, theta: Any = None) -> str:
    """An audit by chains, in a line."""
    clock = Clock()
    audit = fw.snooper.table(release, theta=theta, method="chains", progress=clock, max_seconds=most)
    seconds, cells = time.monotonic() - clock.began, audit.cells
    done = f"{seconds:6.1f}" if audit.converged else "  more"
    return f"{clock.agreed:8.1f} {done}   R-hat {cells['rhat'].max():.4f}   least ESS {int(cells['ess'].min()):,}"


def times() -> None:
    """6 x 6 tables."""
    timed(release_of(3, 0.1, shape=(3, 3)), 60)  # compiled before the clock runs
    print("mean  theta  order   theta is    agreed  done")
    for mean in MEANS:
        for theta in THETAS:
            for order in ("random", "secret"):
                release = release_of(mean, theta, order)
                print(f"{mean:4}  {theta:5}  {order:6}  known    {timed(release, 60)}", flush=True)
                print(f"{mean:4}  {theta:5}  {order:6}  unknown  {timed(release, 60, PRIOR)}", flush=True)


def larger() -> None:
    """More squares."""
    cases: dict[str, dict[str, Any]] = {
        "20 x 20": {"shape": (20, 20)},
        "20 x 20, secret order": {"shape": (20, 20), "order": "secret"},
        "6 x 6, all squares": {"squares": "all"},
        "4 x 4 x 3": {"shape": (4, 4, 3)},
    }
    timed(release_of(3, 0.1, shape=(3, 3)), 60)
    print(f"{'':24} squares  agreed  done")
    for name, how in cases.items():
        release = release_of(5, 0.1, **how)
        print(f"{name:24} {len(release.applied[-1].mechanism.squares):7} {timed(release, 60)}", flush=True)


# --- effective draws ------------------------------------------------------------------------------------------------


@jit_lean
def plain_step(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """The plain chain: one step is one unit larger or smaller, by Metropolis' rule; only what that changes is recomputed."""
    path, other, cells = room.now, room.other, plan.cells
    theta = plan.thetas[path.theta[0]]
    square, more = below(random, len(cells)), 2 * below(random, 2) - 1
    for i in range(4):
        other.before[square, i] = path.before[square, i] - (more if i == 0 or i == 3 else -more)
    other.log_odds[square] = path_state.log_odds_of(
        other.before[square], path.steps[square] + more, theta, plan.factorials
    )
    ratio = other.log_odds[square] - path.log_odds[square]
    for i in range(4):
        j, value = cells[square, i], path.first[cells[square, i]]
        after = value - (more if i == 0 or i == 3 else -more)
        if after < 0:
            return
        ratio += path_state.log_law_of(plan, weights, j, after) - path_state.log_law_of(plan, weights, j, value)
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        u = plan.near_square[e]
        if path.at[u] < path.at[square]:
            for i in range(4):
                other.before[u, i] = path.before[u, i] - more * plan.near_grows[e, i]
            other.log_odds[u] = path_state.log_odds_of(
                other.before[u], path.steps[u], theta, plan.factorials, plan.capped
            )
            ratio += other.log_odds[u] - path.log_odds[u]
    if not path_state.accepts(ratio, random):
        return
    path.steps[square] += more
    path_state.put(cells, square, -more, path.first)
    for e in range(plan.near_start[square] - 1, plan.near_start[square + 1]):
        u = square if e < plan.near_start[square] else plan.near_square[e]
        if u == square or path.at[u] < path.at[square]:
            path.log_odds[u] = other.log_odds[u]
            for i in range(4):
                path.before[u, i] = other.before[u, i]


@jit_lean
def by_parts(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray, part: int, kept: np.ndarray) -> None:
    """Draws by everything (0), nudges alone (1), redraws alone (2) or the plain chain (3)."""
    squares = len(plan.cells)
    for t in range(len(kept)):
        if part == 0:
            path_kernel.change(plan, weights, room, random)
        elif part == 2:
            path_redraws.redraw(plan, weights, room, path_redraws.how_many(squares, random), random)
        else:
            for _ in range(2 * squares):
                if part == 1:
                    path_changes.nudge(plan, weights, room, below(random, squares), random)
                else:
                    plain_step(plan, weights, room, random)
        for j in range(kept.shape[1]):
            kept[t, j] = room.now.first[j]


def run_of(release: Any, law: Any) -> tuple[PathKernel, UnitRun]:
    """The chains of a release with one group of squares."""
    paths, inside = hidden_paths(release), support(release, law)
    assert paths is not None
    (group,) = path_groups(paths, inside)
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    unit = path_unit(paths, group, inside, nothing)
    kernel = unit.kernels[0]
    assert isinstance(kernel, PathKernel)
    return kernel, path_runs([unit], paths, [group], 1, 1)[0]


def effective_draws(kept: np.ndarray) -> np.ndarray:
    """By autocorrelations, summed in pairs while these are positive; of the cells that change now and then."""
    x = kept - kept.mean(axis=0)
    variance = (x**2).mean(axis=0)
    x, variance = x[:, variance > SELDOM], variance[variance > SELDOM]
    waves = np.fft.rfft(x, 2 * len(x), axis=0)
    correlation = np.fft.irfft(abs(waves) ** 2, axis=0)[: len(x) // 2 * 2] / len(x) / variance
    pairs = correlation[::2] + correlation[1::2]
    positive = np.cumprod(pairs > 0, axis=0)
    return np.asarray(len(x) / (2 * (pairs * positive).sum(axis=0) - 1))


def effective_a_second(kernel: PathKernel, run: UnitRun, part: int, seconds: float = 1.5) -> float:
    """Of the slowest cell; the first tenth is for the chain to forget its start."""
    room, chain = kernel.room(), run.chains[0]
    path_kernel.read_state(kernel.plan, chain.place.table, room.now)
    random, n = chain.place.random.copy(), len(kernel.plan.end)

    def draw(number: int) -> tuple[np.ndarray, float]:
        kept, began = np.zeros((number, n), dtype=np.int64), time.process_time()
        by_parts(kernel.plan, kernel.weights, room, random, part, kept)
        return kept, time.process_time() - began

    draw(10)
    number = int(np.clip(seconds * 200 / max(draw(200)[1], 1e-5), 1000, 200_000))
    draw(number // 10)
    kept, took = draw(number)
    return float(effective_draws(kept).min(initial=np.inf) / took)


def effective() -> None:
    """Effective draws a second."""
    print("mean  theta  law              all of it   nudges  redraws    plain   all/plain")
    for mean in MEANS:
        for theta in THETAS:
            for law in ("uniform", "hypergeometric"):
                kernel, run = run_of(release_of(mean, theta), law)
                found = [effective_a_second(kernel, run, part) for part in range(4)]
                line = "".join(f"{one:9,.0f}" for one in found)
                print(f"{mean:4}  {theta:5}  {law:15}  {line}   {found[0] / max(found[3], 1e-9):9.1f}", flush=True)


# --- calibration ----------------------------------------------------------------------------------------------------


def replicates(number: int, seed: int) -> Iterator[tuple[np.ndarray, float, Any]]:
    """Tables from a law, and thetas from their prior, with what an intruder reads: every kind of knowledge in turn."""
    rng = np.random.default_rng(seed)
    values = {0.05: 0.3, 0.2: 0.4, 0.5: 0.3}
    for k in range(number):
        shape = ((3, 3), (4, 4))[k % 2]
        order = ("given", "secret")[k // 2 % 2]
        rows, columns = rng.poisson(12, shape[0]) + 1, rng.dirichlet(np.full(shape[1], 5.0))
        totals = rng.multinomial(rows.sum(), columns)
        table = stats.random_table(rows, totals, seed=rng).rvs()  # the law 1/x! given its margins
        theta = float(rng.choice(list(values), p=list(values.values())))
        made = fw.protect.markov_perturb(table, theta, order=order, seed=int(rng.integers(2**31)))
        believed: Any = values if k // 4 % 2 else theta
        yield table, theta, fw.protect.as_protected(made.published, "markov_perturb", theta=believed, order=order)


def calibration(number: int, seed: int) -> None:
    """Ranks of the truth, ties at random, in posteriors by chains: they should be even."""
    rng = np.random.default_rng([seed, 1])
    ranks: list[float] = []
    of_theta: list[float] = []
    not_converged = 0
    for table, theta, release in replicates(number, seed):
        audit = fw.audit(release, "hypergeometric", method="chains", tolerance=0.1, seed=3, progress=False)
        not_converged += not audit.converged
        row, column = (int(rng.integers(n)) for n in table.shape)
        pmf, truth = audit.pmf(A=str(row + 1), B=str(column + 1)), table[row, column]
        ranks.append(pmf[pmf.index < truth].sum() + rng.random() * pmf.get(truth, 0.0))
        path = audit.belief.path
        if len(path.thetas) > 1:
            here = path.thetas == theta
            of_theta.append(float(path.theta[path.thetas < theta].sum() + rng.random() * path.theta[here].sum()))
    for name, found in (("cells", ranks), ("theta", of_theta)):
        counts = np.histogram(found, bins=5, range=(0, 1))[0]
        print(f"{name}: {len(found)} ranks by fifths {counts.tolist()}, p = {stats.chisquare(counts).pvalue:.3f}")
    print(f"{not_converged} of {number} did not converge")


def main() -> None:
    what: dict[str, Callable[[], None]] = {"times": times, "larger": larger, "effective": effective}
    asked, *further = sys.argv[1:] or ["times"]
    if asked == "calibration":
        number, seed = [int(one) for one in further] + [200, 7][len(further) :]
        calibration(number, seed)
    else:
        what[asked]()


if __name__ == "__main__":
    main()
