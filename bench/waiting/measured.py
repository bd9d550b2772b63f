"""What audits in processes of their own took and say, of one checkout or of two by turns."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ONE = Path(__file__).with_name("one.py")
TOLERANCE = 0.02
AGREED = 1.1
"""R-hat below which chains have forgotten where they started."""


@dataclass(frozen=True)
class Waited:
    """One answer: what it took, how it was reached and how well it is known."""

    seconds: float
    memory: float
    """Bytes at the most."""
    compiled: int
    method: str
    certificate: str
    converged: bool
    stopped: str = ""
    cells: int = 0
    """Cells that are open."""
    error: float = math.nan
    """Three standard errors of the entropy that is known worst, in bits."""
    rhat: float = math.nan
    ess: float = math.nan
    entropy: list[float] = field(default_factory=list, repr=False)

    @property
    def agree(self) -> bool:
        """Have all chains forgotten where they started?"""
        return self.converged or self.rhat < AGREED

    @property
    def foreseen(self) -> float:
        """Seconds until it is done; of one that was stopped, at least until its error, which shrinks with the root of the
        time, is below the tolerance."""
        if self.converged or not self.error > TOLERANCE:
            return self.seconds
        return self.seconds * (self.error / TOLERANCE) ** 2

    @property
    def words(self) -> str:
        """In a few words."""
        if self.method == "exact":
            return f"{self.seconds:.1f} s, exact"
        how = "" if self.converged else f"NOT CONVERGED ({self.stopped or 'given up'}), R-hat {self.rhat:.3f}, "
        return f"{self.seconds:.1f} s, {how}{self.error:.4f} bits, {self.ess:,.0f} effective draws"


def told(audit: Any) -> dict[str, Any]:
    """What an audit says of itself, in the fields of `Waited`."""
    cells = audit.cells.sort_index()
    open_cells = cells[cells["lower"] < cells["upper"]]
    return {
        "method": audit.method,
        "certificate": audit.certificate.word,
        "converged": bool(audit.converged),
        "stopped": audit.belief.stopped,
        "cells": len(open_cells),
        "error": float(3 * open_cells["entropy_mcse"].max(skipna=True)) if len(open_cells) else 0.0,
        "rhat": float(open_cells["rhat"].max(skipna=True)) if len(open_cells) else 1.0,
        "ess": float(open_cells["ess"].min(skipna=True)) if len(open_cells) else 0.0,
        "entropy": cells["entropy"].tolist(),
    }


def waited(
    name: str,
    law: str,
    *,
    seed: int = 1,
    limit: float = 60.0,
    tolerance: float = TOLERANCE,
    checkout: Path | None = None,
    cache: str | None = None,
) -> Waited:
    """An audit in a process of its own, by the fiberwalk of a checkout, with the machine code of a cache."""
    # A shell that forbids Python to keep what it translated would have every process translate all modules anew.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if checkout is not None:
        environment["PYTHONPATH"] = str(checkout / "src")
    if cache is not None:
        environment["FIBERWALK_CACHE_DIR"] = cache
    command = [sys.executable, str(ONE), name, law, str(seed), str(limit), str(tolerance)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return Waited(**json.loads(done.stdout.splitlines()[-1]))


def waited_warm(name: str, law: str, **how: object) -> Waited:
    """The same, once more if anything had to be compiled."""
    while True:
        answer = waited(name, law, **how)  # type: ignore[arg-type]
        if not answer.compiled:
            return answer


def waited_cold(name: str, law: str, **how: object) -> Waited:
    """The same with nothing compiled before."""
    with tempfile.TemporaryDirectory() as empty:
        return waited(name, law, cache=empty, **how)  # type: ignore[arg-type]


def median(answers: list[Waited]) -> Waited:
    """The one in the middle by its seconds."""
    return sorted(answers, key=lambda answer: answer.seconds)[(len(answers) - 1) // 2]


def geometric_mean(ratios: Iterable[float]) -> float:
    """Of positive numbers; NaN of none."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
