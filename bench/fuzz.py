"""Damaged and forged files through every reader: does each end as a file may?

    python bench/fuzz.py [--files N] [--seed S] [--workers W] [--kind NAME ...] [--keep NUMBER FOLDER]

`--kind` tries some kinds of files only (their numbers then mean other files). `--keep` puts the file of a number into a
folder, and says how reading it ends here and now, without limits. A fault makes the command end with status 1. The same is
a part of `bench/verify.py`, which stores what it finds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from verification import damaged_files
from verification.fuzzing.children import outcomes
from verification.fuzzing.kinds import NAMES
from verification.fuzzing.trial import tried


def main(arguments: list[str] | None = None) -> int:
    """Try what was asked for; 1 where a file found a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=damaged_files.FILES, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="from which they are made (default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--kind", action="append", choices=NAMES, help="of these kinds only; may be repeated")
    parser.add_argument(
        "--keep", nargs=2, metavar=("NUMBER", "FOLDER"), help="one file, into a folder that is made anew"
    )
    options = parser.parse_args(arguments)
    kinds = tuple(options.kind or NAMES)
    if options.keep:
        found = tried(Path(options.keep[1]), options.seed, int(options.keep[0]), kinds)
        print(f"{found.file}\n{found.ended}: {found.words}")
        return int(not found.passed)
    part = damaged_files.judged(list(damaged_files.told(outcomes(options.seed, options.files, kinds, options.workers))))
    print("\n".join(part.paragraphs))
    for one in part.checks:
        print(f"{'passed' if one.passed else 'FAILED'}: {one.words}: {one.found}")
    return int(not all(one.passed for one in part.checks))


if __name__ == "__main__":
    sys.exit(main())
