"""A unit: columns that depend on each other and on nothing else, how chains walk them, and what is asked of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ..kernels.kernel import Kernel
from ..lines.weights import Weights


def _none() -> np.ndarray:
    return np.zeros(0, dtype=np.int64)


def _learnt(item: Any) -> Iterator[Any]:
    """The numbers and arrays that a kernel is made of; what it is told of the release follows from that."""
    if isinstance(item, (int, float, np.ndarray)):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from _learnt(part)
    elif isinstance(item, Kernel):
        for field_of in fields(item):  # type: ignore[arg-type]
            yield from _learnt(getattr(item, field_of.name))


@dataclass(frozen=True, eq=False)
class Unit:
    """Columns of a release in the order its kernels want them, counted from `offset` on.

    A chain's table holds x - offset; lower and upper are the bounds of that. `shares` says how many draws of each kernel
    in turn are made, `stretch` how many times its usual steps such a draw takes.
    """

    columns: np.ndarray
    offset: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    weights: Weights
    kernels: tuple[Kernel, ...]
    certificate: Certificate
    sums: Any
    """Sums of the unit's columns that are asked about too, as sparse rows."""
    shares: tuple[int, ...] = (1 << 40,)
    stretch: tuple[int, ...] = ()
    """None: all as usual. A kernel that hardly moves the table is to be seen seldom: every draw counts alike, and many of
    nearly the same table would count for more than they say."""
    asked: np.ndarray = field(default_factory=_none)
    """Which questions about the release concern the unit; `answered` says which question of the unit each is, in part."""
    answered: np.ndarray = field(default_factory=_none)
    further: tuple[str, ...] = ()
    """Names of the last columns where these are none of the release (-1 in `columns`) but hidden states of the chain."""
    aside: np.ndarray = field(default_factory=_none)
    """Columns whose entropies nobody asks for: chains must agree on them, but need not go on until these are known well."""

    @property
    def n_questions(self) -> int:
        """Columns, then sums."""
        return len(self.columns) + self.sums.shape[0]

    @property
    def most_waiting(self) -> int:
        """Credits that may have to wait until the windows of a chain are widened."""
        return max(kernel.most_credits(len(self.columns)) for kernel in self.kernels) + self.n_questions

    @property
    def words(self) -> str:
        """How it is walked."""
        if len(self.kernels) == 1:
            return self.kernels[0].words
        walked = [n * self.stretched(k) for k, n in enumerate(self.shares)]
        total = sum(walked)
        shares = [f"{n / total:.0%}" if n > 0.005 * total else "few" for n in walked]
        return ", ".join(f"{share} {kernel.words}" for share, kernel in zip(shares, self.kernels, strict=True))

    def stretched(self, kernel: int) -> int:
        """How many times its usual steps a draw of a kernel takes."""
        return self.stretch[kernel] if self.stretch else 1

    def digest(self) -> str:
        """A name for how it is walked, after tuning: the same kernels with what they learnt, by turns of the same length."""
        digest = hashlib.sha256(repr((self.shares, self.stretch)).encode())
        for kernel in self.kernels:
            digest.update(type(kernel).__name__.encode())
            for item in _learnt(kernel):
                digest.update(
                    f"{item!r}|".encode() if isinstance(item, (int, float)) else np.ascontiguousarray(item).tobytes()
                )
        return digest.hexdigest()

    def question_offset(self) -> np.ndarray:
        """What is to be added to the value of each question."""
        return np.concatenate([self.offset, self.sums @ self.offset])

    def first_values(self) -> np.ndarray:
        """The value of every question in the first table, as chains have it."""
        table = self.start - self.offset
        return np.concatenate([table, self.sums @ table]).astype(np.int64)

    def question_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of every question; those of sums need not be sharp."""
        plus, minus = self.sums.maximum(0), self.sums.minimum(0)
        low, high = plus @ self.lower + minus @ self.upper, plus @ self.upper + minus @ self.lower
        return np.concatenate([self.lower, low]), np.concatenate([self.upper, high])
