"""Calls of items, run: what each gave, how long it took, and what is wrong with it."""

from __future__ import annotations

import ast
import contextlib
import shlex
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

import fiberwalk as fw

from .item import COMMAND, Item, differs
from .names import prepare, write_files

WIDTH = 60
"""Characters of a result that are shown."""


@dataclass(frozen=True)
class Ran:
    """A call that was run."""

    item: Item
    shown: str
    wrong: str
    """Empty where the call reaches something public, ends well, and gives the printed figure."""
    seconds: float


@dataclass(frozen=True)
class Prepared:
    """The names that expressions use, and the folder with the files of command lines."""

    names: Mapping[str, Any]
    folder: Path


@contextlib.contextmanager
def prepared() -> Iterator[Prepared]:
    """What calls need, for as long as they are run."""
    names = prepare()
    with TemporaryDirectory() as folder:
        write_files(names, Path(folder))
        yield Prepared(names, Path(folder))


def run(item: Item, given: Prepared) -> Ran:
    """Run the call of an item. Whatever is wrong with it is told, not raised."""
    began = time.perf_counter()
    shown, wrong = "", ""
    try:
        reached(item.call, given.names)
        result = _told(item.call, given.folder) if item.call.startswith(COMMAND) else eval(item.call, dict(given.names))
        shown = in_short(result)
        wrong = differs(result, item.figure) if item.figure else ""
    except Exception as problem:  # of any kind: one call that fails must not hide the others
        wrong = f"{type(problem).__name__}: {problem}"
    return Ran(item, shown, wrong, time.perf_counter() - began)


def reached(call: str, names: Mapping[str, Any]) -> set[str]:
    """The public names that a call reaches: of fw, of an object that fw made, or a command. None at all is an error."""
    if call.startswith(COMMAND):
        return {f"{COMMAND}{_command(shlex.split(call)[1]).name}"}
    found = set()
    for chain in _chains(ast.parse(call, mode="eval")):
        if any(part.startswith("_") for part in chain):
            raise ValueError(f"{'.'.join(chain)} is private")
        if chain[0] == "fw":
            found.add(_public(chain))
        elif len(chain) > 1 and type(names.get(chain[0])).__name__ in results():
            found.add(f"{results()[type(names[chain[0]]).__name__]}.{chain[1]}")
    if not found:
        raise ValueError("the call reaches no public name of fiberwalk")
    return found


def in_short(result: Any) -> str:
    """A result in a few words, the same on every machine."""
    if isinstance(result, (bool, np.bool_, str)):
        text = str(result)
    elif isinstance(result, (int, float, np.number)):
        text = f"{result:.6g}"
    elif isinstance(result, (list, tuple)):
        text = ", ".join(in_short(one) for one in result)
    elif hasattr(result, "shape") and np.prod(result.shape) <= 16:
        text = ", ".join(in_short(one) for one in np.ravel(result))
    elif hasattr(result, "shape"):
        text = f"{type(result).__name__} of {' x '.join(map(str, result.shape))}"
    elif type(result).__name__ in results():
        text = repr(result)
    else:
        text = type(result).__name__
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _chains(tree: ast.AST) -> Iterator[list[str]]:
    """Every dotted name of an expression, as long as it is: fw.risk.r1 as one."""
    inner: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in inner or not isinstance(node, (ast.Attribute, ast.Name)):
            continue
        chain: list[str] = []
        below: ast.AST = node
        while isinstance(below, ast.Attribute):
            chain.insert(0, below.attr)
            below = below.value
            inner.add(id(below))
        yield [below.id, *chain] if isinstance(below, ast.Name) else ["", *chain]


def _public(chain: list[str]) -> str:
    place: Any = fw
    for depth, part in enumerate(chain[1:], start=1):
        if not isinstance(place, ModuleType):
            return ".".join(chain[:depth])
        if part not in place.__all__:
            raise ValueError(f"{'.'.join(chain[: depth + 1])} is no public name")
        place = getattr(place, part)
    return ".".join(chain)


@cache
def results() -> dict[str, str]:
    """The classes of all namespaces: how each is called by users."""
    found = {}
    places = [("fw", fw)]
    for called, place in places:
        for name in place.__all__:
            value = getattr(place, name)
            if isinstance(value, ModuleType):
                places.append((f"{called}.{name}", value))
            elif isinstance(value, type):
                found[name] = f"{called}.{name}"
    return found


def _command(name: str) -> Any:
    from fiberwalk.commands.main import main

    if name not in main.commands:
        raise ValueError(f"there is no command {name!r}")
    return main.commands[name]


def _told(call: str, folder: Path) -> str:
    """What a command prints; an exit status other than 0 is an error."""
    from click.testing import CliRunner

    from fiberwalk.commands.main import main

    with contextlib.chdir(folder):
        found = CliRunner().invoke(main, shlex.split(call)[1:])
    if found.exit_code:
        raise RuntimeError(f"exit status {found.exit_code}: {found.output}")
    return found.output
