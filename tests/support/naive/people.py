"""Small populations by brute force: every multiset of records, held to tables one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter


class World:
    """A domain of few records, with recodes and rules."""

    def __init__(self, dims, recodes, rules):
        self.dims, self.recodes, self.rules = dims, recodes, rules
        names = list(dims)
        self.records = [
            dict(zip(names, labels, strict=True))
            for labels in itertools.product(*dims.values())
            if self.allowed(dict(zip(names, labels, strict=True)))
        ]

    def allowed(self, record):
        return all(self.inside(record, then) for condition, then in self.rules if self.inside(record, condition))

    @property
    def axes(self):
        """All dims and recodes."""
        return [*self.dims, *(name for recodes in self.recodes.values() for name in recodes)]

    def dim_of(self, axis):
        return axis if axis in self.dims else next(dim for dim, own in self.recodes.items() if axis in own)

    def labels(self, axis):
        """The labels of a dim or recode."""
        return list(self.dims[axis] if axis in self.dims else self.recodes[self.dim_of(axis)][axis])

    def groups(self, record, axis):
        """The labels of a dim or recode that a record has: one, none or several."""
        if axis in self.dims:
            return [record[axis]]
        dim = self.dim_of(axis)
        return [group for group, labels in self.recodes[dim][axis].items() if record[dim] in labels]

    def inside(self, record, group):
        return all(set(self.groups(record, axis)) & set(labels) for axis, labels in group.items())

    def table(self, people, axes, about):
        """How many people are in each cell of a table."""
        counts = Counter()
        for record in people:
            if self.inside(record, about):
                for cell in itertools.product(*(self.groups(record, axis) for axis in axes)):
                    counts[cell] += 1
        return counts

    def populations(self, most):
        """Every population of up to so many people, as lists of records."""
        for number in range(most + 1):
            yield from itertools.combinations_with_replacement(self.records, number)


def weight(people, means=None):
    """Of a population under Poisson counts with a mean for each record."""
    product = 1.0
    for record, number in Counter(tuple(person.items()) for person in people).items():
        product *= (1.0 if means is None else means(dict(record))) ** number / math.factorial(number)
    return product
