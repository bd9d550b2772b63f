"""The servers that are attacked: their methods, their rules, and what attackers know of both."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import fiberwalk as fw

from .knowledge.laws import Law, noise, rounding, transitions
from .knowledge.outside import Ask, Outside
from .knowledge.population import Frame, Population
from .knowledge.world import OF_PEOPLE, OF_TABLES, World

NOISE = {-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}
WIDE = fw.protect.geometric_noise(epsilon=0.7)
"""Noise that any count may come from, for all that is likely: up to 31 either way."""
CHANGES = {
    0: {0: 1.0},
    1: {0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1},
    2: {0: 0.2, 1: 0.1, 2: 0.3, 3: 0.3, 4: 0.1},
    3: {1: 0.1, 2: 0.2, 3: 0.4, 4: 0.2, 5: 0.1},
}
"""A perturbation table as offices have them: zeros stay, small counts may become zero, no change is larger than 2."""


def ptable() -> np.ndarray:
    """The table, read from a file of the kind that offices have."""
    lines = ["i;j;p", *(f"{i};{j};{p}" for i, row in CHANGES.items() for j, p in row.items())]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ptable.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return fw.protect.read_ptable(path)


@dataclass(frozen=True)
class Method:
    """How a server protects, and what its code says of the law."""

    name: str
    mechanism: str
    parameters: Mapping[str, Any]
    law: Callable[[int, bool], Law]
    """The law of each cell, for counts up to a largest one; do zeros stay?"""
    draws: str = OF_PEOPLE
    sums_of: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the server."""


def _rounded(base: int) -> Callable[[int, bool], Law]:
    return lambda most, _: rounding(base, most)


def _noisy(most: int, zeros_stay: bool) -> Law:
    return noise(NOISE, most, zeros_stay)


def _noisy_zeros(most: int, _: bool) -> Law:
    return noise(NOISE, most, zeros_stay=False, floor=False)


def _wide(most: int, zeros_stay: bool) -> Law:
    return noise(WIDE, most, zeros_stay)


def _changed(most: int, _: bool) -> Law:
    return transitions(CHANGES, most)


METHODS = (
    Method("random_round base 3", "random_round", {"base": 3}, _rounded(3)),
    Method("random_round base 5", "random_round", {"base": 5}, _rounded(5)),
    Method("add_noise up to 2", "add_noise", {"noise": NOISE, "floor": True}, _noisy),
    Method("add_noise, zeros too", "add_noise", {"noise": NOISE}, _noisy_zeros, options={"noisy_zeros": True}),
    Method("add_noise, wide", "add_noise", {"noise": WIDE, "floor": True}, _wide),
    Method("perturb by a ptable", "perturb", {"matrix": ptable()}, _changed),
    Method("round_lattice base 3", "round_lattice", {"base": 3, "max_dims": 2}, _rounded(3), sums_of=2),
    Method("controlled_round base 3", "controlled_round", {"base": 3}, _rounded(3), OF_TABLES),
    Method("perturb, totals kept", "perturb", {"matrix": ptable(), "preserve_totals": True}, _changed, OF_TABLES),
)
RULES = ("3 dims, 1 filter of a label", "and 40 people, few small cells", "3 dims, 1 filter of any labels")
ANSWERED = 0.9
"""The least share of random requests of up to three dims that are answered: refusing everything is no protection."""


def rules_of(name: str, population: Population, method: Method) -> fw.server.ServerRules:
    """Rules by their name; of shares of small cells the least that leaves enough requests answered."""
    if name == RULES[1]:
        every = (fw.server.ServerRules(min_population=40, max_small_share=share / 20) for share in range(2, 21))
        return next(rules for rules in every if answered_share(population, method, rules, 0) >= ANSWERED)
    return fw.server.ServerRules(max_labels=None) if name == RULES[2] else fw.server.ServerRules()


def rebuilt() -> bool:
    """Is this the server whose rules look at protected figures, and whose zeros stay zero?"""
    return hasattr(fw.server.ServerRules, "areas")


def world_of(population: Population, method: Method, rules: fw.server.ServerRules) -> World:
    """What attackers know of a server."""
    people = int(population.counts.sum())
    law = method.law(2 * people, rebuilt())
    return World(
        population.frame, law, rules, people, method.draws,
        empties_redrawn=len(law.probabilities[0]) > 1, refusals_see_truth=not rebuilt(), sums_of=method.sums_of,
    )  # fmt: skip


def server_of(population: Population, method: Method, rules: fw.server.ServerRules, seed: int) -> Any:
    """A server of these people."""
    return fw.server.TableServer(
        population.records,
        rules=rules,
        mechanism=method.mechanism,
        parameters=dict(method.parameters),
        seed=seed,
        **(declared(population.frame) | method.options),
    )


def declared(frame: Frame) -> dict[str, Any]:
    """What an agency declares, as everybody knows it: labels, levels, and who can have one label only."""
    if not rebuilt():
        return {}
    return {
        "labels": {name: frame.labels(name) for name in (*frame.dims, *frame.levels)},
        "hierarchies": {dim: level for level, (dim, _) in frame.levels.items()},
        "impossible": [
            {rule.dim: rule.labels, rule.other: [label for label in frame.dims[rule.other] if label != rule.label]}
            for rule in frame.alone
        ],
    }


def random_requests(frame: Frame, number: int, filters: int, seed: int) -> Iterator[Ask]:
    """Random requests of one to three dims or levels, with as many filters of one label."""
    random = np.random.default_rng(seed)
    names = [*frame.dims, *frame.levels]
    while number:
        drawn = [names[place] for place in random.permutation(len(names))][: random.integers(1, 4) + filters]
        if len({frame.dim_of(name) for name in drawn}) < len(drawn) or len(drawn) <= filters:
            continue
        shown, filtered = drawn[: len(drawn) - filters], drawn[len(drawn) - filters :]
        labels = [frame.labels(name) for name in filtered]
        chosen = [(name, (of[random.integers(len(of))],)) for name, of in zip(filtered, labels, strict=True)]
        number -= 1
        yield Ask(tuple(shown), tuple(chosen))


def answered_share(population: Population, method: Method, rules: fw.server.ServerRules, filters: int) -> float:
    """The share of random requests that are answered."""
    outside = Outside(server_of(population, method, rules, 1))
    asks = list(random_requests(population.frame, 150, filters, seed=1))
    return sum(outside.ask(ask).released for ask in asks) / len(asks)
