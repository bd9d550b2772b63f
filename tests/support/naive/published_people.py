"""Random small populations and what is published of them: tables of every kind and figures of every kind.

Of each there is what fiberwalk is given, and how probable its publication was for a population, from the definitions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import fiberwalk as fw
from support.naive import statistics as naive
from support.naive.people import World

People = list[dict]
HALF = Fraction(1, 2)
WAYS = ("exact", "suppressed", "within", "nearest", "random")
ROUNDINGS = ("nearest", "down", "up", "exact")
KINDS = ("mean", "median", "quantile", "share", "ratio", "smallest", "largest", "distinct", "withheld", "between")


class Shown:
    """A published table: what fiberwalk is given, and how probably a population would have been published like that."""

    def __init__(self, world: World, people: People, axes: list[str], about: dict, how: str, seed: int = 1):
        self.world, self.axes, self.about, self.how = world, axes, about, how
        shown = [world.labels(axis) for axis in axes]
        self.cells = list(itertools.product(*shown))
        counts = world.table(people, axes, about)
        self.counts = [counts[cell] for cell in self.cells]
        values = np.reshape(self.counts, [len(labels) for labels in shown])
        table = fw.table(values, dims=axes, labels=dict(zip(axes, shown, strict=True)))
        if how == "suppressed" and not (values == 1).any():
            self.how = how = "exact"
        if how in ("within", "nearest"):
            given: Any = fw.round_to(table, base=3, rounding=how, margins=[])
        elif how == "random":
            given = fw.protect.random_round(table, 3, seed=seed)
        elif how == "suppressed":
            given = fw.suppress(table, where=values == 1, margins=[""])
        else:
            given = table
        self.given = (given, about) if about else given
        if how in ("within", "nearest", "random"):
            self.figures = [int(value) for value in np.asarray(given.published.values).ravel()]

    def likelihood(self, people: People) -> float:
        """How probable what was published is for a population."""
        counts = self.world.table(people, self.axes, self.about)
        now = [counts[cell] for cell in self.cells]
        if self.how == "exact":
            return float(now == self.counts)
        if self.how == "suppressed":
            kept = all(a == b for a, b in zip(now, self.counts, strict=True) if b != 1)
            return float(kept and sum(now) == sum(self.counts))
        if self.how == "within":
            return float(all(abs(a - figure) < 3 for a, figure in zip(now, self.figures, strict=True)))
        if self.how == "nearest":
            return float(all((a + 1) // 3 * 3 == figure for a, figure in zip(now, self.figures, strict=True)))
        p = 1.0
        for a, figure in zip(now, self.figures, strict=True):
            up = a % 3 / 3
            p *= 1 - up if figure == a - a % 3 else up if figure == a - a % 3 + 3 else 0.0
        return p

    def __repr__(self) -> str:
        return f"Shown({self.axes}, {self.about}, {self.how}, {self.counts})"


@dataclass
class Figure:
    """Something else that is published of a group."""

    group: dict
    facts: tuple[Any, ...]
    limits: dict[str, int]
    agrees: Callable[[People], bool]
    story: Any

    def __repr__(self) -> str:
        return f"Figure({self.group}, {self.story})"


def some_labels(world: World, axes: list[str], most: int = 2) -> st.SearchStrategy[dict]:
    """A group {dim or recode: labels}."""

    def of(names: list[str]) -> st.SearchStrategy[dict]:
        return st.fixed_dictionaries(
            {name: st.lists(st.sampled_from(world.labels(name)), min_size=1, unique=True) for name in names}
        )

    return st.lists(st.sampled_from(axes), max_size=most, unique=True).flatmap(of)


@st.composite
def worlds(draw: Any) -> World:
    """A domain of some ages, two sexes and perhaps two towns, with recodes that may overlap and rules."""
    step, first = Fraction(draw(st.sampled_from(["1", "0.5", "7"]))), draw(st.integers(0, 2))
    ages = tuple(f"{float((first + i) * step):g}" for i in range(draw(st.integers(2, 4))))
    dims: dict[str, tuple[str, ...]] = {"age": ages, "sex": ("f", "m")}
    if len(ages) < 4 and draw(st.booleans()):
        dims["town"] = ("A", "B")
    cut = draw(st.integers(1, len(ages) - 1))
    recodes = {
        "age": {
            "band": {"low": ages[:cut], "high": ages[cut:]},
            "some": {"x": ages[:2], "y": ages[1:], "all": ages},
        },
        "sex": {"who": {"anybody": ("f", "m"), "once more": ("m", "f"), "men": ("m",)}},
    }
    free = World(dims, recodes, [])
    rules = draw(
        st.lists(st.tuples(some_labels(free, list(dims)), some_labels(free, [*dims, "band"], most=1)), max_size=2)
    )
    world = World(dims, recodes, rules)
    assume(world.records)
    return world


@st.composite
def shown(draw: Any, world: World, people: People, seed: int) -> Shown:
    """A table of some people; a random method has numbers of its own by the seed."""
    axes = draw(st.lists(st.sampled_from(world.axes), min_size=1, max_size=3, unique=True))
    hidden = [dim for dim in world.dims if all(dim != world.dim_of(axis) for axis in axes)]
    about = draw(some_labels(world, hidden, most=1)) if hidden and draw(st.integers(0, 3)) == 0 else {}
    return Shown(world, people, axes, about, draw(st.sampled_from(("exact", *WAYS))), seed)


@st.composite
def figures(draw: Any, world: World, people: People) -> Figure:
    """A figure of some people."""
    group = draw(some_labels(world, world.axes))
    kind = draw(st.sampled_from(KINDS))

    def inside(some: People) -> People:
        return [person for person in some if world.inside(person, group)]

    if kind == "between":
        n = len(inside(people))
        low, high = max(n - draw(st.integers(0, 1)), 0), n + draw(st.integers(0, 1))
        limits = {"exactly": n} if low == high else {"at_least": low, "at_most": high}
        return Figure(group, (), limits, lambda some: low <= len(inside(some)) <= high, limits)
    if kind == "withheld":
        fewer, zeros = draw(st.integers(2, 4)), draw(st.booleans())
        fact = fw.facts.withheld(fewer_than=fewer, zeros_hidden=zeros)
        least = 0 if zeros else 1
        assume(least <= len(inside(people)) < fewer)
        return Figure(group, (fact,), {}, lambda some: least <= len(inside(some)) < fewer, (kind, fewer, zeros))
    if kind == "distinct":
        axis = draw(st.sampled_from(world.axes))

        def number(some: People) -> int:
            return len({label for person in inside(some) for label in world.groups(person, axis)})

        there = number(people)
        return Figure(
            group, (fw.facts.distinct(there, axis),), {}, lambda some: number(some) == there, (kind, axis, there)
        )
    return _value(draw, world, people, group, kind, inside)


def _value(draw: Any, world: World, people: People, group: dict, kind: str, inside: Any) -> Figure:
    """A figure that is a number, rounded or not."""
    q = draw(st.sampled_from([Fraction(1, 4), Fraction(2, 3)])) if kind == "quantile" else HALF
    q = Fraction(repr(float(q))).limit_denominator(10_000)
    times = 100 if kind == "share" else draw(st.sampled_from([1, 10]))
    other: dict = {}
    if kind == "share":
        other = {dim: labels for dim, labels in group.items() if draw(st.booleans())}
    elif kind == "ratio":
        other = draw(some_labels(world, world.axes))

    def value(some: People) -> Fraction | None:
        if kind in ("share", "ratio"):
            n = sum(world.inside(person, other) for person in some)
            return Fraction(times * len(inside(some)), n) if n else None
        ages = [Fraction(person["age"]) for person in inside(some)]
        if not ages:
            return None
        if kind in ("smallest", "largest"):
            return min(ages) if kind == "smallest" else max(ages)
        return naive.mean(ages) if kind == "mean" else naive.quantile(ages, q)

    true = value(people)
    assume(true is not None)
    assert true is not None
    rounding = "exact" if kind in ("smallest", "largest") else draw(st.sampled_from(ROUNDINGS))
    decimals = draw(st.integers(0, 1))
    if rounding == "exact":
        assume(true == Fraction(repr(float(true))))
        written = repr(float(true))
    else:
        written = naive.written(true, decimals, rounding)
    how: dict[str, Any] = {"decimals": decimals, "rounding": rounding}
    makers: dict[str, Callable[[], Any]] = {
        "share": lambda: fw.facts.share(written, of=other, **how),
        "ratio": lambda: fw.facts.ratio(written, to=other, per=times, **how),
        "quantile": lambda: fw.facts.quantile(written, "age", at=float(q), **how),
        "smallest": lambda: fw.facts.smallest(written, "age"),
        "largest": lambda: fw.facts.largest(written, "age"),
        "mean": lambda: fw.facts.mean(written, "age", **how),
        "median": lambda: fw.facts.median(written, "age", **how),
    }

    def agrees(some: People) -> bool:
        there = value(some)
        return there is not None and naive.may_be_written(there, written, decimals, rounding)

    return Figure(group, (makers[kind](),), {}, agrees, (kind, written, how, other, times, q))
