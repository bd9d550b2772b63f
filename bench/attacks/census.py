"""The oracles of the table server as it was, on a census hypercube: empty cells, refusals, fresh draws.

A hypercube of a quarter of a million cells has too many unknowns for joint bounds; here each figure is judged by itself,
which was enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

import fiberwalk as fw

from .knowledge.evidence import Evidence
from .knowledge.laws import Law
from .knowledge.outside import Ask, Outside
from .knowledge.population import Box, Frame
from .knowledge.world import OF_TABLES, World
from .servers import METHODS, NOISE, Method, rebuilt
from .ways.refusals import Refusals

LARGEST = 60
"""Larger figures tell nothing of small counts."""
DRAWS = 140
GROUP = 3


class OfSmallCounts(Law):
    """A law that is told for small counts; larger figures are taken as they are, which are no small counts in any case."""

    def logs(self, figure: int) -> tuple[int, np.ndarray]:
        """As of the law; beyond, the figure itself."""
        return super().logs(figure) if figure <= LARGEST // 2 else (figure, np.zeros(1))


def cube_and_frame() -> tuple[Any, Frame]:
    """The hypercube, with a level of three classes of age."""
    cube = fw.examples.hypercube()
    dims = {dim: tuple(cube[dim].values.tolist()) for dim in cube.dims}
    ages = dims["age"]
    bands = {f"band {place // GROUP}": ages[place : place + GROUP] for place in range(0, len(ages), GROUP)}
    band_of = {label: band for band, labels in bands.items() for label in labels}
    banded = cube.assign_coords(band=("age", [band_of[label] for label in ages]))
    return banded, Frame(dims, {"band": ("age", bands)})


def served(cube: Any, method: Method, rules: fw.server.ServerRules, seed: int) -> Outside:
    """A server of the hypercube, from outside."""
    options = {"mechanism": method.mechanism, "parameters": dict(method.parameters), "hierarchies": {"age": "band"}}
    return Outside(fw.server.TableServer(cube, rules=rules, seed=seed, **options))


def empty_cells(seed: int = 1) -> str:
    """Education and citizenship of each age, with and without the band that the age is in."""
    cube, frame = cube_and_frame()
    method = replace(METHODS[2], parameters={"noise": NOISE})
    evidence = Evidence(_world(frame, method.law(LARGEST, rebuilt()), fw.server.ServerRules()))
    outside = served(cube, METHODS[2] if rebuilt() else method, fw.server.ServerRules(), seed)
    for label in frame.labels("age"):
        for dims in (("education", "citizenship"), ("education", "citizenship", "band")):
            evidence.add(outside.ask(Ask(dims).with_filter("age", label)))
    truth = {box: _count(cube, box) for box in evidence.draws}
    changed = [box for box, draws in evidence.draws.items() if len(set(draws)) > 1]
    right = sum(truth[box] == 0 for box in changed)
    zeros = sum(count == 0 for count in truth.values())
    return (
        f"add_noise, a level beside its dim: after {outside.asked} requests {len(changed)} of {zeros} true zeros are "
        f"proven, {len(changed) - right} of them wrong"
    )


def refusals() -> str:
    """The README's rules; every slice of two and three dims with one label of a dim of more than two."""
    cube, frame = cube_and_frame()
    rules = fw.server.ServerRules(min_population=1000, max_small_share=0.1)
    evidence = Evidence(_world(frame, METHODS[0].law(LARGEST, rebuilt()), rules))
    outside, attack = served(cube, METHODS[0], rules, 1), Refusals(least_labels=3)
    for ask in islice(attack.requests(evidence), 2000):
        seen = outside.ask(ask)
        evidence.add(seen)
    attack.conclude(evidence)
    zero = [box for box, ends in evidence.told.items() if ends == (0, 0)]
    small = [box for box, ends in evidence.told.items() if ends == (1, 2)]
    wrong = sum(_count(cube, box) != 0 for box in zero) + sum(not 1 <= _count(cube, box) <= 2 for box in small)
    known, slices = attack.found if evidence.world.refusals_see_truth else (0, len(attack.slices))
    return (
        f"random_round, min_population=1000, max_small_share=0.1: after {outside.asked} requests the number of small cells "
        f"is known in {known} of {slices} slices; {len(zero)} cells are certainly 0 and {len(small)} certainly 1 or 2, "
        f"{wrong} of them wrong"
    )


def fresh_draws(seed: int = 1) -> str:
    """Education and citizenship of one age among others that are shown, which are chosen at random."""
    cube, frame = cube_and_frame()
    method = METHODS[-1]
    try:
        outside = served(cube, method, fw.server.ServerRules(), seed)
    except fw.InputError:
        return f"{method.name}: is not offered for tables on request"
    evidence = Evidence(
        replace(_world(frame, method.law(LARGEST, rebuilt()), fw.server.ServerRules()), draws=OF_TABLES)
    )
    target = frame.labels("age")[18]
    for ask in islice(_around(frame, target, seed), DRAWS):
        evidence.add(outside.ask(ask))
    bit = frame.bits("age", (target,))
    small = {
        box: draws
        for box, draws in evidence.draws.items()
        if box[list(frame.dims).index("age")] == bit and max(draws) <= LARGEST // 3
    }
    evidence.draws = small
    sure, right = 0, 0
    for figure in evidence.figures():
        weights = np.exp(figure.logs - figure.logs.max())
        if weights.max() > 0.95 * weights.sum():
            sure += 1
            right += figure.lower + int(weights.argmax()) == _count(cube, figure.box)
    return (
        f"{method.name}: after {outside.asked} requests {sure} of {len(small)} cells of one age have a count with P > 0.95, "
        f"and {right} of these are right"
    )


STUDIES: tuple[Callable[[], str], ...] = (empty_cells, refusals, fresh_draws)


def _around(frame: Frame, target: str, seed: int) -> Iterator[Ask]:
    """Requests that show one label among random others."""
    random, labels = np.random.default_rng(seed), frame.labels("age")
    while True:
        shown = tuple(label for label in labels if label == target or random.random() < 0.5)
        yield Ask(("age", "education", "citizenship")).with_filter("age", *shown)


def _world(frame: Frame, law: Law, rules: fw.server.ServerRules) -> World:
    known = OfSmallCounts(law.probabilities)
    redrawn = len(law.probabilities[0]) > 1
    return World(frame, known, rules, 1_500_000, empties_redrawn=redrawn, refusals_see_truth=not rebuilt())


def _count(cube: Any, box: Box) -> int:
    places = [[place for place in range(size) if bits >> place & 1] for bits, size in zip(box, cube.shape, strict=True)]
    return int(cube.values[np.ix_(*places)].sum())
