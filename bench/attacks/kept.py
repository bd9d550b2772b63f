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
    kept: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    kept[name] = {"when": when, "found": found if isinstance(found, str) else asdict(found)}
    kept = {known: kept[known] for known in names if known in kept}
    DATA.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    parts = [(_read(part["found"]), part["when"]) for part in kept.values()]
    REPORT.write_text(markdown(parts), encoding="utf-8")


def quoted() -> str:
    """What the README quotes of it."""
    kept = json.loads(DATA.read_text(encoding="utf-8"))
    every = [_read(part["found"]) for part in kept.values()]
    return for_readme([found for found in every if isinstance(found, Attacked)])


def _read(found: Any) -> Attacked | str:
    if isinstance(found, str):
        return found
    outcomes = tuple(Outcome(**one | {"score": Score(**one["score"])}) for one in found.pop("outcomes"))
    return Attacked(**found, outcomes=outcomes)
