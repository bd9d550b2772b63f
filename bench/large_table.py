"""Every hidden cell of a large table: 200 x 200, half of it hidden, until chains from far apart agree on all cells.

    python bench/large_table.py [uniform] [hypergeometric]

One process for each law, four chains on two threads, machine code compiled before. Stops when R-hat is below 1.01 and there
are 400 effective draws for every one of some 20,000 cells, at two looks in a row; then p(x|y) of every cell is at hand.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.estimate import estimate


def whole_run(side: int, law: str) -> None:
    rng = np.random.default_rng(0)
    table = rng.poisson(10.0, (side, side))
    begin = time.perf_counter()
    release = fw.suppress(table, where=rng.random((side, side)) < 0.5)
    moves = choose(release, law)
    _, rows, _ = release.listed()
    rows.resize(rows.shape[0], moves.support.solved.fiber.n_columns)
    with ThreadPoolExecutor(2) as threads:
        found = estimate(moves, sp.csr_array(rows), seed=1, tolerance=np.inf, executor=threads)
    seconds = time.perf_counter() - begin
    if side < 200:
        return
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rhat = max(float(one.diagnosis.rhat.max()) for one in found.units)
    ess = min(float(one.diagnosis.ess.min()) for one in found.units)
    error = max(float(one.diagnosis.entropy_error.max()) for one in found.units)
    cells = sum(len(one.unit.columns) for one in found.units)
    print(
        f"{law:14} {cells:,} hidden cells, {found.units[0].draws:,} draws: {seconds:.0f} s, {memory:.2f} GB; largest R-hat "
        f"{rhat:.4f}, fewest effective draws {ess:.0f}, largest error of an entropy {error:.3f} bits; "
        f"{'converged' if found.converged else 'NOT converged'}, {found.certificate.word}"
    )


def main() -> None:
    laws = [one for one in sys.argv[1:] if not one.startswith("-")] or ["uniform", "hypergeometric"]
    if "--here" in sys.argv:
        whole_run(60, laws[0])  # compiles what there is to compile
        whole_run(200, laws[0])
        return
    for law in laws:
        subprocess.run([sys.executable, __file__, law, "--here"], check=True)


if __name__ == "__main__":
    main()
