"""Verification at length: is what fiberwalk says true, over thousands of random releases?

    python bench/verify.py [part ...] [--releases N] [--seed S] [--workers W] [--store]

Without parts all are run (`make verify`, half an hour on two quiet cores). `--releases` is how many random releases
each part takes. `--store` writes what was found to bench/results/: verification.json, and from it verification.md and
verification_*.png; parts that were not run keep what was stored before. A check that fails makes the command end with
status 1, and is told in the first line of the report.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import quoted
from verification import NAMES, part, report
from verification.parts import Check, Part, Setting


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; 1 where a check failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(NAMES))
    parser.add_argument("--releases", type=int, help="random releases of each part")
    parser.add_argument("--seed", type=int, default=12, help="of the random releases (default: 12)")
    parser.add_argument(
        "--workers", type=int, default=2, help="processes (default: 2); they change nothing of the result"
    )
    parser.add_argument("--store", action="store_true", help="write what was found to bench/results/")
    options = parser.parse_args(arguments)
    unknown = [one for one in options.parts if one not in NAMES]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are: {', '.join(NAMES)}.")
    for name, least in (("releases", 1), ("workers", 1)):
        given = getattr(options, name)
        if given is not None and given < least:
            parser.error(f"--{name} {given}: there must be at least {least}.")
    setting = Setting(options.releases, options.seed, options.workers)
    found: dict[str, report.Ran] = {}
    for name in options.parts or NAMES:
        print(f"\n{name}: {part(name).WORDS}", flush=True)
        begin = time.perf_counter()
        found[name] = report.Ran.at(_ran(name, setting), setting.seed, time.perf_counter() - begin)
        for one in found[name].part.checks:
            print(f"  {'passed' if one.passed else 'FAILED'}: {one.words}: {one.found}", flush=True)
        if options.store:  # each as soon as it is done, so that nothing is lost and no failure is forgotten
            paths = [*report.store({name: found[name]}), quoted.into_readme()]
    print(f"\n{report.verdict(found)}")
    if options.store:
        print("wrote " + ", ".join(str(one.relative_to(report.RESULTS.parents[1])) for one in paths))
    return int(report.failed(found) > 0)


def _ran(name: str, setting: Setting) -> Part:
    """What a part finds; a part that breaks off has failed."""
    try:
        return part(name).run(setting)
    except Exception as problem:
        traceback.print_exc()
        return Part((Check("it runs to its end", False, f"{type(problem).__name__}: {problem}"),))


if __name__ == "__main__":
    sys.exit(main())
