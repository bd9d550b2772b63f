"""How long does a table server take to count large microdata, and how much memory does it need?

    python bench/studies/server/large_data.py [--rows 100_000_000] [--memory 2GB] [--store]

Invented people with stored record keys, written as Parquet by DuckDB itself: sex, age, district and its region, marital
status, education, citizenship. Of 1, 10, ... million rows, up to those asked for: the time until `TableServer` with
`fw.server.engines.duckdb` has counted them, the median time of a table of three dims, and the most memory of the process, in
a process of its own; up to 10 million also with the file read as a whole, whose cube must be the same to the last bit. With
--store what is printed is kept in bench/results/large_data.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from memory import most_memory
from stored import RESULTS, now
from written import circumstances

FIRST, LAST_AS_A_WHOLE = 1_000_000, 10_000_000
TABLES = ("sex,age,district", "age,marital,citizenship", "region,education,sex", "age,education,marital")
UNIFORM = "(hash(8 * i + {}) / 18446744073709551616.0)"
"""A number from 0 to 1 that follows from the number of a person."""


def write_people(rows: int, path: Path) -> None:
    """The Parquet file of so many people; few are old, few live in most of the districts."""
    import duckdb

    of = [UNIFORM.format(place) for place in range(6)]
    with duckdb.connect() as database:
        database.execute(
            f"""COPY (SELECT if({of[0]} < 0.5, 'f', 'm') AS sex, CAST(floor({of[1]} ** 1.3 * 100) AS TINYINT) AS age,
            CAST(floor({of[2]} ** 2 * 80) AS SMALLINT) AS district, 'region ' || floor({of[2]} ** 2 * 8) AS region,
            ['single', 'married', 'widowed', 'divorced'][1 + CAST(floor({of[3]} ** 2 * 4) AS INTEGER)] AS marital,
            CAST(floor({of[4]} * 7) AS TINYINT) AS education,
            ['here', 'near', 'far'][1 + CAST(floor({of[5]} ** 4 * 3) AS INTEGER)] AS citizenship,
            hash(8 * i + 6) >> 32 AS record_key_high, hash(8 * i + 7) >> 32 AS record_key_low
            FROM range({rows}) AS people(i)) TO '{path}' (FORMAT parquet)"""
        )


def measured(path: Path, memory: str) -> dict[str, Any]:
    """What one process takes; without `memory` it reads the file as a whole."""
    import fiberwalk as fw

    start = time.perf_counter()
    data = fw.server.engines.duckdb(path, memory=memory) if memory else path
    rounding: dict[str, Any] = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
    server = fw.server.TableServer(data, rules=fw.server.ServerRules(max_dims=3), **rounding)
    ready = time.perf_counter() - start
    seconds = []
    for dims in TABLES:
        start = time.perf_counter()
        server.tabulate(dims)
        seconds.append(time.perf_counter() - start)
    arrays = (server.cube.counts, server.cube.keys, *(column.codes for column in server.cube.columns))
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()
    return {
        "cells": len(server.cube.counts), "ready": ready, "table": statistics.median(seconds), "memory": most_memory(),
        "digest": digest,
    }  # fmt: skip


def in_a_process(path: Path, memory: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", str(path), "--memory", memory], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(measured(asked.one, asked.memory)))
        return
    began = time.perf_counter()
    lines = [
        "| rows | Parquet, MB | counted by | occupied cells | seconds to a server | seconds to a table | most memory, MB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    print("\n".join(lines), flush=True)
    rows = FIRST
    while rows <= asked.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "people.parquet"
            write_people(rows, path)
            ways = [("DuckDB", asked.memory)] + [("pandas, as a whole", "")] * (rows <= LAST_AS_A_WHOLE)
            found = {way: in_a_process(path, memory) for way, memory in ways}
            assert len({one["digest"] for one in found.values()}) == 1, "the cubes differ"
            for way, one in found.items():
                lines.append(
                    f"| {rows:,} | {path.stat().st_size / 1e6:,.0f} | {way} | {one['cells']:,} | {one['ready']:.1f} | "
                    f"{one['table']:.2f} | {one['memory'] / 1e6:,.0f} |"
                )
                print(lines[-1], flush=True)
        rows *= 10
    if asked.store:
        by = f"python bench/studies/server/large_data.py --rows {asked.rows} --memory {asked.memory} --store"
        about = (__doc__ or "").split("\n\n")[2].partition("With\n--store")[0].replace("\n", " ").strip()
        text = [
            "# Large microdata", "", f"By `{by}`.", "", f"{about} DuckDB was given {asked.memory}.", "", *lines, "",
            f"*{circumstances(now(time.perf_counter() - began))}*",
        ]  # fmt: skip
        (RESULTS / "large_data.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
