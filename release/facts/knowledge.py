"""What an intruder knows besides the publication: about cells and sums, her own contribution, the rule that hid cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction, InputError
from ...base.numbers import scaled
from ..tables.tables import key_of
from .agreement import disagreement
from .choice import Tally
from .fact import Fact
from .facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, Sums
from .groups import Group, group

if TYPE_CHECKING:
    from ..release import Release

WORDS = {"at_least": "at least", "at_most": "at most", "exactly": "exactly", "own": "own part"}
"""What the keywords of `Release.knows` say."""


RULE_OF_COUNTS = (
    "a threshold rule is about cells of at least 0, and cells may be negative here; say which are hidden with where=."
)


@dataclass(frozen=True)
class Rule:
    """A threshold rule such as "< 3": cells from `lower` to `upper` are withheld."""

    text: str
    lower: int
    upper: int

    @staticmethod
    def parse(text: str, *, zeros_hidden: bool = False, decimals: int = 0) -> Rule:
        """Read a rule written as "< 3" or "<= 2"; zeros are published unless said otherwise."""
        match = re.fullmatch(r"\s*(<=?)\s*([0-9]+(?:\.[0-9]+)?)\s*", text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"rule {text!r} is not understood; write it like '< 3' or '<= 2'.")
        limit = scaled(float(match[2]), decimals, f"rule {text!r}")
        lower = 0 if zeros_hidden else 1
        upper = limit - (match[1] == "<")
        if upper < lower:
            raise InputError(f"rule {text!r} hides no cell.")
        return Rule(text.strip(), lower, upper)


class _Place(NamedTuple):
    """A cell or sum that something is known of: its nodes (-1 where it has no place in the table), row and name."""

    key: np.ndarray
    row: Any
    named: str


def with_knowledge(
    release: Release, where: Mapping[str, Any], facts: Sequence[Fact], amounts: Mapping[str, float | None]
) -> Release:
    """See `Release.knows`; `amounts` are those of `at_least`, `at_most`, `exactly` and `own`."""
    given = {name: amount for name, amount in amounts.items() if amount is not None}
    if not given and not facts:
        raise InputError("knows() needs at_least=, at_most=, exactly= or own=, or a fact of fw.facts.")
    known = _with_amounts(release, where, given) if given else release
    for fact in facts:
        known = with_fact(known, group(known, where), as_fact(fact))
    return known


def _with_amounts(release: Release, where: Mapping[str, Any], amounts: Mapping[str, float]) -> Release:
    """What is known of the size of a cell or sum."""
    key, row, named = place = _place(release, where)
    low, high = _said(release, place, amounts)
    if release.truth is not None:
        actual = int((row @ release.truth)[0])
        if not low <= actual <= high:
            raise InputError(
                f"knows({named}): it is said that it {release.between(low, high)}, but in the true table it is not."
            )
    known = release.with_facts(key[None, :], row, np.array([low]), np.array([high]), words=[f"known: {named}"])
    if "own" in amounts:
        known = _owned(known, _one_cell(place), scaled(amounts["own"], release.decimals, named))
    said = ", ".join(f"{WORDS[name]} {amount}" for name, amount in amounts.items())
    return replace(known, notes=(*release.notes, f"the intruder knows of {named}: {said}"))


def _place(release: Release, where: Mapping[str, Any]) -> _Place:
    """The cell or sum {dim: label}; with several labels of a dim it is a sum that has no place in the table."""
    several = isinstance(where, Mapping) and any(
        isinstance(wanted, Iterable) and not isinstance(wanted, str) for wanted in where.values()
    )
    if not several:
        key = key_of(where, release.dims)
        return _Place(np.array(key), release.row(key), release.words(key))
    whom = group(release, where)
    row = sp.csr_array(
        (np.ones(len(whom.cells), np.int64), whom.cells, [0, len(whom.cells)]), shape=(1, release.n_cells)
    )
    return _Place(np.full(len(release.dims), -1), row, whom.words)


def as_fact(fact: Any) -> Fact:
    """What was handed in, if it is a fact."""
    if not hasattr(fact, "means"):
        raise InputError(f"knows(): {fact!r} is no fact; make one by fw.facts, such as fw.facts.mean(38, 'age').")
    checked: Fact = fact
    return checked


def with_fact(release: Release, whom: Group, fact: Fact, *, named: bool = False) -> Release:
    """The release with a published figure about a group; `named`: also what it says of one cell keeps its words, as a fact
    beside the bounds of that cell."""
    if release.signed:
        raise InputError(
            "knows(): figures of fw.facts are about people who are counted, and cells may be negative here."
        )
    said, meaning = fact.words(whom.words), fact.means(whom)
    rows = meaning.rows
    if rows:
        numbers = np.repeat(np.arange(len(rows)), [len(row.cells) for row in rows])
        coefficients, cells = (
            np.concatenate([getattr(row, part) for row in rows]) for part in ("coefficients", "cells")
        )
        matrix = sp.csr_array((coefficients, (numbers, cells)), shape=(len(rows), release.n_cells))
        low, high = (np.array([getattr(row, side) for row in rows], dtype=np.int64) for side in ("low", "high"))
        keys = np.full((len(rows), len(release.dims)), -1)
        words, stated = (said,) * len(rows), (True,) * len(rows)
        if named:
            matrix.sum_duplicates()
            matrix.eliminate_zeros()  # the age of 0: rows are known by the cells that they have
            more = Sums(matrix, low, high, np.full(len(rows), NO_VALUE), keys, words, stated)
            told = replace(release, sums=release.sums.joined(more, release.between))
        else:
            told = release.with_facts(keys, matrix, low, high, words=words, stated=stated)
    else:
        told = release
    tallies = told.tallies
    if meaning.second is not None:
        first = len(told.choices)
        branches = tuple((first + number, 1) for number in range(len(meaning.choices)))
        tallies = (*tallies, Tally(branches, meaning.second, meaning.second, said))
    known = replace(told, choices=(*told.choices, *meaning.choices), tallies=tallies, notes=(*release.notes, said))
    if known.truth is not None and disagreement(known, known.truth) is not None:
        raise InputError(f"knows(): it is said that {said}, but in the true table it is not.")
    return known


def _said(release: Release, place: _Place, amounts: Mapping[str, float]) -> tuple[int, int]:
    """The range that all that is said of a cell or sum leaves it."""
    named = place.named
    low, high = -NO_LIMIT if release.signed else 0, NO_LIMIT
    for name, given in amounts.items():
        amount = scaled(given, release.decimals, f"knows({named}, {name}=)")
        if release.signed and name == "own":
            raise InputError(
                f"knows({named}, own={given}): where cells may be negative, nobody's part bounds the others'."
            )
        if amount < 0 and not release.signed:
            raise InputError(f"knows({named}, {name}={given}): cells cannot be negative.")
        if name in ("at_most", "exactly"):
            high = min(high, amount)
        if name == "own":
            amount += int(release.own[_one_cell(place)])
        if name != "at_most":
            low = max(low, amount)
    if low > high:
        raise InputError(
            f"knows({named}): at least {release.show(low)} and at most {release.show(high)} cannot both be."
        )
    return low, high


def _owned(release: Release, cell: int, amount: int) -> Release:
    """The intruder contributed so much to a cell, and asks for the others' part."""
    own, status = release.own.copy(), release.status.copy()
    own[cell] += amount
    # To its contributor even a published cell holds something unpublished: the others' part.
    if status[cell] == PUBLISHED:
        status[cell] = HIDDEN
    return replace(release, own=own, status=status)


