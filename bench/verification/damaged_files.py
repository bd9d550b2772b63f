"""Files that were damaged or forged, through every reader: each is read or refused, soon and in little room."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from verification.fuzzing.children import MOST_MEGABYTES, MOST_SECONDS, outcomes
from verification.fuzzing.kinds import NAMES
from verification.fuzzing.trial import DIED, FOREIGN, LARGE, READ, REFUSED, SLOW, WORDY, Outcome
from verification.parts import Check, Part, Setting, rows

FILES = 10_000
MOST_SHOWN = 20
WORDS = (
    "Files of every kind that is read (CSV, Parquet and JJ releases, hierarchies, microdata, saved results, checkpoints, "
    "matrices, seeds), damaged as disks, editors and spreadsheets do it, or forged by somebody who knows the format: each "
    "is read in a process with limits of time and memory, and has to be read well or refused in one sentence."
)
MUST = {
    FOREIGN: "every error is ours",
    WORDY: "every refusal is one sentence",
    SLOW: f"nothing takes more than {MOST_SECONDS:.0f} seconds",
    LARGE: f"nothing takes more than {MOST_MEGABYTES / 1000:.0f} GB",
    DIED: "no process dies",
}


def run(setting: Setting) -> Part:
    """As many files as there are releases of other parts."""
    return judged(list(told(outcomes(setting.seed, setting.number(FILES), NAMES, setting.workers))))


def told(found: Iterable[Outcome]) -> Iterator[Outcome]:
    """With a line for each fault as it is found, and one of progress now and then."""
    begin = last = time.monotonic()
    for done, one in enumerate(found, start=1):
        if not one.passed:
            print(f"  {one.ended}: file {one.number} ({one.file}): {one.words}", flush=True)
        now = time.monotonic()
        if now - last > 20:
            print(f"  {done:,} files, {now - begin:.0f} s", flush=True)
            last = now
        yield one


def judged(found: list[Outcome]) -> Part:
    """What every file has to keep, and how many of each kind ended how."""
    checks = []
    for ended, words in MUST.items():
        wrong = sum(one.ended == ended for one in found)
        checks.append(Check(words, not wrong and bool(found), f"{wrong:,} of {len(found):,} files do not keep it"))
    kinds = list(dict.fromkeys(one.kind for one in sorted(found, key=lambda one: one.number)))
    lines = []
    for kind in kinds:
        some = [one for one in found if one.kind == kind]
        ends = Counter(one.ended for one in some)
        wrong = len(some) - ends[READ] - ends[REFUSED]
        slowest, largest = max(one.seconds for one in some), max(one.megabytes for one in some)
        lines.append([kind, len(some), ends[READ], ends[REFUSED], wrong, f"{slowest:.1f} s", f"{largest:.0f} MB"])
    table = rows(["kind", "files", "read", "refused", "faults", "slowest", "largest"], lines)
    faults = [f"- file {one.number} ({one.file}): {one.ended}: {one.words}" for one in found if not one.passed]
    return Part(tuple(checks), (table, *(["\n".join(faults[:MOST_SHOWN])] if faults else [])))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
