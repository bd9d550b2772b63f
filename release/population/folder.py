"""The tables of a population from files: one table a file, and beside them what says who may exist.

A folder holds long files, as `read_release` takes them, and may hold `population.json`:

    {"dims": {"age": {"from": 0, "to": 115}, "sex": ["f", "m"]},
     "recodes": {"age": {"age group": {"0-4": {"from": 0, "to": 4}, ...}}},
     "where": [[{"marital": "married"}, {"age": {"from": 15, "to": 115}}]],
     "about": {"P14": {"age": {"from": 0, "to": 19}}}}

Without it every column of the tables is a dim, with the labels that occur in any of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...base.errors import InputError, did_you_mean
from ..reading import read_release
from ..release import Release
from .population import PopulationRelease, population

DECLARED = "population.json"
ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
KEYS = ("dims", "recodes", "where", "about")


def read_population(paths: Sequence[str | os.PathLike[str]], *, total: str = "Total") -> PopulationRelease:
    """The tables of a folder, or of files."""
    files, declared = _files([Path(path) for path in paths])
    tables = {file.stem: read_release(file, total=total) for file in files}
    if len(tables) < len(files):
        raise InputError("two of the files have the same name; tables are called by the names of their files.")
    said = {} if declared is None else _said(declared)
    about = said.get("about", {})
    for name in about:
        if name not in tables:
            raise InputError(f"{declared}: 'about' names the table {name!r}; {did_you_mean(name, list(tables))}")
    who = population(said.get("dims") or _dims(tables), recodes=said.get("recodes"), where=said.get("where", ()))
    return who.published({name: (table, about.get(name, {})) for name, table in tables.items()})


def _files(paths: list[Path]) -> tuple[list[Path], Path | None]:
    """The files of tables, and the one that says who may exist."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    declared = [file for file in files if file.name == DECLARED]
    tables = [file for file in files if file.suffix.lower() in ENDINGS]
    if len(declared) > 1:
        raise InputError(f"{declared[1]}: there is another {DECLARED}; give the tables of one population at a time.")
    if not tables:
        raise InputError(f"{paths[0]}: there is no table here; tables are long files ({', '.join(ENDINGS)}).")
    return tables, declared[0] if declared else None


def _said(path: Path) -> dict[str, Any]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise InputError(f"{path} cannot be read as JSON: {problem}.") from None
    if not isinstance(said, dict):
        raise InputError(f"{path}: this is a JSON object with {', '.join(KEYS)}.")
    for key in said:
        if key not in KEYS:
            raise InputError(f"{path} says {key!r}; {did_you_mean(str(key), KEYS)}")
    if not isinstance(said.get("about", {}), dict):
        raise InputError(f"{path}: 'about' is an object of table to whom it is about.")
    ranged: dict[str, Any] = _with_ranges(said, str(path))
    return ranged


def _with_ranges(said: Any, where: str) -> Any:
    """{"from": 0, "to": 4} as the numbers it stands for."""
    if isinstance(said, Mapping) and set(said) == {"from", "to"}:
        first, last = said["from"], said["to"]
        if type(first) is not int or type(last) is not int or not first <= last < first + 1_000_000:
            raise InputError(f"{where}: {dict(said)!r} is no range of whole numbers.")
        return list(range(first, last + 1))
    if isinstance(said, Mapping):
        return {key: _with_ranges(value, where) for key, value in said.items()}
    return [_with_ranges(value, where) for value in said] if isinstance(said, list) else said


def _dims(tables: Mapping[str, Release]) -> dict[str, list[str]]:
    """Every dim of any table, with all labels that occur."""
    labels: dict[str, dict[str, None]] = {}
    for table in tables.values():
        for dim in table.dims:
            labels.setdefault(dim.name, {}).update(dict.fromkeys(dim.labels))
    return {name: list(own) for name, own in labels.items()}
