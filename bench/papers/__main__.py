"""Every item of the five papers, with the call of fiberwalk that does it: all calls are run, and the table is made of them.

    python bench/papers                     runs every call and prints the table; fails if one fails, or if a printed figure
                                            does not come out
    python bench/papers DOT02 SAE15         of these papers only
    ... --seconds                           and says which calls took longest
    ... --store                             and writes bench/results/papers.md

The items are data, in a file for each paper.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from papers import PAPERS
from papers.table import markdown, run_all

RESULTS = Path(__file__).parents[1] / "results" / "papers.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", choices=[[], *PAPERS], metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--store", action="store_true", help=f"write {RESULTS.name}, of all papers")
    parser.add_argument("--seconds", action="store_true", help="and say which calls took longest")
    asked = parser.parse_args()
    if asked.store and asked.papers:
        parser.error("--store is of all papers")
    found = run_all(asked.papers or list(PAPERS))
    print(markdown(found))
    done = [one for rows in found.values() for one in rows]
    if asked.seconds:
        for one in sorted(done, key=lambda one: -one.seconds)[:20]:
            print(f"{one.seconds:6.2f} s  {one.item.call}", file=sys.stderr)
    wrong = [one for one in done if one.wrong]
    if wrong:
        sys.exit("\n".join(f"{one.item.place}: {one.item.call}\n    {one.wrong}" for one in wrong))
    if asked.store:
        RESULTS.write_text(markdown(found), encoding="utf-8")


if __name__ == "__main__":
    main()