def _one_cell(place: _Place) -> int:
    cells = place.row.indices
    if len(cells) != 1:
        raise InputError(f"own= is about one cell, but {place.named} is a sum of several; name every dim.")
    return int(cells[0])


def with_rule(release: Release, rule: str | Rule, flags: bool, zeros_hidden: bool) -> Release:
    """See `Release.knows_rule`."""
    if release.signed:
        raise InputError(RULE_OF_COUNTS)
    if not isinstance(rule, Rule):
        rule = Rule.parse(rule, zeros_hidden=zeros_hidden, decimals=release.decimals)
    primary, other = release.status == PRIMARY, release.status == HIDDEN
    withheld = primary | other
    if flags and not primary.any():
        raise InputError(
            "knows_rule(flags=True) needs cells that are flagged as primary; this release flags none "
            "(give a status column, or flags=False)."
        )
    by_flags = _within_rule(release, rule, primary, withheld)
    if_flagged = if_guessed = None
    if flags:
        bounds = by_flags
    else:
        bounds = (np.where(withheld, np.maximum(release.lower, rule.lower), release.lower), release.upper)
        # Who is not told which cells are primary may suppose that all of them are.
        if_guessed = _within_rule(release, rule, withheld, withheld)
        if_flagged = by_flags if primary.any() else None
    _refuse_untrue(release, rule, *bounds)
    if primary.any():
        _refuse_untrue(release, rule, *by_flags)
    note = f"the intruder knows the rule {rule.text!r} {'and sees' if flags else 'but not'} which cells it hid"
    notes = (*release.notes, note)
    return replace(release, lower=bounds[0], upper=bounds[1], if_flagged=if_flagged, if_guessed=if_guessed, notes=notes)


def _within_rule(
    release: Release, rule: Rule, primary: np.ndarray, withheld: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of cells for someone who sees which ones the rule hid: the others lie above it."""
    lower, upper = release.lower.copy(), release.upper.copy()
    lower[withheld] = np.maximum(lower[withheld], np.where(primary, rule.lower, rule.upper + 1)[withheld])
    upper[primary] = np.minimum(upper[primary], rule.upper)
    return lower, upper


def _refuse_untrue(release: Release, rule: Rule, lower: np.ndarray, upper: np.ndarray) -> None:
    wrong = np.flatnonzero(lower > upper)
    if len(wrong):
        raise Contradiction(
            f"rule {rule.text!r} cannot hold for cell {release.words(release.keys[wrong[0]])}: what was published says it "
            f"{release.between(int(release.lower[wrong[0]]), int(release.upper[wrong[0]]))}."
        )
    if release.truth is not None:
        untrue = np.flatnonzero((release.truth < lower) | (release.truth > upper))
        if len(untrue):
            raise InputError(
                f"rule {rule.text!r} does not agree with the true value of cell {release.words(release.keys[untrue[0]])}: "
                "correct the status of the cell, or the rule; or publish zeros, or say zeros_hidden=True if the rule hides "
                "them too."
            )
