"""The servers that are attacked: their methods, their rules, and what attackers know of both."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import fiberwalk as fw

from .laws import law_of
from .population import Population
from .world import OF_PEOPLE, OF_TABLES, World

NOISE = {-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}
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
    parameters: Mapping[str, Any] = field(default_factory=dict)
    law: tuple[str, Mapping[str, Any]] | None = None
    """The method and parameters whose law each cell has, where it is not its own."""
    draws: str = OF_PEOPLE
    sums_of: int | None = None


METHODS = (
    Method("random_round base 3", "random_round", {"base": 3}),
    Method("random_round base 5", "random_round", {"base": 5}),
    Method("add_noise up to 2", "add_noise", {"noise": NOISE, "floor": True}),
    Method("perturb by a ptable", "perturb", {"matrix": ptable()}),
    Method("round_lattice base 3", "round_lattice", {"base": 3, "max_dims": 2}, ("random_round", {"base": 3}), sums_of=2),
    Method("controlled_round base 3", "controlled_round", {"base": 3}, ("random_round", {"base": 3}), draws=OF_TABLES),
    Method(
        "perturb, totals kept", "perturb", {"matrix": ptable(), "preserve_totals": True}, ("perturb", {"matrix": ptable()}),
        draws=OF_TABLES,
    ),
)  # fmt: skip
RULES = {
    "3 dims, 1 filter of a label": fw.server.ServerRules(),
    "... 40 people, 15% small cells": fw.server.ServerRules(min_population=40, max_small_share=0.15),
    "... a filter of any labels": fw.server.ServerRules(max_labels=None),
}


def rebuilt() -> bool:
    """Is this the server whose rules look at protected figures, and whose zeros stay zero?"""
    return hasattr(fw.server.TableServer, "catalogue")


def world_of(population: Population, method: Method, rules: fw.server.ServerRules) -> World:
    """What attackers know of a server."""
    people = int(population.counts.sum())
    law = law_of(*(method.law or (method.mechanism, method.parameters)), most=2 * people, zeros_stay=rebuilt())
    return World(
        population.frame, law, rules, people, method.draws,
        empties_redrawn=len(law.probabilities[0]) > 1, refusals_see_truth=not rebuilt(), sums_of=method.sums_of,
    )  # fmt: skip


def server_of(population: Population, method: Method, rules: fw.server.ServerRules, seed: int) -> Any:
    """A server of these people."""
    return fw.server.TableServer(
        population.records, rules=rules, mechanism=method.mechanism, parameters=dict(method.parameters), seed=seed
    )
