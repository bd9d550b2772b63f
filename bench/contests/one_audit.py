"""One audit from nothing: a process of its own that makes a problem, answers it, and prints what it took as JSON.

    python bench/contests/one_audit.py PROBLEM LAW METHOD TOLERANCE MAX_SECONDS

`done` is the time of day when every entropy was at hand, so that whoever began the process knows how long that took
with starting Python and all imports. `compiled` is how many files of machine code were not in the cache before: a second
run finds them there.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main() -> None:
    """Answer, and tell."""
    name, law, method, tolerance, limit = sys.argv[1:]
    from memory import most_memory
    from problems import problem

    import fiberwalk as fw
    from fiberwalk.base.jit import cache_base

    def kept() -> int:
        return sum(1 for _ in cache_base().rglob("*.nb[ic]"))

    before = kept()
    audit = fw.audit(
        problem(name).release,
        law=law,
        method=method,
        tolerance=float(tolerance),
        max_seconds=float(limit),
        progress=False,
    )
    cells = audit.cells.sort_index()
    done = time.time()
    open_cells = cells[cells["lower"] < cells["upper"]]
    print(
        json.dumps(
            {
                "done": done,
                "memory": most_memory(),
                "compiled": kept() - before,
                "method": audit.method,
                "certificate": audit.certificate.word,
                "converged": audit.converged,
                "cells": len(open_cells),
                "error": float(3 * open_cells["entropy_mcse"].max(skipna=True)) if len(open_cells) else 0.0,
                "rhat": float(open_cells["rhat"].max(skipna=True)) if len(open_cells) else 1.0,
                "ess": float(open_cells["ess"].min(skipna=True)) if len(open_cells) else 0.0,
                "entropy": cells["entropy"].tolist(),
            }
        )
    )


if __name__ == "__main__":
    main()
