"""What the race found, kept in bench/results/: when, on which machine, with which versions, contest by contest."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from figures import Curve, Figure, Finding, Skipped, from_dict, kind_of

HOME = Path(__file__).parent
RESULTS = HOME / "results"
VERSIONS = ("fiberwalk", "numpy", "numba", "scipy", "highspy", "arviz")


@dataclass(frozen=True)
class When:
    """The circumstances of a contest."""

    date: str
    seconds: float
    load: float
    """Average load of the machine at the end; above the number of its processors others were at work too."""
    processor: str
    cores: int
    commit: str
    versions: dict[str, str]


@dataclass(frozen=True)
class Ran:
    """A contest that was run."""

    when: When
    findings: tuple[Finding, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Its figures."""
        return tuple(one for one in self.findings if isinstance(one, Figure))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Peers that were not there."""
        return tuple(one for one in self.findings if isinstance(one, Skipped))

    @property
    def curves(self) -> tuple[Curve, ...]:
        """How costs grow."""
        return tuple(one for one in self.findings if isinstance(one, Curve))


def now(seconds: float) -> When:
    """The circumstances at this moment."""
    versions = {name: version(name) for name in VERSIONS} | {"python": platform.python_version()}
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else float("nan")
    date = datetime.now(UTC).date().isoformat()
    return When(date, round(seconds, 1), load, _processor(), os.cpu_count() or 1, _commit(), versions)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _commit() -> str:
    """The state of the sources, with a plus where they were changed since."""
    told = subprocess.run(["git", "describe", "--always", "--dirty=+"], cwd=HOME, capture_output=True, text=True)
    return told.stdout.strip()


def _path(quick: bool) -> Path:
    return RESULTS / ("quick.json" if quick else "race.json")


def read(quick: bool = False) -> dict[str, Ran]:
    """All contests that are stored."""
    path = _path(quick)
    if not path.exists():
        return {}
    found = {}
    for name, one in json.loads(path.read_text()).items():
        findings = tuple(from_dict(kind, values) for kind, values in one["findings"])
        found[name] = Ran(When(**one["when"]), findings)
    return found


def store(found: dict[str, Ran], quick: bool = False) -> list[Path]:
    """Keep what was found, in place of what the same contests found before."""
    from contests import NAMES

    whole = {**read(quick), **found}
    values: dict[str, Any] = {
        name: {
            "when": asdict(whole[name].when),
            "findings": [[kind_of(one), one.as_dict()] for one in whole[name].findings],
        }
        for name in NAMES
        if name in whole
    }
    RESULTS.mkdir(exist_ok=True)
    path = _path(quick)
    path.write_text(json.dumps(values, indent=1) + "\n")
    return [path]
