"""The race: fiberwalk against what a user would pick instead, on the same problems, in one run.

    python bench/race.py [contest ...] [--quick] [--compare] [--store]

Without contests all are run (`make bench`, some half an hour on two quiet cores). `--store` writes what was found to
bench/results/: race.json, and from it race.md, race.png, growth.png and what the README quotes; contests that were not run
keep what was stored before. `--quick` takes small versions, two minutes in all; with `--compare` it fails where a ratio has
lost more than 30% against the stored ones (`make bench-quick`), with `--store` it stores them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import guard
import quoted
import stored
import written
from contests import NAMES, contest
from figures import Finding


def ran(names: list[str], quick: bool) -> dict[str, stored.Ran]:
    """Run contests one after another and tell what they find as they find it."""
    found = {}
    for name in names:
        module = contest(name)
        print(f"\n{name}: {module.WORDS}", flush=True)
        begin = time.perf_counter()
        findings: list[Finding] = []
        for one in module.run(quick):
            findings.append(one)
            print("  " + written.as_line(one), flush=True)
        if findings:
            found[name] = stored.Ran(stored.now(time.perf_counter() - begin), tuple(findings))
    return found


def main() -> int:
    """Run what was asked for; the exit status of the guard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contests", nargs="*", metavar="contest", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small versions, for the guard")
    parser.add_argument("--compare", action="store_true", help="fail where a ratio has lost more than 30%%")
    parser.add_argument("--store", action="store_true", help="write what was found to bench/results/")
    options = parser.parse_args()
    unknown = [one for one in options.contests if one not in NAMES]
    if unknown:
        parser.error(f"there is no contest {unknown[0]!r}; there are: {', '.join(NAMES)}.")
    if options.compare and options.store:
        parser.error("--compare holds figures to those that are stored, --store puts others in their place: take one.")
    if options.compare and not options.quick:
        parser.error("--compare holds quick figures to the stored quick ones: add --quick.")
    names = options.contests or list(NAMES)
    if options.compare:
        # without names all that is stored is asked for, also of a contest that is no more
        return guard.held(options.contests or list(stored.read(quick=True)), lambda some: ran(some, True))
    found = ran(names, options.quick)
    if options.store:
        paths = stored.store(found, quick=options.quick)
        if not options.quick:
            paths += [*written.write_all(stored.read()), quoted.into_readme()]
        print("\nwrote " + ", ".join(str(one.relative_to(stored.HOME.parent)) for one in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
