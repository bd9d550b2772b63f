"""Run the contest: python bench/waiting --help."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from turns.checkout import UnknownCommit, checked_out, commit_of

from waiting.measured import Waited, geometric_mean, waited_cold, waited_warm
from waiting.releases import cases

LIMIT = 60.0


def median(answers: list[Waited]) -> Waited:
    """The one in the middle by its seconds."""
    return sorted(answers, key=lambda answer: answer.seconds)[(len(answers) - 1) // 2]


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="word", help="releases with such a word in their names")
    parser.add_argument("--law", help="under this law alone")
    parser.add_argument("--against", metavar="REF", help="by turns with the files of this commit")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds after which an audit is stopped")
    parser.add_argument("--seeds", type=int, default=1, help="so many audits of each; the one in the middle counts")
    parser.add_argument("--nothing-compiled", action="store_true", help="with an empty cache of machine code each time")
    parser.add_argument("--keep", type=Path, help="write all answers to this file, as JSON")
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
    kept: dict[str, dict[str, list[dict[str, object]]]] = {}
    ratios, in_time = [], 0
    with ExitStack() as stack:
        checkouts: dict[str, Path | None] = {"here": None}
        if options.against:
            checkouts[options.against] = stack.enter_context(checked_out(against))
        for name, law in chosen:
            answers: dict[str, list[Waited]] = {side: [] for side in checkouts}
            for seed in range(1, options.seeds + 1):
                for side, checkout in checkouts.items():
                    answers[side].append(run(name, law, seed=seed, limit=options.limit, checkout=checkout))
            kept[f"{name}, {law}"] = {side: [asdict(answer) for answer in some] for side, some in answers.items()}
            here = median(answers["here"])
            in_time += here.converged
            memory = max(answer.memory for answer in answers["here"]) / 2**20
            line = f"{name}, {law}: {here.words}, {memory:,.0f} MB"
            if options.against:
                there = median(answers[options.against])
                ratios.append(there.seconds / here.seconds)
                line += f" | before: {there.words} | {ratios[-1]:.2f} times as quick"
            print(line, flush=True)
            if options.keep:
                options.keep.write_text(json.dumps(kept))
    print(f"\n{in_time} of {len(chosen)} within {options.limit:g} s")
    if ratios:
        print(f"geometric mean {geometric_mean(ratios):.2f} times as quick, the least {min(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
