"""What the contest found, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .contest import CHECKPOINTS, Outcome
from .knowledge.beliefs import Score
from .ways.every_figure import APART, ONCE

HEAD = """# Attacks on the table server

Written by `python bench/attacks --store`. The attackers know the code, the rules, the method and its law, and all labels;
not the secret and not the data. They see whether a request was released, the notice, and the table.

An entry is: cells of which it is proven whether they are 0, 1 or 2, + cells that are proven to be 1 or 2; cells claimed to
be 0, or 1, or 2 with P > 0.95 (of these right). Every proof was held to the truth.

The last two lines are no attacks. *Every distinct figure, once* is what the joint bounds of all distinct figures that the
rules allow give, each seen once, together with what follows from the same people being published alike: a group and a part
of it that differ have somebody between them. *As if each were a draw of its own* leaves that out: it is what bounds alone
prove. (Its P is that of one who takes the figures for independent, which they are not.) An attack may have a few more cells
with P > 0.95 than these lines: less evidence misleads now and then.
"""


@dataclass(frozen=True)
class Attacked:
    """A server, and what all attacks came to."""

    method: str
    rules: str
    words: str
    """The rules as they were set, the people, and which share of random requests was answered."""
    outcomes: tuple[Outcome, ...]

    @property
    def benchmark(self) -> Score:
        """What every distinct figure gives."""
        return next(one.score for one in self.outcomes if one.attack == ONCE)

    @property
    def bounds_alone(self) -> Score:
        """What it gives to who takes no two figures for one draw."""
        return next(one.score for one in self.outcomes if one.attack == APART)

    @property
    def best(self) -> Score:
        """Of the attack that proved most, and then found most likely."""
        scores = [one.score for one in self.outcomes if one.attack not in (ONCE, APART)]
        return max(scores, key=lambda score: (score.proven, score.likely))

    @property
    def leaks(self) -> bool:
        """Does an attack prove more than every figure?"""
        return self.best.proven > self.benchmark.proven

    @property
    def wrong(self) -> int:
        """Proofs that were wrong, or figures that cannot be if the code does as it says, over all attacks."""
        return sum(one.score.wrong + one.score.contradictions for one in self.outcomes if one.attack != APART)


def entry(score: Score) -> str:
    """What was proven, and what is likely."""
    return f"{score.known} + {score.somebody}; {score.likely} ({score.likely_right})"


def table(found: Attacked) -> str:
    """All attacks on one server."""
    lines = [
        f"### {found.method}, {found.rules}\n",
        found.words + "\n",
        "| attack | " + " | ".join(f"after {number:,}" for number in CHECKPOINTS) + " | requests | answered |",
        "| --- |" + " --- |" * (len(CHECKPOINTS) + 2),
    ]
    for name in dict.fromkeys(one.attack for one in found.outcomes):
        own = [one for one in found.outcomes if one.attack == name]
        entries = [entry(one.score) for one in own]
        entries = ["", "", "", *entries] if len(own) == 1 else entries
        lines.append(f"| {name} | " + " | ".join(entries) + f" | {own[-1].asked:,} | {own[-1].answered:,} |")
    undecided = max(one.score.undecided for one in found.outcomes)
    if undecided:
        lines.append(
            f"\nUp to {undecided} cells of an entry are undecided: integer programs were not searched to the end."
        )
    return "\n".join(lines) + "\n"


def summary(all_found: Sequence[Attacked]) -> str:
    """A line for each server."""
    head = (
        "method",
        "rules",
        "by bounds alone",
        "by every figure, once",
        "P > 0.95",
        "by an attack",
        "P > 0.95",
        "wrong",
    )
    lines = []
    for found in all_found:
        alone, once, attack = _in_short(found)
        lines.append((found.method, found.rules, alone[0], *once, *attack, str(found.wrong)))
    return _grid(head, lines)


def for_readme(all_found: Sequence[Attacked]) -> str:
    """A line for each server: what figures prove by bounds, what by being of the same people, and what attacks do."""
    proven = "proven by bounds of every figure", "... and by who is in them", "by an attack"
    lines = []
    for found in all_found:
        alone, once, attack = _in_short(found)
        lines.append((found.method, found.rules, alone[0], once[0], *attack))
    return _grid(("method", "rules", *proven, "P > 0.95 (right)"), lines)


def _in_short(found: Attacked) -> list[tuple[str, str]]:
    """What is proven, and what is likely: by bounds alone, by every figure once, and by the best attack."""
    scores = found.bounds_alone, found.benchmark, found.best
    (alone, once, (most, likely)) = (tuple(entry(score).split("; ")) for score in scores)
    return [alone, once, (most + " **more**" * found.leaks, likely)]


def _grid(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *lines))


def markdown(parts: Sequence[tuple[Attacked | str, str]]) -> str:
    """The whole report: of what was found, and when."""
    contests = [(found, when) for found, when in parts if isinstance(found, Attacked)]
    lines = dict.fromkeys(f"- {found}" for found, _ in parts if isinstance(found, str))
    text = [HEAD, "## Summary\n", summary([found for found, _ in contests]), "\n".join(lines) + "\n"]
    return "\n".join([*text, "## Attack by attack\n", *(f"{table(found)}\n*{when}*\n" for found, when in contests)])
