"""The adversarial suite at length: thousands of audits that chains might get wrong, over some hours.

    python bench/verification/adversaries/long.py [--seed S] [--workers W] [--kinds K ...] [--store]

Every audit is written to build/verify_long/ as soon as it is done, so that it can be stopped at any time and goes on where
it was; sources that changed in between begin anew. `--store` writes what was found to bench/results/, as `adversarial`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import quoted

from fiberwalk.base.jit import own_sources
from verification import report
from verification.adversarial import LONG, judged, tasks, tried
from verification.adversaries import KINDS
from verification.adversaries.case import Outcome
from verification.parts import Setting

HOME = Path(__file__).parents[3] / "build" / "verify_long"


def main(arguments: list[str] | None = None) -> int:
    """Try what was not tried yet; 1 where anything is converged and wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=12, help="of the random cases (default: 12)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS), help="which kinds of cases (all)")
    parser.add_argument("--store", action="store_true", help="write what was found to bench/results/")
    options = parser.parse_args(arguments)
    home = HOME / own_sources() / str(options.seed)
    home.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    found: list[Outcome] = []
    for name in options.kinds:
        kept = home / f"{name}.jsonl"
        done = [Outcome(**json.loads(line)) for line in kept.read_text().splitlines()] if kept.exists() else []
        known = {(one.number, one.seed) for one in done}
        left = [task for task in tasks({name: LONG[name]}, options.seed) if (task[2], task[3]) not in known]
        print(f"{name}: {len(done):,} were done, {len(left):,} are left", flush=True)
        with kept.open("a") as file:
            for one in Setting(None, options.seed, options.workers).each(tried, left, name):
                done.append(one)
                file.write(json.dumps(asdict(one), default=float) + "\n")
                file.flush()
                if one.wrong:
                    print(f"  WRONG: {one}", flush=True)
        found += done
    ran = report.Ran.at(judged(found), options.seed, time.perf_counter() - begin)
    for one in ran.part.checks:
        print(f"  {'passed' if one.passed else 'FAILED'}: {one.words}: {one.found}", flush=True)
    if options.store:
        paths = [*report.store({"adversarial": ran}), quoted.into_readme()]
        print("wrote " + ", ".join(map(str, paths)))
    return int(not all(one.passed for one in ran.part.checks))


if __name__ == "__main__":
    sys.exit(main())
