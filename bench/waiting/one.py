"""One audit of the contest in a process of its own: it prints what the answer took and says, as a line of JSON.

    python bench/waiting/one.py NAME LAW SEED MAX_SECONDS TOLERANCE

Seconds are on the clock from the call to the last entropy, with all that the call imports; starting Python and making the
release come before. `compiled` is how many files of machine code were not in the cache before.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main() -> None:
    """Answer, and tell."""
    name, law, seed, limit, tolerance = sys.argv[1:]
    from memory import most_memory

    import fiberwalk as fw
    from fiberwalk.base.jit import cache_base
    from waiting.measured import told
    from waiting.releases import RELEASES

    def kept() -> int:
        return sum(1 for _ in cache_base().rglob("*.nb[ic]"))

    awaited = RELEASES[name]
    release, prior = awaited.release(), awaited.law(law)
    before, begin = kept(), time.perf_counter()
    try:
        audit = fw.audit(
            release,
            law=prior,
            seed=int(seed),
            tolerance=float(tolerance),
            hidden_margins=awaited.hidden_margins,
            max_seconds=float(limit),
            progress=False,
        )
        found = told(audit)
    except fw.TimeUp:
        found = {"method": "none yet", "certificate": "", "converged": False, "stopped": "before there was an answer"}
    seconds = time.perf_counter() - begin
    found |= {"seconds": seconds, "memory": most_memory(), "compiled": kept() - before}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
