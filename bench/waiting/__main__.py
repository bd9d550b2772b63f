"""Run the contest: python bench/waiting --help."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from turns.checkout import UnknownCommit, checked_out, commit_of

from waiting import report
from waiting.measured import geometric_mean, median, waited_cold, waited_warm
from waiting.releases import cases

LIMIT = 60.0


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="word", help="releases with such a word in their names")
    parser.add_argument("--law", help="under this law alone")
    parser.add_argument("--against", metavar="REF", help="by turns with the files of this commit")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds after which an audit is stopped")
    parser.add_argument("--seeds", type=int, default=1, help="so many audits of each; the one in the middle counts")
    parser.add_argument("--nothing-compiled", action="store_true", help="with an empty cache of machine code each time")
    parser.add_argument("--keep", type=Path, help="write all answers to this file, and go on from what it has already")
    parser.add_argument("--store", action="store_true", help="write what was found to bench/results/")
    options = parser.parse_args()
    run = waited_cold if options.nothing_compiled else waited_warm
    chosen = [
        (name, law)
        for name, law in cases()
        if (not options.words or any(word in name for word in options.words)) and options.law in (None, law)
    ]
    if not chosen:
        parser.error(
            f"no release has {' or '.join(options.words)!r} in its name under that law: bench/waiting/releases.py."
        )
    try:
        against = commit_of(options.against) if options.against else ""
    except UnknownCommit as problem:
        parser.error(str(problem))
    kept = report.read(options.keep) if options.keep else {}
    begin = time.perf_counter()
    with ExitStack() as stack:
        checkouts: dict[str, Path | None] = {"here": None}
        if options.against:
            checkouts[options.against] = stack.enter_context(checked_out(against))
        for name, law in chosen:
            case = f"{name}, {law}"
            if not all(len(kept.get(case, {}).get(side, [])) >= options.seeds for side in checkouts):
                answers: report.Sides = {side: [] for side in checkouts}
                for seed in range(1, options.seeds + 1):
                    for side, checkout in checkouts.items():
                        answers[side].append(run(name, law, seed=seed, limit=options.limit, checkout=checkout))
                kept[case] = answers
            if options.keep:
                report.write(options.keep, kept)
            print(_line(case, kept[case], options.against), flush=True)
    found = {f"{name}, {law}": kept[f"{name}, {law}"] for name, law in chosen}
    in_time = sum(median(sides["here"]).converged for sides in found.values())
    print(f"\n{in_time} of {len(found)} within {options.limit:g} s")
    if options.against:
        ratios = [report.ratio(sides, options.against) for sides in found.values()]
        print(f"geometric mean {geometric_mean(ratios):.2f} times as quick, the least {min(ratios):.2f}")
        further = [report.foreseen_ratio(sides, options.against) for sides in found.values()]
        print(
            f"by what is foreseen of those that were stopped {geometric_mean(further):.2f}, the least {min(further):.2f}"
        )
    if options.store:
        paths = report.store(found, options.limit, options.nothing_compiled, time.perf_counter() - begin)
        print("wrote " + ", ".join(path.name for path in paths))
    return 0


def _line(case: str, sides: report.Sides, against: str | None) -> str:
    """What was found of a case, in a line."""
    memory = max(answer.memory for answer in sides["here"]) / 2**20
    line = f"{case}: {median(sides['here']).words}, {memory:,.0f} MB"
    if against:
        line += f" | before: {median(sides[against]).words} | {report.ratio(sides, against):.2f} times as quick"
    return line


if __name__ == "__main__":
    sys.exit(main())
