"""One request as the log keeps it, and the version of the server that answered it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ...protect.mechanism.keyed_hash import secret_number_of_many
from ..cube.request import Request

if TYPE_CHECKING:
    from ..cube.hypercube import Hypercube
    from ..protecting.making import Maker
    from ..rules import ServerRules


@dataclass(frozen=True)
class Entry:
    """A request, and what came of it. It holds no figure."""

    number: int
    at: str
    """When it was answered, in UTC."""
    user: str
    request: Request
    released: bool
    notice: str
    by_figures: bool
    """Was there a protected table, released or refused by its figures? Of a request that breaks a rule there is none."""
    version: int
    digest: str
    """By which the agency knows the figures again; it follows from the secret seed as well, and tells nothing of them."""


@dataclass(frozen=True)
class Version:
    """What a server was when it answered: its data, keys, rules and method."""

    digest: str
    words: str
    """The rules and the method, as people read them."""


def written(request: Request) -> str:
    """A request as text."""
    where = {dim: list(labels) for dim, labels in request.where}
    return json.dumps([list(request.dims), where, request.of, request.mean, request.totals], ensure_ascii=False)


def read(text: str) -> Request:
    """A request from its text."""
    dims, where, of, mean, totals = json.loads(text)
    return Request(tuple(dims), tuple((dim, tuple(labels)) for dim, labels in where.items()), of, mean, totals)


def digest_of(figures: np.ndarray | None, seed: int) -> str:
    """The digest of some figures; empty where there are none."""
    return "" if figures is None else _hex(seed, [np.ascontiguousarray(figures).tobytes().hex()])


def version_of(maker: Maker, rules: ServerRules, before: str) -> Version:
    """What a server is: another where data, keys, rules or method differ."""
    cube = maker.cube
    method = before or (maker.after.words if maker.after is not None else "nothing")
    words = f"{rules!r}; protected by {method}"
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # every number of a matrix, and all its digits
        parameters = "" if maker.after is None else repr(sorted(maker.after.parameters.items(), key=str))
    digest = _hex(cube.seed, chain((words, parameters), _bytes_of(cube)))
    return Version(digest, words)


def _bytes_of(cube: Hypercube) -> Iterator[str]:
    for column in cube.columns:
        yield json.dumps([column.name, *column.labels])
    for array in (cube.counts, cube.keys, *(column.codes for column in cube.columns)):
        yield np.ascontiguousarray(array).tobytes().hex()


def _hex(seed: int, words: Iterable[str]) -> str:
    return f"{secret_number_of_many(seed, chain(('log',), words), 12):024x}"
