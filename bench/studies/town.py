"""Reconstruction of a town that is made up: is it calibrated, what does it find, and what does that cost?

    python bench/studies/town.py calibration [--towns 60]
    python bench/studies/town.py realistic [--blocks 5] [--seconds 600] [--solutions 100]
    python bench/studies/town.py protected [--blocks 3]
    python bench/studies/town.py growth

calibration: towns drawn from each law itself, so that what the same law believes of them must hold. realistic: the town
of `fw.examples.town` (seed 1, fixed before anything was reconstructed) under each law, beside solutions of HiGHS under
random objectives, as a reconstruction by integer programs finds them. protected: the same with tables left out, rounded,
or with cell keys. growth: time and memory by the number of people and of tables, beside HiGHS finding one solution. With
--store what is printed is kept in bench/results/town.md.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import xarray as xr
from scipy import stats

import fiberwalk as fw
from fiberwalk.base.errors import InputError, TimeUp, TooLarge
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.recipes.town import ETHNICITIES, SEXES
from fiberwalk.recipes.town_tables import RACE_GROUPS, TABLES
from fiberwalk.results.agreement_with_truth import AgreementWithTruth

sys.path.insert(0, str(Path(__file__).parents[1]))
from stored import RESULTS, now
from written import circumstances

STORED = RESULTS / "town.md"
BINS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NATION = 400
"""Blocks of another town by the same recipe, whose figures are the level above."""


# --- laws ---------------------------------------------------------------------------------------------------------------


def level_above() -> Any:
    """Expected counts by sex, age, race group and ethnicity, from a larger town of another seed."""
    people = fw.examples.town(NATION, seed=99)
    group = {race: name for name, races in RACE_GROUPS.items() for race in races}
    people["race group"] = people["race"].map(group)
    axes = [list(SEXES), list(map(str, range(116))), list(RACE_GROUPS), list(ETHNICITIES)]
    names = ["sex", "age", "race group", "ethnicity"]
    counts = people.groupby(names).size().reindex(pd.MultiIndex.from_product(axes, names=names), fill_value=0)
    return fw.laws.expected((counts + 0.05).astype(float).to_xarray())


def laws() -> dict[str, Any]:
    """What a snooper may believe beforehand."""
    return {"uniform": "uniform", "hypergeometric": "hypergeometric", "level above": level_above()}


# --- calibration --------------------------------------------------------------------------------------------------------


def _small() -> Any:
    return fw.population(
        {
            "block": ["1", "2"],
            "sex": ["f", "m"],
            "age": [str(age) for age in range(12)],
            "race": ["a", "b", "c"],
        },
        recodes={"age": {"band": {"young": [str(k) for k in range(4)], "old": [str(k) for k in range(4, 12)]}}},
    )


def _publish(people: np.ndarray) -> Any:
    """Six tables of people, as counts by block, sex, age and race."""
    labels = {"block": ["1", "2"], "sex": ["f", "m"], "age": [str(k) for k in range(12)], "race": ["a", "b", "c"]}
    bands = np.add.reduceat(people, [0, 4], axis=2)
    names, banded = list(labels), {**labels, "band": ["young", "old"]}

    def shown(counts: np.ndarray, dims: list[str], kept: str) -> Any:
        away = tuple(k for k, dim in enumerate(dims) if dim not in kept.split(","))
        axes = [dim for dim in dims if dim in kept.split(",")]
        return fw.table(counts.sum(axis=away), dims=axes, labels={dim: banded[dim] for dim in axes})

    in_bands = ["block", "sex", "band", "race"]
    return _small().published(
        {
            "people": shown(people, names, "block"),
            "race": shown(people, names, "block,race"),
            "sex by band": shown(bands, in_bands, "block,sex,band"),
            "band by race": shown(bands, in_bands, "block,band,race"),
            "town: sex by age": shown(people, names, "sex,age"),
            "town: age by race": shown(people, names, "age,race"),
        }
    )


MEANS = np.einsum("b,s,a,r->bsar", [14.0, 9.0], [0.5, 0.5], np.linspace(2, 0.5, 12) / 15, [0.7, 0.2, 0.1])


def draw_town(law: str, rng: np.random.Generator) -> np.ndarray:
    """A town as the law has it beforehand."""
    shape = MEANS.shape
    if law == "uniform":  # every multiset of as many people alike, block by block
        records = int(np.prod(shape[1:]))
        return np.stack([rng.multinomial(n, rng.dirichlet(np.ones(records))).reshape(shape[1:]) for n in (18, 12)])
    if (
        law == "hypergeometric"
    ):  # features independent of each other: any odds will do, as the figures tell what they were
        return rng.poisson(MEANS)
    return rng.poisson(MEANS * np.linspace(0.3, 2.5, MEANS.size).reshape(shape))


def calibration(towns: int) -> Iterator[str]:
    """Towns from each law, by chi-square: in each bin of probability, are there as many records as were believed?"""
    yield "| law | towns | records between 0 and 1 | believed | there are | chi-square | p |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for number, law in enumerate(("uniform", "hypergeometric", "expected counts")):
        rng = np.random.default_rng(2026 + number)
        differences, believed, there, records = [], 0.0, 0.0, 0
        own = np.linspace(0.3, 2.5, MEANS.size).reshape(MEANS.shape)
        names = {"block": ["1", "2"], "sex": ["f", "m"], "age": [str(k) for k in range(12)], "race": ["a", "b", "c"]}
        for _ in range(towns):
            town = draw_town(law, rng)
            chosen = (
                fw.laws.expected(xr.DataArray(MEANS * own, dims=list(names), coords=names))
                if law == "expected counts"
                else law
            )
            found = fw.reconstruct(_publish(town), law=chosen, method="exact")
            held = found.against(_as_frame(town, names))
            open_ = (held.p > 0) & (held.p < 1)
            place = np.searchsorted(BINS, held.p[open_])
            change = held.occupied[open_] - held.p[open_] * held.records[open_]
            differences.append(np.bincount(place, change, len(BINS) + 1))
            believed += float((held.p * held.records)[open_].sum())
            there += float(held.occupied[open_].sum())
            records += int(held.records[open_].sum())
        differences_of = np.array(differences)
        spread = differences_of.T @ differences_of
        used = np.flatnonzero(np.diag(spread) > 0)
        total = differences_of.sum(axis=0)[used]
        statistic = float(total @ np.linalg.pinv(spread[np.ix_(used, used)]) @ total)
        # Hotelling: the spread is that of the towns themselves.
        n, k = towns, len(used)
        p = float(stats.f.sf(statistic * (n - k) / (k * max(n - statistic, 1e-9)), k, n - k))
        yield f"| {law} | {towns} | {records:,} | {believed:,.0f} | {there:,.0f} | {statistic:.1f} ({k}) | {p:.2f} |"


def _as_frame(counts: np.ndarray, labels: dict[str, list[str]]) -> pd.DataFrame:
    """One person a row."""
    at = np.repeat(np.argwhere(counts > 0), counts[counts > 0], axis=0)
    return pd.DataFrame({dim: np.array(own)[at[:, k]] for k, (dim, own) in enumerate(labels.items())})


# --- integer programs ---------------------------------------------------------------------------------------------------


class Programs:
    """The same system as HiGHS sees it: the counts that are open once zeros are propagated."""

    def __init__(self, release: Any) -> None:
        self.kinds = release.kinds
        self.solved = presolve(self.kinds.release)

    def solution(self, rng: np.random.Generator) -> np.ndarray:
        """One population that agrees with all tables, under a random objective."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        table = self.solved.start.ravel().copy()
        for block in self.solved.blocks:
            answer = milp(
                rng.standard_normal(len(block.columns)),
                constraints=LinearConstraint(sp.csc_array(block.A), block.b, block.b),
                bounds=Bounds(block.lower, block.upper),
                integrality=np.ones(len(block.columns)),
                options={"mip_rel_gap": 1.0},
            )
            table[block.columns] = np.round(answer.x).astype(np.int64)
        return table[: len(self.kinds)]

    def agreement(
        self, solutions: list[np.ndarray], people: pd.DataFrame, of: AgreementWithTruth
    ) -> AgreementWithTruth:
        """How often records come up, as a probability: half a solution is added to either side."""
        there = np.mean([table > 0 for table in solutions], axis=0)
        p = (there * len(solutions) + 0.5) / (len(solutions) + 1.0)
        decided = self.solved.decided[: len(p)]
        p[decided] = there[decided]
        return AgreementWithTruth(p, of.records, of.occupied, of.impossible)


