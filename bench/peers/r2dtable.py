"""Independent two-way tables by r2dtable of R (an optional peer), timed inside R, so that its start does not count."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np

NAME = "R r2dtable"
HOW_TO_GET = "install R, so that Rscript is on the path"
PROGRAM = """
rows <- c({rows}); columns <- c({columns}); size <- {size}; best <- Inf; sums <- 0
set.seed(1)
for (round in 1:{rounds}) {{
  gc(FALSE)
  begin <- proc.time()
  tables <- r2dtable(size, rows, columns)
  spent <- proc.time() - begin
  best <- min(best, spent[["user.self"]] + spent[["sys.self"]])
  sums <- sums + Reduce(`+`, tables)
}}
cat(best / size, as.vector(t(sums / size / {rounds})))
"""


def installed() -> bool:
    """Is R there?"""
    return shutil.which("Rscript") is not None


def drawn(values: np.ndarray, size: int, rounds: int) -> tuple[float, np.ndarray]:
    """Seconds for each table with these row and column sums, the best of some rounds, and the mean table."""
    rows, columns = (",".join(str(one) for one in values.sum(axis=axis)) for axis in (1, 0))
    program = PROGRAM.format(rows=rows, columns=columns, size=size, rounds=rounds)
    done = subprocess.run(["Rscript", "--vanilla", "-e", program], capture_output=True, text=True, check=True)
    seconds, *mean = (float(one) for one in done.stdout.split())
    return seconds, np.array(mean).reshape(values.shape)
