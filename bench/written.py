"""What the race found, as lines, as Markdown and as pictures. All of it is made from what is stored, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from contests import contest
from figures import Curve, Figure, Finding, Skipped
from problems import described
from stored import RESULTS, Ran, When

SHORT = ("slowest cell", "all bounds", "tables, hypergeometric")


def number(value: float) -> str:
    """Three digits that matter, thousands apart."""
    if value == 0 or value != value:
        return "0" if value == 0 else "-"
    size = abs(value)
    if size >= 100:
        digits = len(str(int(size))) - 3
        return f"{round(value, -max(digits, 0)):,.0f}"
    return f"{value:.{2 if size < 1 else 1 if size < 10 else 0}f}" if size >= 0.1 else f"{value:.2g}"


def times(ratio: float | None) -> str:
    """A ratio in words."""
    if ratio is None or ratio == math.inf:
        return "" if ratio is None else "against nothing"
    return f"{number(ratio)}x"


def wanted(one: Figure) -> str:
    """The target and whether it is met."""
    if one.target is None:
        return ""
    if one.theirs is not None:
        words = f"at least {number(one.target)}x"
    else:
        words = f"at {'least' if one.more_is_better else 'most'} {number(one.target)} {one.unit}".rstrip()
    return words + (" (met)" if one.met else " (NOT met)")


def as_line(one: Finding) -> str:
    """One line of a terminal."""
    if isinstance(one, Skipped):
        return f"skipped: {one.peer}: {one.why}"
    if isinstance(one, Curve):
        return f"{one.of} against {one.against}: slope {one.slope:.2f} ({len(one.points)} points)"
    words = f"{one.problem:28} {one.what:44} {number(one.ours):>10} {one.unit}"
    if one.theirs is not None:
        words += f"   {one.peer}: {number(one.theirs)} {one.unit}   {times(one.ratio)}"
    return "   ".join(part for part in (words, wanted(one), one.note) if part)


def circumstances(when: When) -> str:
    """Where and when a contest was run."""
    return (
        f"{when.date}, {when.processor}, {when.cores} cores, load {when.load}, {when.seconds:.0f} s; commit {when.commit}; "
        + ", ".join(f"{name} {one}" for name, one in when.versions.items())
    )


def as_markdown(found: dict[str, Ran]) -> str:
    """The whole report."""
    parts = [
        "# The race\n",
        "Written by `make bench` (`python bench/race.py --store`). Ratios are of two figures of one run. Short times are "
        "the best of several rounds in which all take turns; audits, and other programs, are timed as each contest says.\n",
    ]
    aims = [one for ran in found.values() for one in ran.figures if one.target is not None]
    if aims:
        parts += ["## Targets\n", targets(aims)]
    parts += ["![how many times better than each peer, by problem](race.png)\n", "## Problems\n", problems()]
    for name, ran in found.items():
        parts += [f"## {name.capitalize()}\n", contest(name).WORDS + "\n"]
        if ran.figures:
            parts.append(table(ran.figures))
        if ran.curves:
            parts += ["![cost against size, on logarithmic scales](growth.png)\n", curves(ran.curves)]
        parts += [f"Skipped: {one.peer}: {one.why}\n" for one in ran.skipped]
        parts.append(f"*{circumstances(ran.when)}*\n")
    return "\n".join(parts)


def problems() -> str:
    """What the problems are."""
    return rows(["problem", "what it is"], [[name, words] for name, words in described().items()])


def rows(head: list[str], lines: list[list[str]]) -> str:
    """A Markdown table; columns in which nothing stands are left out."""
    kept = [k for k in range(len(head)) if any(line[k] for line in lines)]
    shown = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(line[k] for k in kept) + " |" for line in shown) + "\n"


def table(figures: tuple[Figure, ...]) -> str:
    """The figures of a contest."""
    head = ["problem", "what", "fiberwalk", "against", "its figure", "times better", "wanted", "remark"]
    lines = []
    for one in figures:
        theirs = "" if one.theirs is None else f"{number(one.theirs)} {one.unit}"
        ours = f"{number(one.ours)} {one.unit}"
        lines.append([one.problem, one.what, ours, one.peer, theirs, times(one.ratio), wanted(one), one.note])
    return rows(head, lines)


def targets(figures: list[Figure]) -> str:
    """What was aimed at, and what came out."""
    head = ["problem", "what", "against", "wanted", "found", ""]
    lines = []
    for one in figures:
        found = times(one.ratio) if one.theirs is not None else f"{number(one.ours)} {one.unit}"
        least = wanted(one).split(" (")[0]
        verdict = "met" if one.met else "**not met**"
        lines.append([one.problem, one.what, one.peer or "-", least, found, verdict + _spread(one)])
    return rows(head, lines)


def _spread(one: Figure) -> str:
    """What a target's verdict should not be read without: the ratios of all runs, and whether few draws were seen."""
    told = [part for part in one.note.split("; ") if part.startswith(("ratios of all runs", "too few"))]
    return "".join(f"; {part}" for part in told)


def curves(found: tuple[Curve, ...]) -> str:
    """The slopes."""
    head = ["cost of", "against", "from", "to", "slope"]
    lines = []
    for one in found:
        (x0, y0), (x1, y1) = one.points[0], one.points[-1]
        ends = [f"{number(y)} {one.unit} at {number(x)}" for x, y in ((x0, y0), (x1, y1))]
        lines.append([one.of, one.against, *ends, f"{one.slope:.2f}"])
    return rows(head, lines)


def _short(found: dict[str, Ran]) -> dict[str, Ran]:
    """What a first look needs: the slowest cell of every problem, and the other peers' contests."""
    some = {name: found[name] for name in ("effective draws", "bounds", "independent tables") if name in found}
    return {
        name: replace(ran, findings=tuple(one for one in ran.figures if one.what in SHORT))
        for name, ran in some.items()
    }


def write_all(found: dict[str, Ran]) -> list[Path]:
    """race.md and the pictures."""
    from pictures import growth_picture, race_picture

    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "race.md"
    path.write_text(as_markdown(found))
    paths = [path, race_picture(found, RESULTS / "race.png"), race_picture(_short(found), RESULTS / "race_short.png")]
    if any(one.curves for one in found.values()):
        paths.append(growth_picture(found, RESULTS / "growth.png"))
    return paths