# --- the realistic town -------------------------------------------------------------------------------------------------


def realistic(blocks: int, seconds: float, solutions: int) -> Iterator[str]:
    """The town under each law, and as often as records come up in solutions of integer programs."""
    people = fw.examples.town(blocks, seed=1)
    release = fw.examples.town_release(people)
    yield f"{blocks} blocks, {len(people):,} people.\n"
    yield "| | method | time | certain | log score (bits) | there are of the first 100 | 300 | 1,000 | 3,000 |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    curves, held = {}, None
    for name, law in laws().items():
        begin = time.perf_counter()
        found = fw.reconstruct(release, law=law, region="block", max_seconds=seconds)
        took = time.perf_counter() - begin
        held = found.against(people)
        doubt = "" if found.converged else ", not converged"
        yield _line(name, f"{found.method}{doubt}", took, len(found.certain), held)
        curves[name] = held.calibration
    assert held is not None
    programs, rng, begin = Programs(release), np.random.default_rng(1), time.perf_counter()
    drawn = [programs.solution(rng) for _ in range(solutions)]
    took = time.perf_counter() - begin
    by_programs = programs.agreement(drawn, people, held)
    yield _line(
        f"{solutions} solutions of HiGHS", "integer programs", took, int((by_programs.p == 1).sum()), by_programs
    )
    curves["solutions of HiGHS"] = by_programs.calibration
    yield "\nShare of the records that there are, by the probability they were given:\n"
    together = pd.concat({name: curve[["mean", "share"]] for name, curve in curves.items()}, axis=1)
    rows = [row for row in together.index if "-" in row] + [row for row in together.index if "-" not in row]
    yield "| probability | " + " | ".join(curves) + " |"
    yield "| --- |" + " --- |" * len(curves)
    for row in rows:
        cells = []
        for name in curves:
            share = together.loc[row, (name, "share")]
            cells.append("" if np.isnan(share) else f"{share:.2f}")
        yield f"| {row} | " + " | ".join(cells) + " |"


