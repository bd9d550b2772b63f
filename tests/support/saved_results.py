"""Small results of every kind, with every law and every method of protection in them, to be saved and loaded.

Some of them are stored in `saved/` as they were first written, `python tests/support/saved_results.py FOLDER` writes all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw

SAVED = Path(__file__).parent / "saved"
"""Files that an older version wrote: they are read as long as there are users who have such files."""

TABLE = pd.DataFrame([[1, 5, 4], [7, 2, 6], [3, 8, 9]], index=list("abc"), columns=list("xyz"))
TABLE.index.name, TABLE.columns.name = "row", "col"
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]
CORNER = SQUARE[0]
MATRIX = np.array([[0.7, 0.3, 0], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
CUBE = np.arange(1, 13).reshape(2, 3, 2)
CUT = {"T": ("A,B", {"C": "1"})}


@dataclass(frozen=True)
class Own:
    """A law of the user's own."""

    name: str = "mine"
    words: str = "small values are likely"

    def on(self, release: fw.Release) -> Any:
        return lambda cell, first, last: -np.arange(first, last + 1.0)


def suppressed() -> fw.Release:
    return fw.suppress(TABLE, where=SQUARE)


def by_law(law: Callable[[], Any]) -> Callable[[], fw.Audit]:
    return lambda: fw.audit(suppressed(), law=law())


LAWS: dict[str, Callable[[], Any]] = {
    "uniform": lambda: "uniform",
    "hypergeometric": lambda: "hypergeometric",
    "expected": lambda: fw.laws.expected(TABLE + 0.5),
    "dirichlet": lambda: fw.laws.dirichlet(3),
    "prior": lambda: fw.laws.prior(
        [(CORNER, {0: 1, 1: 2, 2: 1}), (SQUARE[1], fw.laws.beta_binomial(9, 1, 2)), (SQUARE[2], lambda x: 1 / (1 + x))],
        otherwise=fw.laws.expected(TABLE + 1),
    ),
    "prior_otherwise_own": lambda: fw.laws.prior([(CORNER, {0: 1, 1: 2, 2: 1})], otherwise=Own()),
    "beta_binomial_within": lambda: fw.laws.prior(everywhere=fw.laws.beta_binomial(a=1, b=2)),
    "unimodal": lambda: fw.laws.prior(everywhere=fw.laws.unimodal()),
    "log_normal": lambda: fw.laws.prior(everywhere=fw.laws.log_normal(4, 0.5)),
    "frequencies": lambda: fw.laws.prior(everywhere=fw.laws.frequencies_of(TABLE)),
    "per_contributor": lambda: fw.laws.per_contributor(TABLE * 0 + 3),
    "own": Own,
}

METHODS: dict[str, Callable[[], fw.Release]] = {
    "suppress": lambda: fw.suppress(TABLE, rule="< 3", where=SQUARE, rule_known=True),
    "complementary_suppress": lambda: fw.protect.complementary_suppress(TABLE, rule="< 3"),
    "merge": lambda: fw.merge(TABLE, {"row": {"ab": ["a", "b"]}}),
    "round_to": lambda: fw.round_to(TABLE, 5),
    "random_round": lambda: fw.protect.random_round(TABLE, 3, seed=1, exact=["row", "col"]),
    "semi_controlled_round": lambda: fw.protect.semi_controlled_round(TABLE, 3, seed=1),
    "controlled_round": lambda: fw.protect.controlled_round(TABLE, 3, seed=1),
    "round_lattice": lambda: fw.protect.round_lattice(TABLE, 3, seed=1),
    "perturb": lambda: fw.protect.perturb(TABLE, MATRIX, seed=1, exact=["row", "col"]),
    "add_noise": lambda: fw.protect.add_noise(TABLE, fw.protect.uniform_noise(2), seed=1, exact=["row", "col"]),
    "draw_sample": lambda: fw.protect.draw_sample(TABLE, 0.5, seed=1, exact=["row", "col"]),
    "swap": lambda: fw.protect.swap(TABLE, "row", rate=0.2, seed=1),
    "swap_preserving": lambda: fw.protect.swap_preserving(TABLE, ways=1, swaps=4, seed=1),
    "simulate": lambda: fw.protect.simulate(TABLE, ["row", "col"], seed=1),
    "pram": lambda: fw.protect.pram(TABLE, "row", stay=0.8, seed=1),
    "local_suppress": lambda: fw.protect.local_suppress(TABLE, "row", rate=0.3, seed=1),
    "markov_perturb": lambda: fw.protect.markov_perturb(TABLE, 0.2, seed=5),
}


def theta_not_known() -> fw.Audit:
    square = [({"A": "1", "B": "1"}, {"A": "2", "B": "2"})]
    return fw.audit(fw.protect.as_protected([[4, 2], [1, 5]], "markov_perturb", theta=[0.1, 0.3], squares=square))


