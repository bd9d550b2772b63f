"""The sampler against exact laws: do drawn tables have the probabilities that they should?"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import stats

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.moves.families.lattice import LatticeMoves
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.run import new_run
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.drawn_tables import kept_draws, until_they_agree
from fiberwalk.sampler.kernels.kernel import Kernel
from fiberwalk.sampler.kernels.ladder.kernel import Ladder
from fiberwalk.sampler.lines.weights import log_weight_of
from verification.exact_laws import wrong_samplers
from verification.exact_laws.exact_law import every_table, exact_law
from verification.exact_laws.random_releases import KINDS, random_believed
from verification.exact_laws.spacing import DRAWS, MOST_APART, NotApart, p_value, spaced_rows
from verification.parts import Check, Part, Setting, rows

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support.move_families import families  # the tests' list of all families of moves that a block can have

WORDS = (
    f"Random small releases of {len(KINDS)} kinds under four laws. All tables of each are listed from the published facts "
    "alone, with their probabilities; chains as the product runs them, from their own starts and after their own warm-up, "
    "draw tables far enough apart to be independent; a chi-square test compares the two. Half of the releases are walked by "
    "the moves that the product chooses, half by another family of moves that is proven to connect them. If the sampler "
    "is right, the p-values are spread evenly over 0 to 1: the points of a QQ plot lie on the diagonal. Two samplers with "
    "a mistake, and the same one without, go through the same test."
)
RELEASES = 2000
CONTROLS = 150
"""Releases that each of the wrong samplers is tried on."""
CHAINS = 4
WARM_UP = 1 << 15
"""Draws of a chain after which a warm-up is given up; whether it mixes is then looked at anyway."""
CHOSEN = "those that the product chooses"
STEPS_ON = 16
LEAST = 1e-4
"""How improbable a departure from even p-values may be, over all kinds together or divided among them."""
MOST_SLOW = 0.05
LEAST_MOVED = 0.01
MOST_UNPROVEN = 0.25
LEAST_OF_ALL = 1e-6
"""The same of the smallest p-value, for all releases together."""


@dataclass(frozen=True)
class Tried:
    """One release."""

    kind: str
    law: str
    moves: str
    p: float
    tables: int
    slow: bool
    """Did draws from the chains' own starts cling to each other for too long? Then each began at a table of the law."""
    joined: bool
    """If so: do the moves join all tables, by a walk through every one?"""
    moved: float
    """If so: how many chains were elsewhere some draws later, of those that would be, were the draws independent."""
    impossible: bool
    unproven: int
    """Releases drawn before it whose moves are proven to connect in principle only: they are not tried."""


def random_moves(rng: np.random.Generator, release: fw.Release, law: Any) -> Moves | None:
    """For every block one of the families that are proven to connect it; None where laws with gaps prove nothing."""
    inside = support(release, law)
    if inside.gaps.any():
        return None
    sets = []
    for number in range(len(inside.solved.blocks)):
        proven = [
            one for one in families(inside.narrowed, inside.solved, number) if one.certificate.word == "connected"
        ]
        # sums of lattice vectors serve any block, but so slowly that they are tried less often
        weights = np.array([0.2 if isinstance(one, LatticeMoves) else 1.0 for one in proven])
        sets.append(proven[rng.choice(len(proven), p=weights / weights.sum())])
    return Moves(inside, tuple(sets))


def tried(seed: int, number: int) -> Tried:
    """Draw a release, a law and moves for it, and test what the chains draw."""
    kind = list(KINDS)[number % len(KINDS)]
    other_family = number // len(KINDS) % 2 == 1
    rng = np.random.default_rng([seed, number])
    unproven = 0
    while True:
        try:
            release, believed = random_believed(rng, KINDS[kind](rng))
        except fw.InputError:  # a rule that hides every cell, or a law that leaves none of the tables
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the law may find that some means are not settled
            law = exact_law(release, believed)
            if law is None:
                continue
            moves = random_moves(rng, release, believed.law) if other_family else choose(support(release, believed.law))
        if moves is None:
            continue
        if moves.certificate.word != "connected":
            unproven += 1
            continue
        how = "; ".join(sorted({one.words for one in moves.sets})) if other_family else CHOSEN
        chains, slow, joined, moved = ProductChains(moves, int(rng.integers(2**31))), False, True, 1.0
        try:
            found = spaced_rows(law, chains.draw)
        except NotApart:
            slow, joined = True, fw.moves.check_connected(release, moves).connected
            begun = rng.choice(len(law.p), DRAWS, p=law.p)
            found = law.places(chains.some_draws_after(law.tables[begun], rng))
            moved = float(np.mean(found != begun) / (1 - np.sum(law.p**2)))
        impossible = bool((found < 0).any())
        p = 0.0 if impossible else p_value(law, found, rng)
        if not np.isnan(p):
            return Tried(kind, believed.name, how, p, len(law.p), slow, joined, moved, impossible, unproven)


