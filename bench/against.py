"""Is this tree slower than a commit, and does it draw the same? Contests by turns in both checkouts.

    python bench/against.py REF [contest ...] [--rounds N] [--draws-may-differ]

Both sides run the same contests (turns/work.py), each in a process of its own with its own fiberwalk: this tree as it is,
uncommitted changes and all, and the files of the commit REF. A round runs new, old, old, new; ratios are of processor time,
above 1 where this tree is slower, with intervals of 95% (turns/ratios.py). Processes are begun anew every few rounds, as
where a process happens to lie in memory favours one side or the other for as long as it lives. Before that, the tables that
the same seeds draw are compared. Leave this tree alone meanwhile.

The exit status is 1 where this tree is too slow, draws other tables, or cannot run what REF can; 2 where nothing could be
compared. Without contests all are run: some six minutes, and at the first run against a commit some more to compile.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from turns.checkout import HOME, UnknownCommit, checked_out, commit_of, this_tree
from turns.ratios import Limits, Ratio, Round, complaints, mean_of, ratio_of
from turns.same import difference
from turns.side import CannotRun, Side, at_once, both

ROUNDS = 12
MOST = 2
"""Times the rounds that a contest gets at most, while its interval is wide."""
WIDE = 0.05
"""Half an interval of more than this is wide, as a part of the ratio."""
LEG = 4
"""Rounds after which both processes are begun anew."""
HOW = "say which commit to run against: `make bench-against REF=main`, or `python bench/against.py main`."

Sides = tuple[Side, Side]


def chosen(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names that contain one of some words; all where there are none."""
    found = [name for name in names if not words or any(word in name for word in words)]
    for word in words:
        if not any(word in name for name in names):
            raise CannotRun(f"no contest has {word!r} in its name; there are: {'; '.join(names)}.")
    return found


