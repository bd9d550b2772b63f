"""What the README quotes of the race, of the verification and of the attacks on the table server, made from what is stored.

`python bench/quoted.py` writes it into the README, between marks; `make bench`, `make verify` and `python bench/attacks
--store` do so too, and a test holds the README to what is stored.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from attacks.kept import quoted as attacked
from figures import Figure
from stored import HOME, Ran, read
from verification import report
from written import number, rows

README = HOME.parent / "README.md"
MEASURED = "<!-- from bench/results/race.json, by bench/quoted.py -->", "<!-- end of what was measured -->"
VERIFIED = "<!-- from bench/results/verification.json, by bench/quoted.py -->", "<!-- end of what was verified -->"
ATTACKED = "<!-- from bench/results/attacks.json, by bench/quoted.py -->", "<!-- end of what was attacked -->"
QUOTED_CHECKS = (
    ("laws", "p-values of all releases are even"),
    ("laws", "the wrong sampler is rejected"),
    ("calibration", "of probabilities from 1% to 99% lie within 2"),
    ("calibration", "of means lie within 2"),
    ("calibration", "of entropies lie within 2"),
    ("hard_starts", "where simple moves leave several parts"),
    ("adversarial", "none is converged and wrong"),
    ("three_way", "every entropy"),
)
ONE_UNIT = "+-1 chain"
ARITHMETIC = "pure arithmetic"
YARDSTICKS = ("steps", "start up", "threads")
"""Contests in which the other figure is a measure and no peer."""
SHOWN = (
    ("4 x 4", "Snee's 4 x 4 table"),
    ("20 x 20", "20 x 20, 10,000 units"),
    ("100 x 100", "100 x 100, 100,000 units"),
    ("3 x 3 x 3", "3 x 3 x 3, three two-way margins"),
    ("4 x 4 x 3", "the 4 x 4 x 3 table of Duncan and others, three two-way margins"),
    ("5 x 4 x 3", "5 x 4 x 3, three two-way margins"),
    ("200 x 200, half hidden", "200 x 200, half of the cells hidden"),
    ("200 x 200, 5% hidden", "200 x 200, 5% hidden"),
    ("hierarchical", "60 activities in 8 groups by 40 regions, counts under 4 hidden"),
    ("2^6", "six dims of two labels, all two-way margins"),
    ("hypercube", "census-like, 2 x 21 x 5 x 5, counts under 3 hidden"),
    ("turnover", "30 x 12 magnitudes up to millions, a fifth hidden"),
)


def quoted(found: dict[str, Ran]) -> str:
    """All that stands between the marks."""
    parts = [_table(found), *(f"- {sentence}" for sentence in _sentences(found))]
    return "\n".join(parts) + "\n"


def _table(found: dict[str, Ran]) -> str:
    lines = []
    for problem, words in SHOWN:
        line = [words]
        for law in ("uniform", "hypergeometric"):
            one = _one(found, "effective draws", f"{problem}, {law}", "slowest cell", ONE_UNIT)
            line += [f"{number(one.theirs or 0)} and {number(one.ours)}", _times(one)] if one is not None else ["", ""]
        if any(line[1:]):
            lines.append(line)
    head = ["by one unit and by fiberwalk, draws a second", "uniform", "times", "hypergeometric", "times "]
    return rows(head, lines)


def _times(one: Figure) -> str:
    """A ratio, with a mark where few effective draws of the peer were seen."""
    return ("" if one.guarded else "~ ") + number(one.ratio) if one.ratio is not None else "-"


def _one(found: dict[str, Ran], contest: str, problem: str, what: str, peer: str = "") -> Figure | None:
    """A figure by its names."""
    ran = found.get(contest)
    figures = ran.figures if ran is not None else ()
    return next((f for f in figures if (f.problem, f.what, f.peer) == (problem, what, peer)), None)


def _every(found: dict[str, Ran], contest: str, peer: str) -> dict[str, Figure]:
    """The figures of a contest against a peer, by problem."""
    ran = found.get(contest)
    return {one.problem: one for one in (ran.figures if ran else ()) if one.peer == peer}


def _sentences(found: dict[str, Ran]) -> list[str]:
    """What else is told, as far as it was measured."""
    told = []
    step = _one(found, "steps", "20 x 20", "ns per step", "the least step")
    if step is not None and step.theirs:
        told.append(
            f"A uniform step takes {number(step.ours)} nanoseconds on 20 x 20; a step by one unit, which has no length to "
            f"draw, takes {number(step.theirs)}."
        )
    line = _one(found, "tallies", "20 x 20", "squared error x seconds", "histogram of stored tables")
    if line is not None:
        told.append(
            "Crediting the whole line of each step to p(x|y), and not only the value drawn, is worth "
            f"{number(line.ratio or 0)} times a histogram of stored tables on 20 x 20."
        )
    drawn = {peer: _every(found, "independent tables", peer) for peer in ("scipy random_table", "R r2dtable")}
    large = {peer: one.get("100 x 100") for peer, one in drawn.items()}
    against = [f"{number(one.ratio or 0)} times as fast as by {peer}" for peer, one in large.items() if one is not None]
    if against:
        told.append(f"Independent 100 x 100 tables are drawn {' and '.join(against)}.")
    half = {one.peer: one for one in (found["bounds"].figures if "bounds" in found else ()) if "half" in one.problem}
    raced = [one for one in half.values() if one.ratio is not None and "MILP" not in one.peer]
    if raced:
        told.append(
            f"Sharp bounds of a 200 x 200 table with half of its cells hidden come at {number(raced[0].ours)} a second: "
            + ", ".join(
                f"{number(one.ratio or 0)} times {one.peer} (which was given a sample of them)" for one in raced
            )
            + "."
        )
    told += _waits(found)
    told += _threads(found)
    told += _slower(found)
    return told


def _threads(found: dict[str, Ran]) -> list[str]:
    """What a second thread is worth, beside what the machine gives."""
    clocked = {
        one.problem: one for one in (found["threads"].figures if "threads" in found else ()) if "clock" in one.what
    }
    most = clocked.pop(ARITHMETIC, None)
    if not clocked or most is None:
        return []
    ratios = sorted(one.ratio or 0.0 for one in clocked.values())
    return [
        f"Two threads are worth {number(ratios[0])} to {number(ratios[-1])} of one, on a machine that gives "
        f"{number(most.ratio or 0)} to loops of pure arithmetic."
    ]


def _slower(found: dict[str, Ran]) -> list[str]:
    """Where we lose, the worst of each problem and peer."""
    worst: dict[tuple[str, str, str], float] = {}
    for name, ran in found.items():
        for one in ran.figures:
            if one.ratio is not None and one.ratio < 1.0 and name not in YARDSTICKS:
                key = name, one.problem, one.peer
                worst[key] = min(worst.get(key, 1.0), one.ratio)
    if not worst:
        return []
    words = [f"{problem} ({name}, against {peer}: {number(ratio)})" for (name, problem, peer), ratio in worst.items()]
    return ["Where a peer is the quicker: " + "; ".join(words) + "."]


def _waits(found: dict[str, Ran]) -> list[str]:
    """How long answers take."""
    told = []
    for name in ("4 x 4 x 3", "5 x 4 x 3"):
        seconds = _of_both_laws(found, name, "every entropy within 0.02 bits, {}")
        if seconds:
            told.append(
                f"{name}, given all two-way margins: every entropy is within 0.02 bits {seconds} seconds after Python was "
                "started, under the uniform and the hypergeometric law."
            )
    seconds = _of_both_laws(found, "200 x 200, half hidden", "R-hat < 1.01 and 400 effective draws of all cells, {}")
    if seconds:
        told.append(
            "All hidden cells of a 200 x 200 table, half of it hidden, have an R-hat below 1.01 and 400 effective draws "
            f"after {seconds} seconds on {found['answers'].when.cores} cores."
        )
    return told


def _of_both_laws(found: dict[str, Ran], problem: str, what: str) -> str:
    """Seconds under both laws; what did not converge took more."""
    both = [_one(found, "answers", problem, what.format(law)) for law in ("uniform", "hypergeometric")]
    more = [one and ("more than " if "NOT CONVERGED" in one.note else "") + number(one.ours) for one in both]
    return " and ".join(str(one) for one in more) if all(both) else ""


def verified(found: dict[str, report.Ran]) -> str:
    """The verdict, every check that failed, and some that passed with their figures."""
    quoted = [which for _, which in QUOTED_CHECKS]
    lines = [
        [f"{name.replace('_', ' ')}: {one.words}", f"**FAILED**: {one.found}"]
        for name, ran in found.items()
        for one in ran.part.checks
        if not one.passed and not any(which in one.words for which in quoted)
    ]
    for name, which in QUOTED_CHECKS:
        for one in found[name].part.checks if name in found else ():
            if which in one.words:
                lines.append([one.words, one.found if one.passed else f"**FAILED**: {one.found}"])
    return f"{report.verdict(found)}. Among them:\n\n" + rows(["what must hold", "found"], lines) + "\n"


def into_readme() -> Path:
    """Put what is stored between the marks."""
    text = found = README.read_text()
    for (begin, end), words in quotations().items():
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = f"{before}{begin}\n\n{words.strip()}\n\n{end}{after}"
    if text != found:
        README.write_text(text)
    return README


def quotations() -> dict[tuple[str, str], str]:
    """All that the README quotes, by the marks between which it stands."""
    return {MEASURED: quoted(read()), VERIFIED: verified(report.read()), ATTACKED: attacked()}


if __name__ == "__main__":
    print(f"wrote {into_readme()}")
