"""The contest: every attack against a server with a method and rules, beside what every distinct figure tells, seen once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import fiberwalk as fw

from .knowledge.beliefs import Claims, Score, believe, score
from .knowledge.evidence import Evidence
from .knowledge.outside import Outside
from .knowledge.population import Population
from .knowledge.world import OF_REQUESTS, World
from .servers import Method, server_of, world_of
from .ways.attack import Attack
from .ways.averaging import Averaging
from .ways.differencing import Differencing
from .ways.every_figure import APART, EveryFigure
from .ways.forms import Forms
from .ways.overlapping import Overlapping
from .ways.refusals import Refusals
from .ways.together import Together
from .ways.zero_tests import ZeroTests

CHECKPOINTS = (10, 100, 1000, 2000)
ATTACKS: tuple[Callable[[], Attack], ...] = (Differencing, Overlapping, Averaging, ZeroTests, Refusals, Forms)


@dataclass(frozen=True)
class Outcome:
    """What an attack came to after some requests."""

    attack: str
    requests: int
    asked: int
    """Fewer, where the attack had nothing left to ask."""
    answered: int
    score: Score


def run(
    attack: Attack, world: World, server: Any, counts: np.ndarray, checkpoints: tuple[int, ...] = CHECKPOINTS,
    *, sweeps: int = 1500, once: bool = False,
) -> Iterator[Outcome]:  # fmt: skip
    """Let an attack ask, and hold its claims to the truth after so many requests."""
    evidence, outside = Evidence(world), Outside(server)
    possible, plan, before = world.frame.possible, attack.requests(evidence), 0
    claims = Claims.of_nothing(world.frame.size)
    for checkpoint in checkpoints:
        while outside.asked < checkpoint and (ask := next(plan, None)) is not None:
            evidence.add(outside.ask(ask))
        if outside.asked > before:
            claims = claims_of(attack, evidence, sweeps=sweeps, once=once)
        before = outside.asked
        answered = sum(seen.released for seen in evidence.answers)
        yield Outcome(attack.name, checkpoint, outside.asked, answered, score(claims, counts, possible))


def claims_of(attack: Attack, evidence: Evidence, *, sweeps: int, once: bool) -> Claims:
    """What an attacker claims by now; once: from each figure as it was seen first."""
    if not once:
        attack.conclude(evidence)
    claims = believe(evidence.world, evidence.figures(first_only=once), sweeps=sweeps)
    return replace(claims, contradictions=claims.contradictions + evidence.contradictions)


def attacked(
    population: Population, method: Method, rules: fw.server.ServerRules, seed: int, *, sweeps: int = 1500,
    behind: Callable[[Any], Any] = lambda server: server,
) -> list[Outcome]:  # fmt: skip
    """All attacks, all of them together, and the benchmark; on the servers themselves, or on what they are behind."""
    world = world_of(population, method, rules)
    found: list[Outcome] = []
    attacks = [make() for make in ATTACKS]
    for attack in (*attacks, Together([make() for make in ATTACKS])):
        server = behind(server_of(population, method, rules, seed))
        found += run(attack, world, server, population.counts, sweeps=sweeps)
    for benchmark, known in ((EveryFigure(), world), (EveryFigure(APART), replace(world, draws=OF_REQUESTS))):
        server = behind(server_of(population, method, rules, seed))
        found += run(benchmark, known, server, population.counts, (10**9,), sweeps=sweeps, once=True)
    return found