def bits(held: AgreementWithTruth) -> float:
    """The log score of all records together, as what is held for open differs."""
    return held.log_score * float(held.records[(held.p > 0) & (held.p < 1)].sum())


def _line(name: str, method: str, seconds: float, certain: int, held: AgreementWithTruth) -> str:
    hits = held.hits["hits"]
    first = [f"{hits[first]:,.0f}" if first in hits.index else "" for first in (100, 300, 1000, 3000)]
    return f"| {name} | {method} | {seconds:.0f} s | {certain:,} | {bits(held):,.0f} | " + " | ".join(first) + " |"


# --- protection ---------------------------------------------------------------------------------------------------------


def protections() -> dict[str, dict[str, Any]]:
    """What may be done to the tables."""
    local = [name for name in TABLES if "race groups" in name or "ethnicities" in name]

    def keyed(table: Any) -> Any:
        return fw.protect.perturb(table, fw.protect.window_matrix(stay=[0.6] * 8, window=[5] * 8), seed=1)

    return {
        "as published": {},
        "without tables of race groups and ethnicities by age": {"without": local},
        "without single years of age": {
            "without": [name for name in TABLES if name.startswith("town") or "under 20" in name]
        },
        "rounded to base 3": {"method": lambda table: fw.round_to(table, base=3, margins=[])},
        "cell keys": {"method": keyed},
    }


