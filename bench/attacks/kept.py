"""What was found, kept in bench/results/attacks.json, and written from there as attacks.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from stored import RESULTS

from .contest import Outcome
from .knowledge.beliefs import Score
from .written import Attacked, for_readme, markdown

DATA, REPORT = RESULTS / "attacks.json", RESULTS / "attacks.md"


def keep(name: str, found: Attacked | str, when: str, names: Sequence[str]) -> None:
    """Keep one part in place of what was found before, and write the whole report anew; parts without a name any more go."""
    every: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    every[name] = {"when": when, "found": found if isinstance(found, str) else asdict(found)}
    every = {known: every[known] for known in names if known in every}
    DATA.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    parts = [(_read(part["found"]), part["when"]) for part in every.values()]
    REPORT.write_text(markdown(parts), encoding="utf-8")


def kept(name: str) -> Attacked | str | None:
    """One part, as it was found before."""
    every: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return _read(every[name]["found"]) if name in every else None


def quoted() -> str:
    """What the README quotes of it."""
    every = json.loads(DATA.read_text(encoding="utf-8"))
    found = [_read(part["found"]) for part in every.values()]
    return for_readme([one for one in found if isinstance(one, Attacked)])


def _read(found: Any) -> Attacked | str:
    if isinstance(found, str):
        return found
    outcomes = tuple(Outcome(**one | {"score": Score(**one["score"])}) for one in found.pop("outcomes"))
    return Attacked(**found, outcomes=outcomes)
