"""What the contest *time to answer* found, kept in bench/results/: waiting.json, and from it waiting.md."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import stored
from written import circumstances

from waiting.measured import Waited, geometric_mean, median

WORDS = (
    "Every release is audited in a process of its own, from the call to the answer, at the default tolerance: until three "
    "standard errors of every entropy are below 0.02 bits. Nothing has to be compiled, unless it says so. Where there is an "
    "earlier commit, the two take turns. An audit that is not done when its time is up counts as if it were done then: "
    "where this is the earlier one, the ratio is too small. What it is *foreseen* to take at the least is its time times "
    "the square of its error over the tolerance, as errors shrink with the root of the draws."
)
Sides = dict[str, list[Waited]]


def read(path: Path) -> dict[str, Sides]:
    """What was kept so far, case by case."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    return {
        case: {side: [Waited(**answer) for answer in answers] for side, answers in sides.items()}
        for case, sides in kept.items()
    }


def write(path: Path, kept: dict[str, Sides]) -> None:
    """Keep all answers."""
    values = {
        case: {side: [asdict(one) for one in some] for side, some in sides.items()} for case, sides in kept.items()
    }
    path.write_text(json.dumps(values))


def ratio(sides: Sides, before: str) -> float:
    """How many times as quick this state is as an earlier one."""
    return median(sides[before]).seconds / median(sides["here"]).seconds


def foreseen_ratio(sides: Sides, before: str) -> float:
    """The same, where what was stopped would have gone on; of chains that do not agree yet nobody knows for how long."""
    there, here = median(sides[before]), median(sides["here"])
    return there.foreseen / here.foreseen if there.agree and here.agree else ratio(sides, before)


def store(kept: dict[str, Sides], limit: float, cold: bool, seconds: float, home: Path = stored.RESULTS) -> list[Path]:
    """Keep what was found, without the entropies themselves; and write the report anew."""
    path = home / "waiting.json"
    values: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    cases = {
        case: {side: _short(median(some), max(one.memory for one in some)) for side, some in sides.items()}
        for case, sides in kept.items()
    }
    values["cold" if cold else "warm"] = {"when": asdict(stored.now(seconds)), "limit": limit, "cases": cases}
    path.write_text(json.dumps(values, indent=1) + "\n")
    (home / "waiting.md").write_text(as_markdown(values))
    return [path, home / "waiting.md"]


def _short(answer: Waited, memory: float) -> dict[str, Any]:
    values = asdict(answer) | {"memory": memory}
    del values["entropy"]
    return {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in values.items()}


def as_markdown(values: dict[str, Any]) -> str:
    """The whole report."""
    parts = ["# Time to answer\n", "Written by `python bench/waiting --store`.\n", WORDS + "\n"]
    for kind, title in (("warm", "Machine code at hand"), ("cold", "Nothing compiled")):
        if kind in values:
            parts += [f"## {title}\n", *_of_kind(values[kind])]
    return "\n".join(parts)


def _of_kind(one: dict[str, Any]) -> list[str]:
    """A summary, the table, and the circumstances."""
    cases = {case: {side: Waited(**told) for side, told in sides.items()} for case, sides in one["cases"].items()}
    here = [sides["here"] for sides in cases.values()]
    before = next((side for sides in cases.values() for side in sides if side != "here"), None)
    done, most = sum(answer.converged for answer in here), max(answer.memory for answer in here) / 2**20
    summary = f"{done} of {len(here)} ({done / len(here):.0%}) are done within {one['limit']:g} s"
    summary += f"; none takes more than {most:,.0f} MB."
    head = ["release and law", "open cells", "time", "error (bits)", "memory (MB)"]
    if before is not None:
        both = [{side: [told] for side, told in sides.items()} for sides in cases.values() if before in sides]
        ratios, further = ([of(sides, before) for sides in both] for of in (ratio, foreseen_ratio))
        summary += f" Against {before}: {geometric_mean(ratios):.1f} times as quick in the geometric mean"
        summary += f", {min(ratios):.2f} times at the least; by what is foreseen of those that were stopped"
        summary += f" {geometric_mean(further):.1f} times, {min(further):.2f} at the least."
        head += [f"at {before}", "times as quick"]
    lines = []
    for case, sides in cases.items():
        answer = sides["here"]
        line = [case, f"{answer.cells:,}", *_told(answer), f"{answer.memory / 2**20:,.0f}"]
        if before is not None:
            there = sides.get(before)
            line += ["", ""] if there is None else [_before(there), f"{there.seconds / answer.seconds:.1f}"]
        lines.append(line)
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *lines])
    return [summary + "\n", table + "\n", f"*{circumstances(stored.When(**one['when']))}*\n"]


def _told(answer: Waited) -> tuple[str, str]:
    """The time, and how well entropies are known."""
    if answer.method == "exact":
        return f"{answer.seconds:.1f} s", "exact"
    return f"{answer.seconds:.1f} s" + ("" if answer.converged else ", not done"), f"{answer.error:.4f}"


def _before(answer: Waited) -> str:
    """The time of the earlier commit, and the error at which it was stopped, if it was."""
    stopped = not (answer.converged or math.isnan(answer.error))
    return _told(answer)[0] + (f" ({answer.error:.4f})" if stopped else "")