def compiled(sides: Sides, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Each contest once, both sides at the same time: those that run on both, and a sentence for each that only REF runs."""
    able, failed = [], []
    for name in names:
        begin = time.perf_counter()
        new, old = at_once(sides, "run", name)
        if "error" not in new and "error" not in old:
            able.append(name)
            tell(f"  {name}: {time.perf_counter() - begin:.1f} s")
        elif "error" in old:
            tell(f"  {name}: left out, REF cannot run it: {old['error']}")
        else:
            failed.append(f"{name} runs at REF and not here: {new['error']}")
            tell(f"  {failed[-1]}")
    return able, failed


def compared(sides: Sides, names: Sequence[str]) -> tuple[int, list[str]]:
    """How many seeds draw the same tables on both sides; and a sentence for each that does not."""
    same, other = 0, []
    for name in names:
        new, old = at_once(sides, "draws", name)
        if "error" in old:
            tell(f"  {name}: left out, REF cannot draw it: {old['error']}")
            continue
        words = new["error"] if "error" in new else difference(new["draws"], old["draws"])
        same += not words
        other += [f"{name}: {words}."] if words else []
        tell(f"  {name}: {words or 'the same'}")
    return same, other


def one_round(sides: Sides, name: str) -> Round:
    """New, old, old, new."""
    new, old = sides
    seconds = [one.asked("run", name)["seconds"] for one in (new, old, old, new)]
    return Round((seconds[0], seconds[3]), (seconds[1], seconds[2]))


def raced(
    begin: Callable[[], AbstractContextManager[Sides]], names: Sequence[str], rounds: int
) -> dict[str, list[Round]]:
    """Rounds of each contest: so many, and more of those whose intervals are still wide."""
    found: dict[str, list[Round]] = {name: [] for name in names}
    going = list(names)
    while going:
        with begin() as sides:
            for name in going:
                at_once(sides, "run", name)  # reads machine code from disk
            for _ in range(LEG):
                for name in going:
                    found[name].append(one_round(sides, name))
                now = mean_of([ratio_of(some) for some in found.values()])
                tell(f"  {max(map(len, found.values()))} rounds: {in_words(now)}; {len(going)} contests go on")
                going = [name for name in going if not enough(found[name], rounds)]
                if not going:
                    break
    return found


def enough(some: Sequence[Round], rounds: int) -> bool:
    """Have there been rounds enough of a contest?"""
    return len(some) >= rounds and (ratio_of(some).half <= WIDE or len(some) >= MOST * rounds)


def in_words(one: Ratio) -> str:
    """A ratio with its interval, where there is one yet."""
    return f"{one.value:.3f}" if one.half == math.inf else f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def as_markdown(found: dict[str, list[Round]], ratios: dict[str, Ratio]) -> str:
    """A table for a note."""
    lines = [
        "| contest | ms at REF | ms here | ratio | 95% interval | rounds |",
        "| --- | --: | --: | --: | --- | --: |",
    ]
    for name, rounds in found.items():
        old, new = (
            1000 * sorted(some)[len(some) // 2] for some in ([min(r.old) for r in rounds], [min(r.new) for r in rounds])
        )
        one = ratios[name]
        lines.append(
            f"| {name} | {old:.0f} | {new:.0f} | {one.value:.3f} | {one.low:.3f} to {one.high:.3f} | {len(rounds)} |"
        )
    mean = mean_of(list(ratios.values()))
    lines.append(f"| **geometric mean** | | | **{mean.value:.3f}** | {mean.low:.3f} to {mean.high:.3f} | |")
    return "\n".join(lines)


def tell(line: str) -> None:
    """A line at once, also where it is piped to a file."""
    print(line, flush=True)


def against(options: argparse.Namespace) -> int:
    """Compare, and give the exit status."""
    commit = commit_of(options.ref)
    header = f"this tree ({this_tree()}) against {options.ref} ({commit[:7]})"
    tell(header)
    with checked_out(commit) as folder:

        def begin() -> AbstractContextManager[Sides]:
            return both(HOME, folder)

        with begin() as sides:
            picked = chosen(options.contests, list(dict.fromkeys([*sides[0].contests, *sides[0].draws])))
            names = [name for name in sides[0].contests if name in picked]
            seeds = [name for name in sides[0].draws if name in picked]
            tell(f"\neach contest once, compiling what has to be: {len(names)} contests")
            able, wrong = compiled(sides, names)
            tell("\ndraws of the same seeds")
            same, other = compared(sides, seeds)
        if not able and not same and not other:
            raise CannotRun("no contest runs on both sides.")
        tell(f"\nby turns: {options.rounds} rounds, up to {MOST * options.rounds} where an interval is wide")
        found = raced(begin, able, options.rounds)
    ratios = {name: ratio_of(rounds) for name, rounds in found.items()}
    if ratios:
        tell(f"\n{header}; processor time, above 1: this tree is slower\n\n{as_markdown(found, ratios)}")
    tell(f"\nsame draws: {same} of {same + len(other)}")
    for line in other:
        tell(f"  {line}")
    wrong += complaints(ratios, Limits(1 + options.fail_above / 100, 1 + options.fail_contest_above / 100))
    if other and not options.draws_may_differ:
        wrong.append("the same seeds draw other tables; where that is meant: --draws-may-differ.")
    tell("\n" + ("\n".join(f"FAILED: {line}" for line in wrong) if wrong else "passed"))
    return 1 if wrong else 0


def main() -> int:
    """Compare as asked; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ref", nargs="?", metavar="REF", help="a commit, branch or tag")
    parser.add_argument("contests", nargs="*", metavar="contest", help="part of the name of one, such as exact")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each contest, at least 3 (%(default)s)")
    limits = Limits()
    parser.add_argument(
        "--fail-above", type=float, default=100 * (limits.mean - 1), metavar="PERCENT",
        help="by which the geometric mean may be slower (%(default).0f)",
    )  # fmt: skip
    parser.add_argument(
        "--fail-contest-above", type=float, default=100 * (limits.contest - 1), metavar="PERCENT",
        help="above which the interval of no contest may lie (%(default).0f)",
    )  # fmt: skip
    parser.add_argument("--draws-may-differ", action="store_true", help="other tables from the same seed are meant")
    options = parser.parse_args()
    if options.ref is None:
        parser.error(HOW)
    if options.rounds < 3:
        parser.error("--rounds: at least 3, as there is no interval from fewer.")
    try:
        return against(options)
    except (UnknownCommit, CannotRun) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; the checkout is removed.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the checkout is removed then, too
    sys.exit(main())
