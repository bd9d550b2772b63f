"""How many tables a second does a service answer, how long do the slowest take, and is every answer right and in the log?

    python bench/studies/server/load.py [--seconds 20] [--clients 4] [--kill 5] [--store]

`fiberwalk serve` with two workers answers distinct requests of three dims of the example hypercube (245,700 cells), rounded
to base 3; clients on the same machine ask one after the other. With --kill a worker is killed (SIGKILL) every so many
seconds, and what was not answered is asked again. Every answer is held to that of one user of the library, and to the log.
With --store what is printed is kept in bench/results/load.md.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import fiberwalk as fw

sys.path.insert(0, str(Path(__file__).parents[2]))

from stored import RESULTS, now
from written import circumstances

PORT, SEED = 8765, 4711


def addresses(cube: Any) -> list[tuple[str, list[str], dict[str, str]]]:
    """Distinct requests: three dims in any order, with and without a filter by one label of another."""
    found = []
    for dims in permutations(cube.dims, 3):
        filters = [{}] + [{dim: str(label)} for dim in cube.dims if dim not in dims for label in cube[dim].values]
        for where in filters:
            parts = "".join(f"&filter={quote(f'{dim}={label}')}" for dim, label in where.items())
            found.append((f"/api/table?dims={','.join(map(str, dims))}{parts}", list(map(str, dims)), where))
    random.Random(SEED).shuffle(found)
    return found


class Client(threading.Thread):
    """Asks one request after the other, again where nothing was answered."""

    def __init__(self, requests: list[Any], until: float) -> None:
        super().__init__()
        self.requests, self.until = requests, until
        self.seconds: list[float] = []
        self.values: dict[str, Any] = {}
        self.broken = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
        for path, _, _ in self.requests:
            begin = time.perf_counter()
            while time.perf_counter() < self.until:
                try:
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    body = answer.read()
                    self.seconds.append(time.perf_counter() - begin)
                    self.values[path] = json.loads(body).get("value", answer.status)
                    break
                except (OSError, http.client.HTTPException):
                    self.broken += 1
                    connection.close()
                    time.sleep(0.01)
            if time.perf_counter() >= self.until:
                return


def workers(service: subprocess.Popen) -> list[int]:
    """The processes that answer."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(service.pid)], capture_output=True, text=True, check=False
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--kill", type=float, default=0, help="seconds between two kills; 0: none")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    cube, home = fw.examples.hypercube(), Path(tempfile.mkdtemp())
    log = home / "log.sqlite"
    service = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "fiberwalk",
            "serve",
            "--demo",
            "--workers",
            "2",
            "--port",
            str(PORT),
            "--log",
            str(log),
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        waited(60)
        time.sleep(5)  # until the second worker is there as well
        requests = addresses(cube)
        until = time.perf_counter() + options.seconds
        clients = [Client(requests[k :: options.clients], until) for k in range(options.clients)]
        for one in clients:
            one.start()
        killed = 0
        while options.kill and time.perf_counter() + options.kill < until:
            time.sleep(options.kill)
            os.kill(random.choice(workers(service)), signal.SIGKILL)
            killed += 1
        for one in clients:
            one.join()
    finally:
        service.terminate()
        service.wait(30)
    seconds = np.array([second for one in clients for second in one.seconds])
    values = {path: value for one in clients for path, value in one.values.items()}
    words = {path: (dims, where) for path, dims, where in requests}
    server = fw.server.TableServer(cube, mechanism="random_round", parameters={"base": 3}, seed=1)
    wrong = sum(server.tabulate(*words[path]).table.values.ravel().tolist() != value for path, value in values.items())
    logged = Counter(entry.request.words for entry in fw.server.Log(log))
    missing = sum(not logged[server.look(*words[path]).request.words] for path in values)
    p50, p99 = 1000 * np.quantile(seconds, [0.5, 0.99])
    text = (
        f"{len(seconds):,} distinct requests of three dims in {options.seconds:g} s by {options.clients} clients: "
        f"{len(seconds) / options.seconds:.0f} a second; half within {p50:.0f} ms, 99% within {p99:.0f} ms, the slowest "
        f"{1000 * seconds.max():.0f} ms. {killed} workers were killed, "
        f"{sum(one.broken for one in clients)} connections broke. {wrong} answers differ from those of one "
        f"user of the library; {missing} are not in the log."
    )
    print(text)
    if options.store:
        by = f"python bench/studies/server/load.py {' '.join(sys.argv[1:])}"
        when = circumstances(now(options.seconds))
        (RESULTS / "load.md").write_text(
            f"# A service under load\n\nBy `{by}`.\n\n{text}\n\n*{when}*\n", encoding="utf-8"
        )


def waited(seconds: float) -> None:
    """Wait until the service answers."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.2)
    raise SystemExit("the service did not begin")


if __name__ == "__main__":
    main()