def sample_from_outside() -> fw.Audit:
    totals = [TABLE.sum(axis=1), TABLE.sum(axis=0)]
    return fw.audit(fw.protect.as_protected(TABLE // 2, "draw_sample", exact=totals))


def of_statistics() -> fw.Audit:
    ages = fw.table([[1, 0], [2, 1], [1, 1]], labels={"age": ["30", "40", "50"], "sex": ["f", "m"]}, dims="age,sex")
    told = fw.publish(ages, margins=[""]).knows({}, fw.facts.mean("41.7", "age"), fw.facts.median(40, "age"))
    return fw.audit(told.knows({"sex": "m"}, fw.facts.distinct(2, "age")))


def of_answers() -> fw.Audit:
    """What two answers of a server tell together, whose random numbers belong to people."""
    server = fw.server.TableServer(TABLE // 2, mechanism="random_round", seed=1)
    return server.believe([server.tabulate("row"), server.tabulate("row,col")])


def of_people() -> fw.Reconstruction:
    """Tables of a few people, one of them rounded at random, and figures of every kind."""
    people = fw.population(
        {"age": range(6), "sex": ["f", "m"], "town": ["A", "B"]},
        recodes={"age": {"old": {"no": [0, 1, 2], "yes": [3, 4, 5]}}},
        where=[({"sex": "m"}, {"age": range(5)})],
    )
    by_age = fw.table([[2, 1], [1, 2]], dims="sex,old", labels={"sex": ["f", "m"], "old": ["no", "yes"]})
    by_town = fw.table([[2, 1], [1, 2]], dims="sex,town", labels={"sex": ["f", "m"], "town": ["A", "B"]})
    release = people.published({"ages": by_age, "towns": fw.protect.random_round(by_town, 3, seed=3)})
    release = release.knows(
        {}, fw.facts.mean("2.5", "age"), fw.facts.median("2.5", "age"), fw.facts.distinct(4, "age"), at_least=1
    )
    women = fw.facts.share(50, of={}), fw.facts.smallest(0, "age"), fw.facts.withheld(fewer_than=5)
    expected = fw.table([3.5, 2.5], dims="sex", labels={"sex": ["f", "m"]}, decimals=1)
    return fw.reconstruct(
        release.knows({"sex": "f"}, *women), fw.laws.expected(expected), region="town", progress=False
    )


CASES: dict[str, Callable[[], Any]] = {
    "reconstruction": of_people,
    "audit_of_statistics": of_statistics,
    "audit_exact": lambda: fw.audit(METHODS["suppress"](), hidden_margins=["row"]),
    "audit_by_chains_hypergeometric": lambda: fw.audit(
        suppressed(), "hypergeometric", method="chains", seed=1, tolerance=0.2
    ),
    "audit_of_respondents": lambda: fw.audit(
        fw.suppress(fw.table(TABLE, contributors=TABLE * 0 + 1), where=SQUARE), intruders="respondents"
    ),
    "audit_of_the_two_largest": lambda: fw.audit(
        fw.suppress(fw.table(TABLE * 9, contributors=TABLE * 0 + 3, largest=TABLE * 5, second=TABLE * 3), where=SQUARE),
        intruders="respondents",
    ),
    "audit_of_unknown_theta": theta_not_known,
    "audit_of_answers": of_answers,
    "audit_of_a_sample_from_outside": sample_from_outside,
    "conditional_test": lambda: fw.laws.conditional_test(TABLE, ["row", "col"]),
    "map": lambda: fw.ru_map(TABLE, {"rounding": ("random_round", {"base": [3, 5]}), "suppression": suppressed()}, seeds=2),
    "margins": lambda: fw.studies.compare_margins([[3, 1, 0], [2, 4, 5]], law="hypergeometric"),
    "sample_risk": lambda: fw.survey.sample_risk([[3, 0], [2, 5]], people=100, model="urn", draws=20),
    "sample_study": lambda: fw.survey.sample_study(TABLE, [0.5], ["urn"], seeds=2, draws=10),
    "suppression": lambda: fw.protect.suppression(TABLE, where=TABLE < 3, below=TABLE // 2, until="p <= 0.6", seed=1),
    "table_study": lambda: fw.studies.table_study(CUBE, CUT, {"R": ("after", "random_round", {})}, seeds=2),
    **{f"law_{name}": by_law(law) for name, law in LAWS.items()},
    **{f"method_{name}": lambda make=make: fw.audit(make()) for name, make in METHODS.items()},
}  # fmt: skip
"""What may be saved, by a name for it."""


if __name__ == "__main__":
    for case, make in CASES.items():
        make().save(Path(sys.argv[1]) / f"{case}.fw")
