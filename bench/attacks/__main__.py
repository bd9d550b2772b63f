"""The table server under attack: what is proven after 10, 100, 1,000 and 2,000 requests, for each method and rules.

    python bench/attacks                    runs all and prints it; takes an hour
    python bench/attacks 'base 3' census    only methods and rules whose names hold one of these words; the census hypercube
    ... --store                             and writes bench/results/attacks.md, after each server anew

Fails where an attack proves more than every distinct figure does, seen once, or where a proof is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from stored import RESULTS, now
from written import circumstances

import fiberwalk as fw
from attacks import census
from attacks.contest import attacked
from attacks.population import Population, town
from attacks.servers import METHODS, RULES, Method, answered_share, rules_of
from attacks.written import Attacked, entry, markdown, summary

CENSUS = "census"
SEED = 5


def people(rules: str) -> Population:
    """A town; a hamlet where any set of labels may be asked for, which makes ten times as many figures."""
    return town(1, people=250, regions=2, ages=4) if rules == RULES[2] else town(1)


def found_of(method: Method, name: str) -> Attacked:
    """All attacks on one server."""
    population = people(name)
    rules = rules_of(name, population, method)
    plain, filtered = (answered_share(population, method, rules, filters) for filters in (0, 1))
    possible = int(population.frame.possible.sum())
    small = int(((population.counts > 0) & (population.counts < 3)).sum())
    zeros = int((population.counts[population.frame.possible] == 0).sum())
    share = "" if rules.max_small_share is None else f" At most {rules.max_small_share:.0%} of the cells are small."
    words = (
        f"{int(population.counts.sum())} people in {possible} finest cells, {zeros} empty and {small} of 1 or 2.{share} "
        f"Of random requests of up to three dims {plain:.0%} are answered, {filtered:.0%} of those with a filter besides."
    )
    return Attacked(method.name, name, words, tuple(attacked(population, method, rules, SEED)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="of methods or rules")
    parser.add_argument("--store", action="store_true", help="write bench/results/attacks.md")
    asked = parser.parse_args()
    begin, found, refused = time.perf_counter(), [], []
    lines = [study() for study in census.STUDIES] if not asked.words or CENSUS in asked.words else []
    print(*lines, sep="\n", flush=True)
    for method, name in product(METHODS, RULES):
        if asked.words and not any(word in f"{method.name}, {name}" for word in asked.words):
            continue
        try:
            found.append(found_of(method, name))
        except fw.InputError as problem:
            line = f"{method.name} is not offered for tables on request: {problem}"
            refused += [line] if line not in refused else []
            continue
        for one in found[-1].outcomes:
            print(f"{method.name}, {name}: {one.attack}, {one.asked:,} requests: {entry(one.score)}", flush=True)
        if asked.store:
            when = circumstances(now(time.perf_counter() - begin))
            (RESULTS / "attacks.md").write_text(markdown(found, refused, lines, when), encoding="utf-8")
    print(summary(found))
    if any(one.wrong or one.best.proven > one.benchmark.proven for one in found):
        sys.exit("an attack proves more than every distinct figure does, seen once, or proves what is wrong")


if __name__ == "__main__":
    main()
