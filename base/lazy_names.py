"""Namespaces whose names are loaded when they are first used; each stands once, in the stub (.pyi) beside the namespace.

Type checkers read the stub, and so does Python here. (The package lazy_loader does this too, but only for what lies below
the namespace itself; ours also collect names of other rooms.)
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Any


def from_stub(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a module takes as its `__getattr__`, `__dir__` and `__all__`, to have the names of its stub and no others."""
    stub = Path(file).with_suffix(".pyi")
    package = module if stub.stem == "__init__" else module.rpartition(".")[0]
    homes: dict[str, tuple[str, str]] = {}
    for line in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom):
            home = resolve_name("." * line.level + (line.module or ""), package)
            homes |= {name.asname or name.name: (home, name.name) for name in line.names}
    names = sorted(homes)

    def __getattr__(name: str) -> Any:  # noqa: N807 (it becomes the module's own)
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}{_elsewhere(name)}")
        value = _loaded(*homes[name], package)
        setattr(sys.modules[module], name, value)
        return value

    return (
        __getattr__,
        lambda: [*names, *(["__version__"] if hasattr(sys.modules[module], "__version__") else [])],
        names,
    )


def _elsewhere(name: str) -> str:
    """Where a public name is that somebody looks for in another namespace; by the stubs alone, nothing is loaded."""
    if name.startswith("_"):  # notebooks and copying ask for many of these
        return ""
    root = Path(str(sys.modules["fiberwalk"].__file__)).parent
    stubs = {"fw": root / "__init__.pyi"}
    stubs |= {f"fw.{path.parent.name}": path for path in root.glob("*/__init__.pyi")}
    stubs |= {f"fw.{path.stem}": path for path in root.glob("[!_]*.pyi")}
    found = [
        called for called, path in stubs.items() if re.search(rf" as {name}$", path.read_text("utf-8"), re.MULTILINE)
    ]
    return f"; it is {' or '.join(f'{called}.{name}' for called in found)}" if found else ""


def _loaded(home: str, name: str, package: str) -> Any:
    """A name of a module, or a module of a package; a package that is being asked itself has no other names."""
    if home != package:
        found = getattr(import_module(home), name, None)
        if found is not None:
            return found
    return import_module(f"{home}.{name}")