class ProductChains:
    """Chains as the product runs them."""

    def __init__(self, moves: Moves, seed: int) -> None:
        self.release, self.solved = moves.release, moves.support.solved
        self.thread, self.seed = ThreadPoolExecutor(1), seed
        nothing = sp.csr_array((0, self.solved.fiber.n_columns), dtype=np.int64)
        settings = until_they_agree(ChainSettings(seed, CHAINS, executor=self.thread), WARM_UP)
        self.work = kept_draws(new_run(moves, nothing, settings), None, moves.release, 0, 1, None)

    def draw(self, number: int, apart: int) -> np.ndarray:
        """[chain, draw, cell]: the chains go on, after their warm-up, and keep one of so many draws."""
        self.work.thin = [apart] * len(self.work.thin)
        self.work.begin_anew(number // CHAINS)
        self.work.go_on()
        return self.work.whole_tables(self.solved)

    def some_draws_after(self, tables: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Where chains are, one from each of these tables, some draws later.

        If the tables are drawn from the law itself, these are independent and must follow the law, however slowly chains
        mix, as long as each step leaves the law as it is. On a ladder each step leaves that of all rungs together as it is,
        so the tables of the higher rungs are drawn, too, from the laws that these have.
        """
        after, before = tables.copy(), self._columns(tables)
        for number, one in enumerate(self.work.run.units):
            columns = one.unit.columns
            inside = np.flatnonzero(columns < self.solved.fiber.n_cells)
            higher = [self._on_higher_rungs(kernel, one.unit, len(tables), rng) for kernel in one.unit.kernels]
            for k, random in enumerate(streams([self.seed, number], len(tables))):
                chain = Chain(one.unit, before[k, columns], random)
                for room, begun in zip(chain.rooms, higher, strict=True):
                    if begun is not None:
                        room.tables[:] = begun[k]
                chain.counts = False
                after[k, columns[inside]] = chain.keep(one.unit, inside, 1, STEPS_ON)[0]
        return after

    def _columns(self, tables: np.ndarray) -> np.ndarray:
        """Tables with a column each for what ranges of sums leave open."""
        fiber = self.solved.fiber
        rounding = sp.coo_array(fiber.A[:, fiber.n_cells :])
        slack = np.zeros((len(tables), rounding.shape[1]), dtype=np.int64)
        left = fiber.b - tables @ sp.csr_array(fiber.A)[:, : fiber.n_cells].T
        slack[:, rounding.coords[1]] = left[:, rounding.coords[0]] // rounding.data
        return np.column_stack([tables, slack])

    def _on_higher_rungs(self, kernel: Kernel, unit: Unit, number: int, rng: np.random.Generator) -> np.ndarray | None:
        """[chain, rung - 1, column]: tables drawn from the laws of a ladder's higher rungs; None where there is none."""
        if not isinstance(kernel, Ladder):
            return None
        tables = every_table(self.release)
        assert tables is not None
        tables = np.unique(self._columns(tables)[:, unit.columns] - unit.offset, axis=0)
        tables = tables[((tables >= kernel.lower) & (tables <= kernel.upper)).all(axis=1)]
        begun = np.empty((number, len(kernel.powers) - 1, tables.shape[1]), dtype=np.int64)
        for rung, power in enumerate(kernel.powers[1:]):
            weights = kernel.soft._replace(power=float(power))
            logs = np.array([log_weight_of(weights, table) for table in tables])
            p = np.exp(logs - logs.max())
            begun[:, rung] = tables[rng.choice(len(tables), number, p=p / p.sum())]
        return begun


def evenness(p: list[float]) -> float:
    """How probable p-values this far from an even spread are (Kolmogorov and Smirnov)."""
    return float(stats.kstest(p, "uniform").pvalue)


def run(setting: Setting) -> Part:
    """Try all releases, and the wrong samplers."""
    number = setting.number(RELEASES)
    found = list(setting.each(tried, ((setting.seed, k) for k in range(number)), "releases"))
    controls: dict[str, list[float]] = {}
    for name in wrong_samplers.NAMES:
        few = min(CONTROLS, number)
        tasks = ((name, setting.seed, k) for k in range(few))
        controls[name] = list(setting.each(wrong_samplers.tried, tasks, f"releases of the chain: {name}"))
    return judged(found, controls)


def judged(found: list[Tried], controls: dict[str, list[float]]) -> Part:
    """What the p-values say."""
    p = [one.p for one in found]
    kinds = {kind: [one.p for one in found if one.kind == kind] for kind in KINDS}
    kinds = {kind: some for kind, some in kinds.items() if some}
    by_kind = {kind: evenness(some) for kind, some in kinds.items()}
    worst = min(by_kind, key=by_kind.__getitem__)
    impossible = sum(one.impossible for one in found)
    slow = [one for one in found if one.slow]
    apart = sum(not one.joined for one in slow)
    chosen, chosen_slow = (sum(one.moves == CHOSEN for one in some) for some in (found, slow))
    unproven = sum(one.unproven for one in found)
    checks = [
        Check("no table is drawn that is impossible", impossible == 0, f"{impossible} of {len(found):,} releases"),
        Check(
            f"p-values of all releases are even (p of their evenness above {LEAST:g})",
            evenness(p) > LEAST,
            f"p = {evenness(p):.3f} over {len(p):,} releases",
        ),
        Check(
            f"... and those of each kind (above {LEAST:g} / {len(kinds)})",
            by_kind[worst] > LEAST / len(kinds),
            f"least p = {by_kind[worst]:.3g} ({worst})",
        ),
        Check(
            f"the smallest p-value is one that so many releases may have (times their number above {LEAST_OF_ALL:g})",
            min(p) * len(p) > LEAST_OF_ALL,
            f"smallest p = {min(p):.2g}, times {len(p):,} is {min(p) * len(p):.2g}",
        ),
        Check(
            f"of the releases walked by chosen moves at most {MOST_SLOW:.0%} mix slowly",
            chosen_slow <= MOST_SLOW * max(1, chosen),
            f"{chosen_slow} of {chosen:,}",
        ),
        Check("where chains mix slowly, their moves join all tables", apart == 0, f"{apart} of {len(slow)} do not"),
        Check(
            f"... and chains move: {STEPS_ON} draws later at least {LEAST_MOVED:.0%} as many are elsewhere as by the law",
            all(one.moved >= LEAST_MOVED for one in slow),
            f"at least {min((one.moved for one in slow), default=1.0):.1%}",
        ),
        Check(
            f"at most {MOST_UNPROVEN:.0%} of the releases drawn have moves that are proven in principle only",
            unproven <= MOST_UNPROVEN * (unproven + len(found)),
            f"{unproven} of {unproven + len(found):,}",
        ),
    ]
    for name, some in controls.items():
        even = evenness(some)
        share = float(np.mean(np.array(some) < LEAST_OF_ALL))
        told = f"p of evenness {even:.2g}; {share:.0%} of {len(some)} releases have p below {LEAST_OF_ALL:g}"
        if name == wrong_samplers.RIGHT:
            checks.append(Check(f"control: {name} is accepted", even > LEAST, told))
        else:
            checks.append(Check(f"control: the wrong sampler is rejected: {name}", even < LEAST_OF_ALL, told))
    values = {
        "kinds": {kind: _short(some) for kind, some in kinds.items()},
        "controls": {name: _short(some) for name, some in controls.items()},
    }
    return Part(tuple(checks), tuple(_paragraphs(found, slow)), values)


def _short(p: list[float]) -> list[float]:
    return sorted(float(f"{one:.4g}") for one in p)


def _paragraphs(found: list[Tried], slow: list[Tried]) -> Iterator[str]:
    """Tables by kind, by law and by moves."""
    for what, of in (("kind of release", "kind"), ("law", "law"), ("moves", "moves")):
        groups: dict[str, list[Tried]] = {}
        for one in found:
            groups.setdefault(asdict(one)[of], []).append(one)
        if of == "moves":  # what several blocks are walked by is told once, with the few that are rare together
            groups = {name: some for name, some in groups.items() if len(some) >= 20}
        lines = []
        for name, some in groups.items():
            p = [one.p for one in some]
            sizes = sorted(one.tables for one in some)
            middle = f"{sizes[len(sizes) // 2]:,} ({sizes[0]:,} to {sizes[-1]:,})"
            lines.append(
                [
                    name,
                    f"{len(p):,}",
                    middle,
                    f"{np.mean(np.array(p) < 0.05):.1%}",
                    f"{min(p):.2g}",
                    f"{evenness(p):.2f}",
                ]
            )
        head = [what, "releases", "tables: median (range)", "p below 0.05", "smallest p", "p of evenness"]
        yield rows(head, lines)
    yield f"Each p-value is of {DRAWS:,} tables."
    chosen = sum(one.moves == CHOSEN for one in slow)
    yield (
        f"On {len(slow)} releases ({chosen} of them by chosen moves) draws from the chains' own starts cling to each other "
        f"for more than {MOST_APART} draws. There each of {DRAWS:,} chains begins at a table drawn from the law, and the "
        f"table {STEPS_ON} draws later is tested; that the moves join all tables is checked by a walk through them."
    )


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """The QQ plots."""
    from verification.plots import law_plots

    path = home / "verification_laws.png"
    yield law_plots(values["kinds"], values["controls"], path), "QQ plots of the p-values, by kind of release"
