"""Every kind of file that is read: examples of it, what may become of them, and the verb or command that reads it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main
from verification.fuzzing import examples
from verification.fuzzing.damage import HEAVY, OF_BYTES, OF_TEXTS, Change
from verification.fuzzing.forgery import OF_CHECKPOINTS, OF_PARQUET, OF_RESULTS, OF_WORKBOOKS


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    name: str
    ending: str
    examples: Callable[[], tuple[bytes, ...]]
    changes: dict[str, Change]
    """Those that know what such files hold; any bytes may change besides."""
    read: Callable[[Path], Any]


def _released(path: Path, **options: Any) -> None:
    """A release is read, shown, and written again."""
    release = fw.read_release(path, **options)
    repr(release)
    if release.n_cells <= 10_000:
        release.crosstab()
        release.to_file(path.with_name("again.csv"))


def _by_decimals(path: Path) -> None:
    """As a table of counts, and if that is refused as one of magnitudes."""
    try:
        _released(path)
    except fw.InputError:
        _released(path, decimals=2)


def _without_header(path: Path) -> None:
    _released(path, header=False, missing="hidden")


def _with_hierarchy(path: Path) -> None:
    table = path.with_name("table.csv")
    table.write_bytes(examples.LONG)
    _released(table, hierarchies={"town": os.fspath(path)})


def _of_tau_argus(path: Path) -> None:
    """A table with what says what its columns are."""
    path.with_suffix(".rda").write_text(examples.METADATA)
    path.with_name("towns.hrc").write_bytes(examples.hrc_files()[0])
    release = fw.read_release(path, missing="hidden")
    repr(release)
    if release.n_cells <= 10_000:
        release.to_file(path.with_name("again.tab"))


def _with_metadata(path: Path) -> None:
    table = path.with_name("table.tab")
    table.write_bytes(examples.tab_files()[0])
    path.with_name("towns.hrc").write_bytes(examples.hrc_files()[0])
    fw.read_release(table, metadata=path, missing="hidden", slack=9)


def _with_history(path: Path) -> None:
    table = path.with_name("table.csv")
    table.write_bytes(examples.LONG)
    fw.protect.read_history(path)
    _released(table, history=path)


def _served(path: Path) -> None:
    try:
        server = fw.server.TableServer(path, seed=7)
    except fw.InputError as problem:
        if "keys=" not in str(problem):
            raise
        server = fw.server.TableServer(path, keys="key", seed=7)
    repr(server)
    dims = [one.name for one in server.cube.columns if one.level_of is None][:2]
    server.tabulate(dims)


def _perturbed(path: Path) -> None:
    table = path.with_name("table.csv")
    table.write_bytes(examples.LONG)
    asked = ["--mechanism", "perturb", "--matrix", str(path), "--normalise", "--seed", "1"]
    _commanded(["protect", str(table), *asked, "--out", str(path.with_name("out.csv"))])


def _seeded(path: Path) -> None:
    people = path.with_name("people.csv")
    people.write_bytes(examples.microdata()[1])
    asked = ["--dims", "sex,age", "--mechanism", "random-round base=3"]
    _commanded(["tabulate", str(people), *asked, "--seed-file", str(path)])


def _populated(path: Path) -> None:
    """What says who may exist, beside two tables of them."""
    folder = path.with_name("tables")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "population.json").symlink_to(path)
    for name, content in examples.TABLES_OF_PEOPLE.items():
        (folder / name).write_bytes(content)
    _commanded(["reconstruct", str(folder), "--max-draws", "2000", "--csv", str(path.with_name("records.csv"))])


def _commanded(arguments: list[str]) -> None:
    """A command; what it refuses is an error of ours again."""
    result = CliRunner().invoke(main, arguments, env={"FIBERWALK_TRACEBACK": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code == 2:
        raise fw.InputError(result.stderr.strip().removeprefix("fiberwalk: "))


KINDS: tuple[Kind, ...] = (
    Kind("long CSV", ".csv", examples.long_files, OF_TEXTS, _by_decimals),
    Kind("long CSV without a header", ".csv", examples.files_without_header, OF_TEXTS, _without_header),
    Kind("Parquet", ".parquet", examples.parquet_files, OF_PARQUET, _by_decimals),
    Kind("JJ", ".jj", examples.jj_files, OF_TEXTS, _released),
    Kind("tau-ARGUS", ".tab", examples.tab_files, OF_TEXTS, _of_tau_argus),
    Kind("tau-ARGUS metadata", ".rda", examples.metadata_files, OF_TEXTS, _with_metadata),
    Kind("history", ".hst", examples.histories, OF_TEXTS, _with_history),
    Kind("hrc", ".hrc", examples.hrc_files, OF_TEXTS, _with_hierarchy),
    Kind("level table", ".csv", examples.level_tables, OF_TEXTS, _with_hierarchy),
    Kind("microdata CSV", ".csv", examples.microdata, OF_TEXTS, _served),
    Kind("microdata Parquet", ".parquet", examples.microdata_parquet, OF_PARQUET, _served),
    Kind("saved result", ".fw", examples.saved_results, OF_RESULTS, fw.load),
    Kind("transition matrix", ".txt", examples.matrices, OF_TEXTS, _perturbed),
    Kind("ptable", ".txt", examples.ptables, OF_TEXTS, _perturbed),
    Kind("seed file", ".txt", examples.seeds, OF_TEXTS, _seeded),
    Kind("declared population", ".json", examples.declared_populations, OF_TEXTS, _populated),
    Kind("checkpoint", ".chains", examples.checkpoints, OF_CHECKPOINTS, examples.audited),
)
if find_spec("openpyxl"):
    KINDS += (Kind("workbook", ".xlsx", examples.workbooks, OF_WORKBOOKS, _by_decimals),)
KNOWING, RARELY = 0.6, 0.02
"""How often a change knows what the file holds; and how often a file is large, or no file at all."""
NAMES = tuple(kind.name for kind in KINDS)


# --- what stands where a file should ------------------------------------------------------------------------------


def _folder(path: Path) -> None:
    path.mkdir()


def _missing(path: Path) -> None:
    pass


def _link_to_nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def _unreadable(path: Path) -> None:
    path.write_bytes(b"secret")
    path.chmod(0)


PLACES = (_folder, _missing, _link_to_nowhere, _link_to_itself, _unreadable)


# --- one file -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damaged:
    """A file that was put into a folder, and what was done to it."""

    path: Path
    kind: Kind
    done: tuple[str, ...]

    @property
    def words(self) -> str:
        """For a report."""
        return f"{self.kind.name}: {', '.join(self.done) or 'as it should be'}"


def damaged(folder: Path, seed: int, number: int, kinds: tuple[str, ...]) -> Damaged:
    """The file of a number, in an empty folder: the same for the same seed and kinds, wherever it is made."""
    rng = np.random.default_rng([seed, number])
    kind = KINDS[NAMES.index(kinds[number % len(kinds)])]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / f"file{kind.ending}"
    if rng.random() < RARELY:
        place = PLACES[int(rng.integers(len(PLACES)))]
        place(path)
        return Damaged(path, kind, (place.__name__.strip("_"),))
    good = kind.examples()
    content = good[int(rng.integers(len(good)))]
    light, heavy = ([name for name in (OF_BYTES | kind.changes) if (name in HEAVY) == large] for large in (False, True))
    names = []
    for _ in range(int(rng.choice([0, 1, 2, 3, 5], p=[0.02, 0.5, 0.25, 0.15, 0.08]))):
        own = rng.random() < KNOWING
        names.append(str(rng.choice([name for name in light if (name in kind.changes) == own])))
    names.sort(key=lambda name: name not in kind.changes)  # who knows the format begins, as long as there is one
    if rng.random() < RARELY:
        names.append(str(rng.choice(heavy)))
    for name in names:
        content = (OF_BYTES | kind.changes)[name](content, rng)
    path.write_bytes(content)
    return Damaged(path, kind, tuple(names))
