"""The table server under attack: what is proven after 10, 100, 1,000 and 2,000 requests, for each method and rules.

    python bench/attacks                    runs all and prints it; takes an hour
    python bench/attacks 'base 3' census    what has one of these words in its name: methods, rules, the hypercube
    ... --store                             and keeps it in bench/results/attacks.json, of which attacks.md is made
    ... --over-http                         asks servers behind the door of the service, and holds it to what is kept

Fails where an attack proves more than every distinct figure does, seen once, or where a proof is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import quoted
from stored import now
from written import circumstances

import fiberwalk as fw
from attacks import census
from attacks.by_chance import follows_by_chance
from attacks.contest import attacked
from attacks.kept import keep, kept
from attacks.knowledge.population import Population, town
from attacks.over_http import OverHttp
from attacks.servers import METHODS, RULES, Method, answered_share, rules_of, server_of
from attacks.written import Attacked, table

SEED = 5


def people(rules: str) -> Population:
    """A town; a hamlet where any set of labels may be asked for, which makes ten times as many figures."""
    return town(1, people=250, regions=2, ages=4) if rules == RULES[2] else town(1)


def found_of(method: Method, name: str, behind: Callable[[Any], Any] = lambda server: server) -> Attacked | str:
    """All attacks on one server, or on what it is behind; or why there is none."""
    population = people(name)
    try:
        rules = rules_of(name, population, method)
        server_of(population, method, rules, SEED)
    except fw.InputError as problem:
        return f"{method.name} is not offered for tables on request: {problem}"
    plain, filtered = (answered_share(population, method, rules, filters) for filters in (0, 1))
    possible = int(population.frame.possible.sum())
    small = int(((population.counts > 0) & (population.counts < 3)).sum())
    zeros = int((population.counts[population.frame.possible] == 0).sum())
    share = "" if rules.max_small_share is None else f" At most {rules.max_small_share:.0%} of the cells are small."
    words = (
        f"{int(population.counts.sum())} people in {possible} finest cells, {zeros} empty and {small} of 1 or 2.{share} "
        f"Of random requests of up to three dims {plain:.0%} are answered, {filtered:.0%} of those with a filter besides."
    )
    return Attacked(method.name, name, words, tuple(attacked(population, method, rules, SEED, behind=behind)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="of methods, rules, or studies of the census hypercube")
    parser.add_argument("--store", action="store_true", help="write bench/results/attacks.md and attacks.json")
    parser.add_argument(
        "--over-http", action="store_true", help="by the JSON interface of the service; it must be as kept"
    )
    asked = parser.parse_args()
    if asked.over_http:
        return over_http(asked.words)
    failed = False
    for name, run in works().items():
        if asked.words and not any(word in name for word in asked.words):
            continue
        begin = time.perf_counter()
        found = run()
        print(found if isinstance(found, str) else table(found), flush=True)
        failed |= isinstance(found, Attacked) and (found.wrong > 0 or found.leaks)
        if asked.store:
            keep(name, found, circumstances(now(time.perf_counter() - begin)), list(works()))
            quoted.into_readme()
    if failed:
        sys.exit("an attack proves more than every distinct figure does, seen once, or proves what is wrong")


def over_http(words: list[str]) -> None:
    """All attacks through the service: the same numbers as those that are kept."""
    other = []
    for method, rules in product(METHODS, RULES):
        name = f"{method.name}, {rules}"
        if not words or any(word in name for word in words):
            found, stored = found_of(method, rules, OverHttp), kept(name)
            print(f"{name}: {'the same over HTTP' if found == stored else 'NOT the same over HTTP'}", flush=True)
            other += [] if found == stored else [name]
    if other:
        sys.exit(f"the attacks come to something else over HTTP: {'; '.join(other)}")


def works() -> dict[str, Callable[[], Attacked | str]]:
    """What can be run, by its name."""
    studies = {f"census: {study.__name__}": study for study in census.STUDIES} | {"by chance": follows_by_chance}
    contests = {
        f"{method.name}, {name}": partial(found_of, method, name) for method, name in product(METHODS, RULES)
    }  # fmt: skip
    return studies | contests


if __name__ == "__main__":
    main()
