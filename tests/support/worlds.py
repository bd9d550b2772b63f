"""Random small publications: the release under test, and the same facts written down naively."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import xarray as xr
from hypothesis import assume
from hypothesis import strategies as st

import fiberwalk as fw
from support.naive import tables as naive


@dataclass
class World:
    """A release, its naive facts, and the cells of every sum that is asked about (by its labels)."""

    release: fw.Release
    facts: list[naive.Fact]
    values: np.ndarray
    hidden: list[int]
    questions: dict[tuple[str, ...], list[int]]
    hidden_margins: list[str]
    own: dict[int, int]
    story: str

    def tables(self) -> list[tuple[int, ...]]:
        try:
            return naive.tables(self.values.size, self.facts)
        except naive.TooMany:
            assume(False)
            raise AssertionError from None

    def labels(self, cell: int) -> tuple[str, ...]:
        return tuple(str(i + 1) for i in np.unravel_index(cell, self.values.shape))


DIMS = "ABCD"


@st.composite
def arrays(draw, least_dims=1, most_dims=4, most_cells=12, most_count=4):
    n = draw(st.integers(least_dims, most_dims))
    shape: list[int] = []
    for left in range(n, 0, -1):
        room = most_cells // int(np.prod(shape, initial=1)) // 2 ** (left - 1)
        shape.append(draw(st.integers(1 if n > 1 else 2, max(2, min(room, 5)))))
    assume(np.prod(shape) <= most_cells)
    flat = draw(st.lists(st.integers(0, most_count), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(flat).reshape(shape)


def _groupings(draw, shape):
    """For some axes with three or more labels a hierarchy of two groups: axis -> group of each position."""
    chosen = {}
    for axis, size in enumerate(shape):
        if size >= 3 and draw(st.booleans()):
            cut = draw(st.integers(1, size - 1))
            chosen[axis] = ["low" if i < cut else "high" for i in range(size)]
    return chosen


def _levels(shape, groupings, depth):
    """All groupings that a margin may use on each axis: positions, groups, nothing."""
    choices = []
    for axis, size in enumerate(shape):
        options = [(DIMS[axis], [str(i + 1) for i in range(size)])]
        if axis in groupings:
            options.append((f"{DIMS[axis]}:1", groupings[axis]))
        options.append((None, ["Total"] * size))
        choices.append(options)
    return [margin for margin in itertools.product(*choices)][depth:]


def _name(margin) -> str:
    return ",".join(name for name, _ in margin if name)


def _sums(shape, margin):
    sums: dict[tuple[str, ...], list[int]] = {}
    for number, position in enumerate(itertools.product(*(range(n) for n in shape))):
        key = tuple(labels[i] for (_, labels), i in zip(margin, position, strict=True))
        sums.setdefault(key, []).append(number)
    return sums


def _exact(values, margins) -> list[naive.Fact]:
    return [fact for margin in margins for fact in naive.margin_facts(values, [groups for _, groups in margin])]


def _cell(number, low, high) -> naive.Fact:
    return frozenset([number]), low, high


@st.composite
def worlds(  # noqa: PLR0915  (one strategy: each kind of release draws what it needs)
    draw, kinds=("publish", "suppress", "round", "merge"), outside=True, **sizes
) -> World:
    values = draw(arrays(**sizes))
    shape, flat = values.shape, values.ravel().tolist()
    kind = draw(st.sampled_from(kinds))
    groupings = _groupings(draw, shape)
    if kind == "merge":
        groupings = {}
    hierarchies = {
        DIMS[axis]: {g: [str(i + 1) for i, h in enumerate(groups) if h == g] for g in ("low", "high")}
        for axis, groups in groupings.items()
    }
    table = xr.DataArray(
        values, dims=list(DIMS[: values.ndim]),
        coords={DIMS[a]: [str(i + 1) for i in range(n)] for a, n in enumerate(shape)},
    )  # fmt: skip
    margins = _levels(shape, groupings, 1)
    some = draw(st.lists(st.sampled_from(margins), min_size=1, max_size=3, unique_by=_name))
    hidden = list(range(values.size))
    story = f"{kind} of {values.tolist()}, margins {[_name(m) for m in some]}, groups {groupings}"
    if kind == "publish":
        release = fw.publish(fw.table(table, hierarchies=hierarchies), [_name(m) for m in some])
        facts = _exact(values, some)
    elif kind == "suppress":
        mask = np.array(draw(st.lists(st.booleans(), min_size=values.size, max_size=values.size)))
        assume(mask.any())
        hidden = np.flatnonzero(mask).tolist()
        everything = draw(st.booleans())
        some = margins if everything else [*some, margins[-1]]
        release = fw.suppress(
            fw.table(table, hierarchies=hierarchies), where=mask.reshape(shape),
            margins=None if everything else [_name(m) for m in some],
        )  # fmt: skip
        facts = _exact(values, some) + [_cell(i, flat[i], flat[i]) for i in range(values.size) if not mask[i]]
        story += f", hidden {hidden}, every margin {everything}"
    elif kind == "round":
        base = draw(st.integers(2, 4))
        rule = draw(st.sampled_from(["nearest", "within"]))
        release = fw.round_to(fw.table(table, hierarchies=hierarchies), base, rule, margins=[_name(m) for m in some])
        facts = []
        for cells, total, _ in _exact(values, some) + [_cell(i, v, v) for i, v in enumerate(flat)]:
            published = base * ((2 * total + base) // (2 * base))
            fits = [
                v for v in range(total + 2 * base)
                if (abs(v - published) < base if rule == "within" else base * ((2 * v + base) // (2 * base)) == published)
            ]  # fmt: skip
            facts.append((cells, min(fits), max(fits)))
        story += f", base {base} {rule}"
    else:
        axis = draw(st.integers(0, values.ndim - 1))
        assume(shape[axis] >= 2)
        label = ["1|2" if i < 2 else str(i + 1) for i in range(shape[axis])]
        release = fw.merge(table, {DIMS[axis]: {"1|2": ["1", "2"]}})
        options = []
        for a, n in enumerate(shape):
            finest = label if a == axis else [str(i + 1) for i in range(n)]
            options.append([(None, finest), (None, ["Total"] * n)])
        facts = _exact(values, list(itertools.product(*options)))
        index = np.indices(shape)[axis].ravel()
        hidden = [i for i in range(values.size) if index[i] < 2]
        story += f", merged on {DIMS[axis]}"
    own: dict[int, int] = {}
    if outside and draw(st.booleans()):
        cell = draw(st.sampled_from(hidden))
        how = draw(st.sampled_from(["at_least", "at_most", "own"]))
        amount = max(0, flat[cell] + draw(st.integers(0, 1)) * (1 if how == "at_most" else -1))
        named = {DIMS[a]: str(i + 1) for a, i in enumerate(np.unravel_index(cell, shape))}
        release = release.knows(named, **{how: amount})
        facts.append(_cell(cell, 0, amount) if how == "at_most" else _cell(cell, amount, 10**6))
        if how == "own":
            own[cell] = amount
        story += f", known {named} {how} {amount}"
    asked = draw(st.sampled_from(margins))
    published = {cells for cells, low, high in facts if low == high and len(cells) > 1} if kind != "round" else set()
    questions = {key: cells for key, cells in _sums(shape, asked).items() if frozenset(cells) not in published}
    return World(release, facts, values, hidden, questions, [_name(asked)], own, story)
