"""How long a server of flexible tables takes: to build it, and for each step of the four requests of SAE15.

python bench/studies/table_server.py

The hypercube has the shape of the paper's: 245,700 cells, 1.5 million people. Times are medians, in milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw
from fiberwalk.server.cube.request import as_request

REQUESTS = (
    ("age,education,occupation", ("region", 0)),
    ("sex,age,citizenship", ("region", 1)),
    ("activity,occupation,education", ("sex", 0)),
    ("region,occupation,education", ("age", 9)),
)
METHODS: dict[str, dict[str, Any]] = {
    "random_round": {"base": 3},
    "add_noise": {"noise": fw.protect.uniform_noise(3)},
    "perturb": {
        "matrix": fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13),
        "last_rows": 5,
    },
}
RULES = fw.server.ServerRules(min_population=1000, max_small_share=0.5, min_mean_cell=1)
TIMES = 41


def milliseconds(call: Callable[[], Any], times: int = TIMES) -> float:
    call()
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - begin))
    return median(found)


def steps(server: fw.server.TableServer, dims: str, where: dict[str, str]) -> dict[str, float]:
    """The steps of one request, the whole, and what the agency may look at besides."""
    request = as_request(dims, where, server.offered)
    maker, judge = server.maker, server._answering.judge
    made = maker.made(request.whole)
    view = server.tabulate(dims, where).view
    assert view is not None
    measure, true, published = view.measure, view.counted.counts, view.published
    return {
        "count": milliseconds(lambda: server.cube.cut(request)),
        "count and protect": milliseconds(lambda: maker.made(request.whole)),
        "rules": milliseconds(lambda: judge.verdict(request, made)),
        "request": milliseconds(lambda: server.tabulate(dims, where)),
        "risk": milliseconds(lambda: measure.before(true)),
        "risk after": milliseconds(lambda: measure.after(true, published)),
        "utility": milliseconds(lambda: measure.utility(true, published)),
    }


def main() -> None:
    cube = fw.examples.hypercube()
    records = pd.DataFrame(
        {dim: pd.Categorical.from_codes(np.repeat(codes, cube.values.ravel()), cube[dim].values)
         for dim, codes in zip(cube.dims, np.indices(cube.shape).reshape(cube.ndim, -1), strict=True)}
    )  # fmt: skip
    print(f"{cube.size:,} cells, {int(cube.sum()):,} people")
    for what, data in (("the hypercube", cube), ("microdata", records), ("microdata, texts", records.astype(str))):
        print(f"a server from {what}: {milliseconds(lambda data=data: fw.server.TableServer(data, seed=1), 3):,.0f} ms")
    rows = {}
    for method, parameters in METHODS.items():
        server = fw.server.TableServer(cube, mechanism=method, parameters=parameters, rules=RULES, seed=1)
        for number, (dims, (dim, label)) in enumerate(REQUESTS, start=1):
            rows[method, f"table {number}"] = steps(server, dims, {dim: cube[dim].values[label]})
    frame = pd.DataFrame(rows).T
    print(frame.round(2).to_string())
    print(f"median request: {frame['request'].median():.1f} ms")


if __name__ == "__main__":
    main()
