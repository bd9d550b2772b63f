"""4ti2 in a process of its own, which can be killed; run as a program by `algebra`, imported by nothing.

It reads a JSON problem from its standard input and writes the moves to its standard output: a line of JSON with their
number and the number of their entries, then the rows, columns and values of the entries as 64-bit integers. It needs
nothing but Python and py4ti2, so that it starts fast wherever the package lies.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from array import array

BEYOND_64_BITS = 64
"""The status of this program where an entry of a move is larger; `algebra` knows it too."""


def main() -> None:
    """Compute the Markov basis of the problem on standard input."""
    problem = json.load(sys.stdin)
    _die_with_the_parent(problem["seconds"], problem["bytes"])
    # 4ti2 may print: what it says must not end up between the moves.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path[:] = problem["path"]
    moves = importlib.import_module(problem["module"]).markov("mat", problem["matrix"])
    rows, columns, values = array("q"), array("q"), array("q")
    try:
        for i, move in enumerate(moves):
            for j, value in enumerate(move):
                if value:
                    values.append(value)
                    rows.append(i)
                    columns.append(j)
    except OverflowError:
        os._exit(BEYOND_64_BITS)
    answer.write(json.dumps({"moves": len(moves), "entries": len(values)}).encode() + b"\n")
    for part in (rows, columns, values):
        part.tofile(answer)
    answer.close()
    # Nothing is left to be done, and tearing down 4ti2 cannot spoil the answer any more.
    os._exit(0)


def _die_with_the_parent(seconds: float, most_bytes: int) -> None:
    """End at the time limit even if the parent was killed and cannot see to it; on Linux, end with the parent.

    Python's own handlers and threads do not run while 4ti2 does: only what the operating system does by itself helps.
    """
    try:
        import resource
        import signal

        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(math.ceil(seconds) + 1)
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY or soft > most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, hard))
    except (ImportError, AttributeError, OSError, ValueError, OverflowError):
        pass  # not a Unix, or one that does not limit memory
    if sys.platform == "linux":
        try:
            import ctypes

            set_parent_death_signal = 1
            ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        except (ImportError, OSError, AttributeError):
            pass


if __name__ == "__main__":
    main()
