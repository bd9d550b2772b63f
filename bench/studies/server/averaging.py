"""Who averages many tables, and who works out what they tell together: whose guess of one count is better?

    python bench/studies/server/averaging.py [--runs 100] [--store]

The attack of Asghar and Kaafar (2020): the people of a town district by age, shown for any set of ages and for the same set
with one age more. The difference is the count that is looked for, with two draws of noise, and many such pairs average the
noise away. The averager knows the prior and the size of the noise, and takes differences for independent; the posterior is
`TableServer.believe` of the same answers. Scored by log P(true count), on average over runs. With --store what is printed is
kept in bench/results/averaging.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm, poisson

import fiberwalk as fw
from fiberwalk.protect.mechanism.cell_keys import CellNumbers
from fiberwalk.server.joint_belief import told_together

sys.path.insert(0, str(Path(__file__).parents[2]))

from stored import RESULTS, now
from written import circumstances

AGES = ("0-9", "10-19", "20-34", "35-49", "50-64", "65+")
MEAN = 2.0
REQUESTS = (4, 8, 16, 32)
LARGEST = 40
METHODS: dict[str, dict[str, Any]] = {
    "random_round base 3": {"mechanism": "random_round", "parameters": {"base": 3}},
    "random_round base 5": {"mechanism": "random_round", "parameters": {"base": 5}},
    "add_noise up to 2": {"mechanism": "add_noise", "parameters": {"noise": fw.protect.uniform_noise(2)}},
    "perturb": {
        "mechanism": "perturb",
        "parameters": {"matrix": [[1, 0, 0, 0], [0.3, 0.4, 0.3, 0], [0.1, 0.2, 0.4, 0.3], [0, 0.15, 0.15, 0.7]]},
    },
}


def spread(server: Any) -> float:
    """The standard deviation of a difference of two figures, for counts of the usual size, by the law of the method."""
    method = server.after
    counts = np.repeat(np.arange(4, 24), 400)
    numbers = np.random.default_rng(1).random(len(counts)).view(CellNumbers)
    published = method.publish(counts, ["cell"], 1, numbers, np.ones(len(counts), dtype=bool))
    return float(np.sqrt(2) * np.std(published - counts))


def one_run(method: str, seed: int) -> list[tuple[str, int, float, float]]:
    """One district: log P(true count of the first age) by both, after each number of requests."""
    random = np.random.default_rng(seed)
    counts = random.poisson(MEAN, len(AGES))
    both = np.stack([counts, np.full(len(AGES), 30)])  # the other district keeps tables from being empty
    table = fw.table(both, dims=["district", "age"], labels={"district": ["one", "other"], "age": AGES})
    rules = fw.server.ServerRules(max_labels=None)
    server = fw.server.TableServer(table, rules=rules, seed=seed, **METHODS[method])
    prior, sd = poisson(MEAN).logpmf(np.arange(LARGEST)), spread(server)

    def asked(ages: list[str]) -> Any:
        return server.tabulate("district", {"age": ages})

    answers, rows = [asked([AGES[0]])], []
    differences = [int(answers[0].table.sel(district="one"))]
    for number in range(2, max(REQUESTS) // 2 + 1):
        some = [age for age in AGES[1:] if random.random() < 0.5] or [AGES[1]]
        answers += [asked([AGES[0], *some]), asked(some)]
        with_it, without = (int(answer.table.sel(district="one")) for answer in answers[-2:])
        differences.append(with_it - without)
        if 2 * number in REQUESTS:
            scores = _averaged(differences, prior, sd, counts[0]), _believed(server, answers, counts[0])
            rows.append((method, 2 * number, *scores))
    return rows


def _averaged(differences: list[int], prior: np.ndarray, sd: float, true: int) -> float:
    """log P(true count) of one who averages differences."""
    logs = prior.copy()
    if differences:
        logs += norm(np.mean(differences), sd / np.sqrt(len(differences))).logpdf(np.arange(LARGEST))
    return float(logs[true] - np.logaddexp.reduce(logs))


def _believed(server: Any, answers: list[Any], true: int) -> float:
    """log P(true count) of one who works out what all answers tell together."""
    told = told_together(server.cube, answers)
    (ages,) = [dim for dim in told.dims if dim.name == "age"]
    sizes = np.array([label.count(" or ") + 1 for label in ages.labels])  # ages that no answer tells apart are one
    means = np.outer([MEAN, 30.0], sizes)
    assert [dim.name for dim in told.dims] == ["district", "age"]
    audit = server.believe(answers, fw.laws.expected(means), method="exact", progress=False)
    pmf = audit.pmf(district="one", age=AGES[0])
    return float(np.log(max(pmf.get(true, 0.0), 1e-300)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--store", action="store_true")
    asked = parser.parse_args()
    begin = time.perf_counter()
    rows = [row for method in METHODS for seed in range(asked.runs) for row in one_run(method, seed)]
    frame = pd.DataFrame(rows, columns=["method", "requests", "averaging", "posterior"])
    found = frame.groupby(["method", "requests"], sort=False).mean()
    print(found.round(3).to_string())
    worse = found[found["posterior"] < found["averaging"]]
    if asked.store:
        lines = [
            f"| {method} | {requests} | {row.averaging:.3f} | {row.posterior:.3f} |"
            for (method, requests), row in found.iterrows()
        ]
        head = (
            "# Averaging, and the joint posterior\n\n"
            + (__doc__ or "").split("\n\n")[2].partition("With --store")[0].replace("\n", " ").strip()
            + "\n\n"
        )
        table = "| method | requests | averaging | posterior |\n| --- | --- | --- | --- |\n" + "\n".join(lines)
        text = f"{head}{asked.runs} runs each.\n\n{table}\n\n*{circumstances(now(time.perf_counter() - begin))}*\n"
        (RESULTS / "averaging.md").write_text(text, encoding="utf-8")
    if len(worse):
        sys.exit(f"the posterior scores worse than averaging:\n{worse}")


if __name__ == "__main__":
    main()
