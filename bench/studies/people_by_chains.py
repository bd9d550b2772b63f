"""Chains on populations held to exact answers: random tables about random people, some suppressed, some rounded.

    python bench/studies/people_by_chains.py [--cases 25] [--seed 1] [--seconds 30]

What converged and differs from the exact probability of any kind of people by more than six standard errors, and by more
than 0.01, is wrong; the command then ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import fiberwalk as fw
from fiberwalk.base.errors import InputError, TimeUp, TooLarge

LABELS = {"block": ["1", "2", "3"], "sex": ["f", "m"], "age": [str(age) for age in range(8)], "race": ["a", "b", "c"]}
RECODES = {
    "age": {"band": {"young": ["0", "1", "2", "3"], "old": ["4", "5", "6", "7"]}},
    "race": {"any": {"a or b": ["a", "b"], "b or c": ["b", "c"]}},
}
OF_RECODES = {"band": ["young", "old"], "any": ["a or b", "b or c"]}
TABLES = ("block", "block race", "block sex band", "block band race", "sex age", "age race", "block any", "block age")
TABLES = (*TABLES, "sex race", "block sex any")
LARGEST_Z, LEAST_DIFFERENCE = 6.0, 0.01


def table_of(people: np.ndarray, axes: list[str]) -> Any:
    """A table of people, who are counted by block, sex, age and race."""
    names, labels = list(LABELS), LABELS | OF_RECODES
    if "band" in axes:
        people, names[2] = np.add.reduceat(people, [0, 4], axis=2), "band"
    if "any" in axes:
        people, names[3] = people[..., :2] + people[..., 1:], "any"
    kept = [name for name in names if name in axes]
    values = people.sum(axis=tuple(k for k, name in enumerate(names) if name not in axes))
    return fw.table(values, dims=kept, labels={name: labels[name] for name in kept})


def published(rng: np.random.Generator) -> Any:
    """Some tables of some people."""
    people = rng.poisson(rng.uniform(0.03, 0.4) * rng.gamma(1, 1, size=[len(own) for own in LABELS.values()]))
    chosen = [TABLES[0], *rng.choice(TABLES[1:], rng.integers(3, 7), replace=False)]
    tables: dict[str, Any] = {}
    for number, name in enumerate(chosen):
        table = table_of(people, name.split())
        how = rng.choice(["plain", "plain", "plain", "suppressed", "rounded"]) if number else "plain"
        if how == "rounded":
            table = fw.round_to(table, base=3, margins=[])
        elif how == "suppressed":
            hidden = np.argwhere(rng.random(table.values.shape) < 0.3)
            labels = LABELS | OF_RECODES
            where = [
                {dim.name: labels[dim.name][place] for dim, place in zip(table.dims, cell, strict=True)}
                for cell in hidden
            ]
            table = fw.suppress(table, where=where, margins=[]) if where else table
        tables[name] = table
    return fw.population(LABELS, recodes=RECODES).published(tables)


def main() -> int:
    """One line a case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    rng, compared, converged, wrong = np.random.default_rng(options.seed), 0, 0, 0
    for case in range(options.cases):
        release, law = published(rng), str(rng.choice(["uniform", "hypergeometric"]))
        try:
            exact = fw.reconstruct(release, law=law, method="exact", max_seconds=options.seconds)
        except (InputError, TimeUp, TooLarge) as reason:
            print(f"{case}: {law}: not solved exactly: {str(reason)[:80]}", flush=True)
            continue
        chains = fw.reconstruct(release, law=law, method="chains", seed=case + 1, max_seconds=options.seconds)
        truth, found = (one.rebuilt.figures for one in (exact, chains))
        difference = np.abs(truth["p_somebody"] - found["p_somebody"])
        z = difference / np.maximum(found["p_error"], 1e-4)
        is_wrong = chains.converged and bool(((z > LARGEST_Z) & (difference > LEAST_DIFFERENCE)).any())
        compared, converged, wrong = compared + 1, converged + chains.converged, wrong + is_wrong
        print(
            f"{case}: {law}, {len(exact.records)} records, {chains.certificate.word}"
            f"{'' if chains.converged else ', NOT CONVERGED'}: largest difference {difference.max():.4f}"
            f"{', WRONG' if is_wrong else ''}",
            flush=True,
        )
    print(f"{compared} compared, {converged} converged, {wrong} of these wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
