"""What does a service say to requests that make no sense: is there a 500, or a trace of Python?

    python bench/studies/server/malformed.py [--requests 10000] [--seed 1] [--store]

Schemathesis makes requests from the description of the interfaces (OpenAPI), most of them wrong: parameters that are
missing, of another kind, too long, not text; methods that there are not; bodies that are no JSON. They are sent to a service
of a small town, as nobody, as a reader and as an auditor, with all checks of conformance: every status and kind of content
is one that the description names, and bodies have the form that it says. (Left out is that requests of a valid form are
accepted: a description cannot say which labels go together.) Every body that is sent is searched for words that only Python
says. With --store what is printed is kept in bench/results/malformed.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw

sys.path.insert(0, str(Path(__file__).parents[2]))

from stored import RESULTS, now
from written import circumstances

READER, AUDITOR = "a token of somebody who reads", "a token of somebody who audits"
OF_PYTHON = re.compile(
    rb"Traceback|File \\?\"|\.py\b|<class |object at 0x|[A-Z]\w+(Error|Exception)\b|numpy|pandas|sqlite"
)
EVERY_CHECK_BUT = "positive_data_acceptance"


class Overheard:
    """An application whose answers are counted and searched."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.statuses: Counter[int] = Counter()
        self.telling: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.statuses[message["status"]] += 1
                found = [b": ".join(header) for header in message["headers"] if OF_PYTHON.search(b": ".join(header))]
                self.telling += found
            elif message["type"] == "http.response.body" and not scope["path"].startswith("/api/openapi"):
                found = OF_PYTHON.search(message.get("body", b""))
                self.telling += [message["body"][max(found.start() - 80, 0) :][:200]] if found else []
            await send(message)

        await self.application(scope, receive, sent)


def town() -> Any:
    """A server of tables of 400 people."""
    random = np.random.default_rng(1)
    people = pd.DataFrame(
        {dim: random.choice(list(labels), 400) for dim, labels in {"sex": "fm", "region": "NSÄ", "job": "xyz"}.items()}
    )
    people["age"] = random.choice(["0-9", "10-19", "20-39", "40+"], 400)
    people["band"] = np.where(people["age"].isin(["0-9", "10-19"]), "young", "old")
    people["pay"] = random.integers(100, 900, 400)
    return fw.server.TableServer(
        people.join(fw.server.record_keys(people, seed=5)), hierarchies={"age": ["band"]}, summed=["pay"],
        mechanism="random_round", parameters={"base": 3}, seed=4711,
    )  # fmt: skip


@contextlib.contextmanager
def served(application: Any) -> Iterator[str]:
    """The address of an application while it is served, its lines about requests put aside."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def asked(address: str, token: str, examples: int, seed: int) -> tuple[bool, str]:
    """Does everything conform? And what schemathesis says."""
    headers = ["--header", f"Authorization: Bearer {token}"] if token else []
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/openapi.json", "--checks", "all",
             "--exclude-checks", EVERY_CHECK_BUT, "--max-examples", str(examples), "--seed", str(seed),
             "--continue-on-failure", "--no-color", *headers],
            capture_output=True, text=True, cwd=folder, check=False,
        )  # fmt: skip
    return done.returncode == 0, done.stdout + done.stderr


def main() -> None:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    settings = fw.server.ServiceSettings(readers={"anna": READER}, auditors={"carol": AUDITOR})
    heard, begin, bad = Overheard(fw.server.application(town(), settings)), time.perf_counter(), []
    lines = ["| as | requests | 2xx | 4xx | 5xx | conform |", "| --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    for who, token in (("nobody", ""), ("a reader", READER), ("an auditor", AUDITOR)):
        heard.statuses.clear()
        conform, seed = True, options.seed
        while heard.statuses.total() < options.requests / 3:
            with served(heard) as address:
                fine, said = asked(address, token, max(options.requests // 60, 5), seed)
            conform, seed = conform and fine, seed + 1
            bad += [] if fine else [said]
        by_hundreds = Counter(
            {k: sum(n for status, n in heard.statuses.items() if status // 100 == k) for k in range(1, 6)}
        )
        bad += [f"{by_hundreds[5]} answers of 5xx to {who}"] if by_hundreds[5] else []
        cells = [
            who,
            f"{heard.statuses.total():,}",
            *(f"{by_hundreds[k]:,}" for k in (2, 4, 5)),
            "yes" if conform else "NO",
        ]
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    lines += ["", f"Answers in which something of Python is to be seen: {len(heard.telling)}."]
    print(lines[-1])
    if options.store:
        head = [
            "# Requests that make no sense",
            "",
            f"By `python bench/studies/server/malformed.py --requests {options.requests} --store`.",
            "",
        ]
        text = [*head, *lines, "", f"*{circumstances(now(time.perf_counter() - begin))}*", ""]
        (RESULTS / "malformed.md").write_text("\n".join(text), encoding="utf-8")
    if bad or heard.telling:
        sys.exit("\n\n".join([*bad, *(one.decode("utf-8", "replace") for one in heard.telling[:10])]))


if __name__ == "__main__":
    main()
