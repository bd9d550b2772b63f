"""Suppression by tau-ARGUS as pytauargus brings it (an optional peer): its optimal and its modular method, and its audit.

The optimal method takes a JJ file, and so any problem of ours as it stands: the same figures, relations, costs and levels,
and what may not be withheld. The modular one takes one table with its hierarchies, by a .tab file, which has a lower and
an upper level for each figure and no sliding one. Both run in a process of their own, as the library keeps its state and
may not come back; what is timed is the call inside that process, in processor seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fiberwalk.protect.withholding.problem import SuppressionProblem
from fiberwalk.release.tables.dims import Dim
from fiberwalk.release.tables.hierarchies import tree_of

OPTIMAL, MODULAR = "pytauargus, optimal", "pytauargus, modular"
HOW_TO_GET = "pip install pytauargus"
MINUTES = 1
"""The limit that its methods get, which is in whole minutes."""
PATIENCE = 70
"""Seconds after which its process is ended."""
_STATUS = {"u": "U", "s": "S", "z": "P"}
_AS_OPTIMAL = """
import json, sys, time
from pytauargus._tauargus import HiTaSCtrl
begin = time.process_time()
code = HiTaSCtrl().full_jj(in_file_jj=sys.argv[1], out_file=sys.argv[2], max_time=int(sys.argv[3]))
print(json.dumps({"seconds": time.process_time() - begin, "code": code}))
"""
_AS_MODULAR = """
import json, sys, time
from pytauargus.engine import run_batch
begin = time.process_time()
run_batch(sys.argv[1])
print(json.dumps({"seconds": time.process_time() - begin, "code": 0}))
"""
_AS_AUDIT = """
import json, sys
from pytauargus.engine import audit_jj
print(json.dumps([[row["cell"], row["min"], row["max"]] for row in audit_jj(sys.argv[1])]))
"""


@dataclass(frozen=True)
class Answer:
    """The figures that it withholds, and the seconds that took; or why there is no pattern."""

    hidden: np.ndarray | None
    seconds: float
    why: str = ""


def installed() -> bool:
    """Is pytauargus there?"""
    return find_spec("pytauargus") is not None


def optimal(problem: SuppressionProblem) -> Answer:
    """The pattern of its optimal method."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "table.jj", Path(folder) / "out"
        path.write_text(jj_text(problem, problem.forced))
        told, why = _child(_AS_OPTIMAL, folder, str(path), str(out), str(MINUTES))
        if told is None or told["code"] > 1 or not out.exists():
            return Answer(None, 0.0, why or f"it ends with code {told['code'] if told else '-'}")
        hidden = problem.forced.copy()
        hidden[np.array(out.read_text().split(), dtype=np.int64)] = True
    return Answer(hidden, told["seconds"])


def modular(problem: SuppressionProblem) -> Answer:
    """The pattern of its modular method."""
    if len(problem.figures.start.grids) > 1:
        return Answer(None, 0.0, "it takes one table at a time")
    if any(dim.levels and tree_of(dim) is None for dim in problem.figures.start.dims):
        return Answer(None, 0.0, "it takes no levels that cross")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _write_table(problem, home)
        told, why = _child(_AS_MODULAR, folder, str(home / "table.arb"))
        out = home / "out.txt"
        if told is None or not out.exists():
            return Answer(None, 0.0, why or "it writes no table")
        hidden = problem.forced.copy()
        place = {code: at for at, code in enumerate(_codes(problem))}
        for line in out.read_text().splitlines():
            *labels, _, status = line.replace('"', "").replace(";", ",").split(",")
            at = place.get(tuple(label.strip() for label in labels))
            if at is not None and status.strip() in ("11", "12", "M"):
                hidden[at] = True
    return Answer(hidden, told["seconds"])


