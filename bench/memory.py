"""The most memory that this process had."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def most_memory() -> int:
    """Bytes. Where the system tells it (Linux), without what the process that started this one had before."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