def protected(blocks: int, seconds: float) -> Iterator[str]:
    """How it all changes."""
    people = fw.examples.town(blocks, seed=1)
    yield f"{blocks} blocks, {len(people):,} people; what everybody could guess is the level above.\n"
    yield "| tables | possible records | certain | method | time | log score (bits) | there are of the first 100 |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, how in protections().items():
        begin = time.perf_counter()
        try:
            release = fw.examples.town_release(people, **how)
            found = fw.reconstruct(release, law="hypergeometric", region="block", max_seconds=seconds)
            held = found.against(people)
        except (InputError, TimeUp, TooLarge) as problem:
            yield f"| {name} | {str(problem).splitlines()[0]} | | | | | |"
            continue
        doubt = "" if found.converged else ", not converged"
        hits = held.hits["hits"]
        yield (
            f"| {name} | {int(held.records[held.p > 0].sum()):,} | {len(found.certain):,} | {found.method}{doubt} | "
            f"{time.perf_counter() - begin:.0f} s | {bits(held):,.0f} | {hits.iloc[2]:.0f} |"
        )


# --- growth -------------------------------------------------------------------------------------------------------------


def growth() -> Iterator[str]:
    """Time and memory by people and tables; each line in a process of its own."""
    import subprocess

    yield "| blocks | tables | people | possible records | known after | method | answer | one solution, HiGHS | memory |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for blocks, tables in ((1, 11), (2, 11), (3, 11), (5, 11), (5, 6), (5, 4), (10, 11), (20, 11), (50, 11)):
        command = [sys.executable, __file__, "grown", "--blocks", str(blocks), "--tables", str(tables)]
        yield subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def grown(blocks: int, tables: int, seconds: float) -> Iterator[str]:
    """One line of growth()."""
    people = fw.examples.town(blocks, seed=1)
    release = fw.examples.town_release(people, without=list(TABLES)[tables:])
    begin = time.perf_counter()
    kinds = release.kinds
    known = time.perf_counter() - begin
    begin = time.perf_counter()
    found = fw.reconstruct(release, max_seconds=seconds)
    took = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    programs, begin = Programs(release), time.perf_counter()
    programs.solution(np.random.default_rng(1))
    one = time.perf_counter() - begin
    doubt = "" if found.converged else ", not converged"
    yield (
        f"| {blocks} | {tables} | {len(people):,} | {int(kinds.multiplicity.sum()):,} | {known:.1f} s | "
        f"{found.method}{doubt} | {took:.0f} s | {one:.2f} s | {memory:,.0f} MB |"
    )


def main() -> None:
    """What was asked for, line by line as it is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calibration", "realistic", "protected", "growth", "grown"])
    parser.add_argument("--towns", type=int, default=60)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--tables", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--solutions", type=int, default=100)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    asked: dict[str, Callable[[], Iterator[str]]] = {
        "calibration": lambda: calibration(options.towns),
        "realistic": lambda: realistic(options.blocks, options.seconds, options.solutions),
        "protected": lambda: protected(options.blocks, options.seconds),
        "growth": growth,
        "grown": lambda: grown(options.blocks, options.tables, options.seconds),
    }
    begin, lines = time.perf_counter(), []
    for line in asked[options.what]():
        print(line, flush=True)
        lines.append(line)
    if options.store:
        title = options.what if options.what != "realistic" else f"realistic, {options.blocks} blocks"
        keep(title, lines, time.perf_counter() - begin)


def keep(title: str, lines: list[str], seconds: float) -> None:
    """Put what was found in the place of what stood under the same title."""
    text = STORED.read_text() if STORED.exists() else "# Reconstruction of a town\n\nBy `bench/studies/town.py`.\n"
    head, *parts = text.split("\n## ")
    by_title = {part.splitlines()[0]: part for part in parts}
    by_title[title] = "\n".join([title, "", *lines, "", f"*{circumstances(now(seconds))}*", ""])
    STORED.write_text("\n## ".join([head.rstrip() + "\n", *by_title.values()]))


if __name__ == "__main__":
    main()
