"""Which file of the package imports which, read from the sources: inside functions too, but not for type checkers alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("base", "release", "fiber", "moves", "sampler", "protect", "posterior", "risk")
"""The corridor: each room imports from those before it. The face comes after all of them."""

Graph = Mapping[str, set[str]]


@dataclass(frozen=True)
class Source:
    """A file by its dotted name within the package; the face's own stand at the top, its `__init__` is ""."""

    name: str
    path: Path

    @property
    def folder(self) -> str:
        """The dotted name of its folder."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


def sources(root: Path) -> dict[str, Source]:
    """All files of a checkout that are installed."""
    face = root / "src" / "fiberwalk"
    found = {}
    for home, folders in ((root, [root / room for room in ROOMS]), (face, [face])):
        for folder in folders:
            for path in sorted(folder.rglob("*.py")):
                parts = path.relative_to(home).with_suffix("").parts
                if home == face and parts[0] in ROOMS:
                    continue  # a link to a room, where links are followed
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[name] = Source(name, path)
    return found


def import_graph(files: Mapping[str, Source]) -> dict[str, set[str]]:
    """For each file those that it imports."""
    return {name: set(imported(one, files)) - {name} for name, one in files.items()}


def imported(source: Source, files: Mapping[str, Source]) -> Iterator[str]:
    """The files that a file imports."""
    package = source.folder.split(".") if source.folder else []
    for node in _imports(ast.parse(source.path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "fiberwalk":
                    yield one.name.partition(".")[2]
            continue
        words = (node.module or "").split(".") if node.module else []
        if node.level:
            words = package[: len(package) - node.level + 1] + words
        elif words[:1] == ["fiberwalk"]:
            words = words[1:]
        else:
            continue
        for one in node.names:
            module = ".".join([*words, one.name])
            yield module if module in files else ".".join(words)


def _imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for one in child.orelse:
                yield from _imports(one)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):  # nothing is imported by an expression
            yield from _imports(child)


def circles(graph: Graph) -> list[list[str]]:
    """Sets of nodes that can be reached from each other (strongly connected components of more than one)."""
    reach = {node: _reached(graph, node) for node in graph}
    found = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph}
    return sorted(sorted(one) for one in found if len(one) > 1)


def _reached(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += graph.get(node, ())
    return seen


def siblings(graph: Graph, folder: str) -> dict[str, set[str]]:
    """The same for what stands in one folder, each of its sub-folders taken as one."""
    inside = f"{folder}." if folder else ""

    def member(name: str) -> str | None:
        return name[len(inside) :].split(".")[0] if name.startswith(inside) and name != folder else None

    found: dict[str, set[str]] = {}
    for one, others in graph.items():
        if (here := member(one)) is not None:
            found.setdefault(here, set()).update(there for b in others if (there := member(b)) not in (None, here))
    return found


def steps_back(graph: Graph, order: Iterable[str]) -> list[tuple[str, str]]:
    """Imports of what comes later in an order; whatever the order does not name comes last."""
    rank = {name: place for place, name in enumerate(order)}
    return sorted(
        (one, other) for one, others in graph.items() for other in others if rank.get(one, 99) < rank.get(other, 99)
    )
