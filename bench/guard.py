"""Has fiberwalk become slower? Quick ratios against stored ones; what seems slower is measured again before it counts."""

from __future__ import annotations

from collections.abc import Callable

import stored
from figures import Figure

LOSS = 0.30
"""The part of a ratio that may be lost."""
TRIES = 3


def losses(before: dict[str, Figure], after: dict[str, Figure]) -> dict[str, float]:
    """The part of its ratio that each figure lost, where that is more than may be lost; 1 for one that is gone."""
    found = {}
    for key, old in before.items():
        if old.ratio is None or not old.guarded:
            continue
        new = after.get(key)
        ratio = new.ratio if new is not None else None
        loss = 1.0 - (0.0 if ratio is None else ratio) / old.ratio
        if not loss <= LOSS:  # no number at all is a loss too
            found[key] = loss
    return found


def held(names: list[str], run: Callable[[list[str]], dict[str, stored.Ran]]) -> int:
    """1 where a ratio has lost more than it may, however often it was measured."""
    kept = stored.read(quick=True)
    before = {name: by_key(kept[name]) for name in names if name in kept}
    if not before:
        print("nothing is stored to compare with: `python bench/race.py --quick --store` stores it.")
        return 1
    best: dict[str, dict[str, Figure]] = {}
    asked, lost = list(before), {}
    for attempt in range(TRIES):
        for name, one in run(asked).items():
            best[name] = better(best.get(name, {}), by_key(one))
            absent = {peer.peer for peer in one.skipped}
            before[name] = {key: old for key, old in before[name].items() if old.peer not in absent}
        lost = {name: losses(before[name], best.get(name, {})) for name in before}
        asked = [name for name in before if lost[name]]
        if not asked:
            break
        if attempt + 1 < TRIES:
            print(f"\nslower than stored, measured again: {', '.join(asked)}")
    whole = sum(len([one for one in figures.values() if one.ratio and one.guarded]) for figures in before.values())
    if not whole:
        print("\nno peer is here: nothing was compared.")
        return 1
    if not asked:
        print(f"\n{whole} ratios, none has lost more than {LOSS:.0%} of what is stored.")
        return 0
    print(f"\nratios that have lost more than {LOSS:.0%}:")
    for name in asked:
        for key, loss in lost[name].items():
            old, new = before[name][key], best.get(name, {}).get(key)
            here = "not measured" if new is None or new.ratio is None else f"{new.ratio:,.2f} now"
            print(f"  {key}: {old.ratio:,.2f} stored, {here} ({loss:.0%} lost)")
    return 1


def by_key(one: stored.Ran) -> dict[str, Figure]:
    """The figures of a contest by their names."""
    return {figure.key: figure for figure in one.figures}


def better(one: dict[str, Figure], other: dict[str, Figure]) -> dict[str, Figure]:
    """Of each figure the one with the better ratio: other work on the machine only ever takes away."""
    found = dict(one)
    for key, figure in other.items():
        if key not in found or (figure.ratio or 0.0) > (found[key].ratio or 0.0):
            found[key] = figure
    return found
