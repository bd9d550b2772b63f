"""When no table fits: a small set of facts that cannot all be true, in the user's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction
from ...release.facts.facts import NO_LIMIT
from ...release.release import Release
from ..equations.network import as_network
from ..equations.propagation import tighten
from ..equations.system import Fiber, fiber_of
from ..solvers.flow import feasible_flow
from ..solvers.integer_program import optimum


def explain(release: Release, fiber: Fiber) -> Contradiction:
    """The refusal of a release that no table satisfies, naming a minimal set of facts that clash."""
    if release.choices:
        fiber = fiber_of(release, _loose(fiber))
    # Choices that are only counted say nothing by themselves: each of their readings may hold.
    counted = sorted({choice for tally in release.tallies for choice, _ in tally.branches})
    always = [_rows(fiber, "choice", choice) for choice in counted]
    facts = [fact for fact in _facts(fiber) if fact[0] != "choice" or fact[1] not in counted]

    def clash(chosen: Sequence[tuple[str, int]]) -> bool:
        rows = np.concatenate(
            [np.empty(0, int), *always, *(_rows(fiber, kind, i) for kind, i in chosen if kind != "cell")]
        )
        cells = np.array([i for kind, i in chosen if kind == "cell"], dtype=int)
        lower, upper = fiber.lower.copy(), fiber.upper.copy()
        lower[: fiber.n_cells], upper[: fiber.n_cells] = np.minimum(fiber.lower[: fiber.n_cells], 0), NO_LIMIT
        lower[cells], upper[cells] = fiber.lower[cells], fiber.upper[cells]
        return not feasible(sp.csr_array(fiber.A[rows]), fiber.b[rows], lower, upper)

    clashing = sorted(smallest_clash(facts, clash), key=lambda fact: (fact[0] == "cell", fact[1]))
    # one published figure may be several facts
    words = tuple(dict.fromkeys(_words(release, fiber, kind, i) for kind, i in clashing))
    shown = "; ".join(words[:8]) + (f"; and {len(words) - 8} more" if len(words) > 8 else "")
    which = (
        "no table within what is known of the cells beforehand"
        if release.signed
        else "no table of counts of at least 0"
    )
    return Contradiction(
        f"{which} satisfies the release: these {len(words)} facts contradict each other: {shown}.",
        words,
    )


def _facts(fiber: Fiber) -> list[tuple[str, int]]:
    """The facts that may clash, as (kind, number), the most telling first.

    First the sum that bound propagation refutes with its cells, then the longest sum, the others by length, and all other
    known cells.
    """
    told = (fiber.lower[: fiber.n_cells] > 0) | (fiber.upper[: fiber.n_cells] < NO_LIMIT)
    refuted = tighten(fiber.A, fiber.b, fiber.lower.copy(), fiber.upper.copy())
    lengths = np.diff(fiber.A.indptr[: fiber.n_plain_rows + 1])
    sums = [int(i) for i in np.argsort(lengths, kind="stable")]
    sums = sums[-1:] + sums[:-1]
    leading: list[tuple[str, int]] = []
    if refuted >= fiber.n_plain_rows:
        leading = [("choice", next(i for i, rows in enumerate(fiber.choice_rows) if refuted in rows))]
    elif refuted >= 0:
        inside = fiber.A.indices[fiber.A.indptr[refuted] : fiber.A.indptr[refuted + 1]]
        told_inside = [int(j) for j in np.sort(inside) if j < fiber.n_cells and told[j]]
        leading = [("sum", refuted), *(("cell", j) for j in told_inside)]
    seen = set(leading)
    others = [("sum", i) for i in sums] + [("choice", i) for i in range(len(fiber.choice_rows))]
    others += [("cell", int(j)) for j in np.flatnonzero(told)]
    return leading + [fact for fact in others if fact not in seen]


def _loose(fiber: Fiber) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of cells that hold no facts but their own: with narrower ones a choice would repeat what others say."""
    finite = np.concatenate([fiber.b, fiber.upper[fiber.upper < NO_LIMIT]])
    return np.minimum(fiber.lower[: fiber.n_cells], 0), np.full(fiber.n_cells, finite.max(initial=0))


def _rows(fiber: Fiber, kind: str, number: int) -> np.ndarray:
    return fiber.choice_rows[number] if kind == "choice" else np.array([number])


def _words(release: Release, fiber: Fiber, kind: str, number: int) -> str:
    if kind == "choice":
        words = [one.words for one in release.choices] + [one.words for one in release.tallies]
        return words[number]
    if kind == "cell":
        limits = release.between(int(fiber.lower[number]), int(fiber.upper[number]))
        return f"{release.words(release.keys[number])} {limits}"
    if number < len(release.sums):
        return release.fact_words(number)
    sums = [item for item in release.evidence if len(item.cells) > 1 or item.coefficients[0] != 1]
    return f"evidence on a sum ({release.evidence_words(sums[number - len(release.sums)])})"


def feasible(A: sp.csr_array, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether any integer table satisfies a system."""
    if (lower > upper).any() or tighten(A, b, lower.copy(), upper.copy()) >= 0:
        return False
    used = np.flatnonzero(np.diff(sp.csc_array(A).indptr))
    inside, lower, upper = sp.csr_array(A[:, used]), lower[used], upper[used]
    network = as_network(inside)
    if network is not None:
        return feasible_flow(network, inside, b, lower, upper) is not None
    return optimum(inside, b, lower, upper) is not None


def smallest_clash(
    facts: Sequence[tuple[str, int]], clash: Callable[[Sequence[tuple[str, int]]], bool]
) -> list[tuple[str, int]]:
    """A minimal subset of facts that clash: dropping any one of them resolves it (QuickXplain, Junker 2004)."""

    def search(
        background: list[tuple[str, int]], grown: bool, candidates: list[tuple[str, int]]
    ) -> list[tuple[str, int]]:
        if grown and clash(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        first, second = candidates[:half], candidates[half:]
        from_second = search(background + first, bool(first), second)
        from_first = search(background + from_second, bool(from_second), first)
        return from_first + from_second

    return search([], False, list(facts)) if facts else []
