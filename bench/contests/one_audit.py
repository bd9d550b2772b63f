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
    from waiting.measured import told

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
    found = told(audit)
    found |= {"done": time.time(), "memory": most_memory(), "compiled": kept() - before}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
