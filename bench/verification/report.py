"""The report of the verification, kept in bench/results/: what was checked, when, on which machine, with which versions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import stored
from written import circumstances

from verification import NAMES, part
from verification.parts import Check, Part, rows

RESULTS = stored.RESULTS


@dataclass(frozen=True)
class Ran:
    """A part that was run, from which seed, and the circumstances."""

    part: Part
    seed: int
    when: stored.When

    @classmethod
    def at(cls, found: Part, seed: int, seconds: float) -> Ran:
        """Now."""
        return cls(found, seed, stored.now(seconds))


def failed(found: dict[str, Ran]) -> int:
    """How many checks failed."""
    return sum(not one.passed for ran in found.values() for one in ran.part.checks)


def verdict(found: dict[str, Ran]) -> str:
    """In a line."""
    number = sum(len(ran.part.checks) for ran in found.values())
    wrong = failed(found)
    if wrong:
        return f"Verification FAILED: {wrong} of {number} checks"
    missing = [name for name in NAMES if name not in found]
    rest = f" (not run: {', '.join(missing)})" if missing else ""
    return f"Verification: all {number} checks passed{rest}"


def as_markdown(found: dict[str, Ran], pictures: dict[str, list[tuple[Path, str]]]) -> str:
    """The whole report."""
    parts = [
        f"# {verdict(found)}\n",
        "Written by `make verify` (`python bench/verify.py --store`): the last run of each part.\n",
    ]
    for name, ran in found.items():
        parts += [f"## {name.replace('_', ' ').capitalize()}\n", part(name).WORDS + "\n"]
        lines = [[one.words, "passed" if one.passed else "**FAILED**", one.found] for one in ran.part.checks]
        parts.append(rows(["check", "", "found"], lines))
        parts += [f"![{words}]({path.name})\n" for path, words in pictures.get(name, [])]
        parts += [one.rstrip() + "\n" for one in ran.part.paragraphs]
        parts.append(f"*Seed {ran.seed}; {circumstances(ran.when)}*\n")
    return "\n".join(parts)


def read(home: Path = RESULTS) -> dict[str, Ran]:
    """What is stored."""
    path = home / "verification.json"
    if not path.exists():
        return {}
    found = {}
    for name, one in json.loads(path.read_text()).items():
        checks = tuple(Check(**values) for values in one["part"]["checks"])
        told = Part(checks, tuple(one["part"]["paragraphs"]), one["part"]["values"])
        found[name] = Ran(told, one["seed"], stored.When(**one["when"]))
    return found


def store(found: dict[str, Ran], home: Path = RESULTS) -> list[Path]:
    """Keep what was found, in place of what the same parts found before; and write the report anew."""
    whole = {**read(home), **found}
    whole = {name: whole[name] for name in NAMES if name in whole}
    home.mkdir(exist_ok=True)
    values = home / "verification.json"
    values.write_text(json.dumps({name: asdict(ran) for name, ran in whole.items()}, indent=1) + "\n")
    pictures = {name: list(part(name).pictures(ran.part.values, home)) for name, ran in whole.items()}
    words = home / "verification.md"
    words.write_text(as_markdown(whole, pictures))
    return [values, words, *(path for some in pictures.values() for path, _ in some)]