def held(problem: SuppressionProblem, hidden: np.ndarray) -> int:
    """How many sensitive figures its own audit finds less wide than wanted, in any pattern."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jj"
        path.write_text(jj_text(problem, hidden))
        found, why = _child(_AS_AUDIT, folder, str(path))
    if found is None:
        raise RuntimeError(f"the audit of pytauargus gave no answer: {why}")
    low, high = np.array(problem.truth, dtype=float), np.array(problem.truth, dtype=float)
    for cell, least, most in found:
        low[cell], high[cell] = least, most
    one = problem.sensitive
    wide = one.wide_enough(np.ceil(low[one.figures] - 1e-6), np.floor(high[one.figures] + 1e-6), problem.truth)
    return int((~wide).sum())


def jj_text(problem: SuppressionProblem, hidden: np.ndarray) -> str:
    """The problem as a JJ file; figures that are withheld beyond the sensitive ones are marked so."""
    task, truth = problem.task(), problem.truth
    wanted = {
        int(figure): f"{below} {above} {width}"
        for figure, below, above, width in zip(
            problem.sensitive.figures,
            problem.sensitive.below,
            problem.sensitive.above,
            problem.sensitive.width,
            strict=True,
        )
    }
    lines = ["0", str(len(truth))]
    for at, value in enumerate(truth.tolist()):
        status = "u" if at in wanted else "m" if hidden[at] else "s" if task.open[at] else "z"
        limits = f"{value - task.room.down[at]} {value + task.room.up[at]}"
        lines.append(f"{at} {value} {max(int(task.cost[at]), 1)} {status} {limits} {wanted.get(at, '0 0 0')}")
    sums = task.room.sums
    lines.append(str(sums.shape[0]))
    for start, end in zip(sums.indptr[:-1], sums.indptr[1:], strict=True):
        terms = zip(sums.indices[start:end].tolist(), sums.data[start:end].tolist(), strict=True)
        lines.append(f"0 {end - start} : " + " ".join(f"{figure} ({sign})" for figure, sign in terms))
    return "\n".join(lines) + "\n"


def _child(program: str, folder: str, *arguments: str) -> tuple[object | None, str]:
    """What a program of its own prints last, read as JSON; or None, and why."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return None, f"it did not end within {PATIENCE} s"
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        said = done.stderr.strip().splitlines()
        return None, f"its process ended with status {done.returncode}" + (f": {said[-1]}" if said else "")
    return json.loads(lines[-1]), ""


def _codes(problem: SuppressionProblem) -> list[tuple[str, ...]]:
    """The codes of every figure: by number, as labels may be anything."""
    dims = problem.figures.start.dims
    return [
        tuple("Total" if node == dim.total else f"N{node:04d}" for node, dim in zip(key, dims, strict=True))
        for key in problem.figures.keys.tolist()
    ]


def _write_table(problem: SuppressionProblem, home: Path) -> None:
    """The files of a batch: table, metadata, hierarchies and what is to be done."""
    task, figures = problem.task(), problem.figures
    wanted = {int(figure): at for at, figure in enumerate(problem.sensitive.figures)}
    lines = []
    for at, (codes, value) in enumerate(zip(_codes(problem), figures.values.tolist(), strict=True)):
        which = wanted.get(at)
        status = "U" if which is not None else "S" if task.open[at] else "P"
        below, above = (problem.sensitive.below[which], problem.sensitive.above[which]) if which is not None else (0, 0)
        lines.append(
            ";".join(
                [
                    *(f'"{code}"' for code in codes),
                    *map(str, (value, 9)),
                    str(max(int(task.cost[at]), 1)),
                    status,
                    str(below),
                    str(above),
                ]
            )
        )
    (home / "table.tab").write_text("\n".join(lines) + "\n")
    metadata = ['  <SEPARATOR> ";"']
    names = []
    for number, dim in enumerate(figures.start.dims, start=1):
        names.append(f"V{number}")
        metadata += [names[-1], "  <RECODEABLE>", '  <TOTCODE> "Total"']
        if dim.levels:
            (home / f"{names[-1]}.hrc").write_text("\n".join(_steps(dim)) + "\n")
            metadata += ["  <HIERARCHICAL>", f'  <HIERCODELIST> "{names[-1]}.hrc"', '  <HIERLEADSTRING> "@"']
    metadata += ["value", "  <NUMERIC>", "  <DECIMALS> 0", "freq", "  <FREQUENCY>", "price", "  <NUMERIC> <COSTVAR>"]
    metadata += ["status", "  <STATUS>", '  <SAFE> "S"', '  <UNSAFE> "U"', '  <PROTECT> "P"']
    metadata += ["lower", "  <NUMERIC> <LOWERPL>", "upper", "  <NUMERIC> <UPPERPL>"]
    (home / "table.rda").write_text("\n".join(metadata) + "\n")
    spanned = "".join(f'"{name}"' for name in names)
    batch = [
        '<OPENTABLEDATA> "table.tab"', '<OPENMETADATA> "table.rda"', f'<SPECIFYTABLE> {spanned}|"value"||"price"',
        "<SAFETYRULE> ", "<READTABLE> 0", f"<SUPPRESS> MOD(1,{MINUTES},0,0,0)", '<WRITETABLE> (1,3,AS+,"out.txt")',
    ]  # fmt: skip
    (home / "table.arb").write_text("\n".join(batch) + "\n")


def _steps(dim: Dim) -> list[str]:
    """The lines of a .hrc file: codes, with an @ for each group around them."""
    tree, number = tree_of(dim) or {}, {label: f"N{node:04d}" for node, label in enumerate(dim.node_labels)}
    below = {child for children in tree.values() for child in children}

    def lines(label: str, depth: int) -> list[str]:
        return [
            "@" * depth + number[label],
            *(line for child in tree.get(label, ()) for line in lines(child, depth + 1)),
        ]

    return [line for top in dict.fromkeys((*tree, *dim.labels)) if top not in below for line in lines(top, 0)]
