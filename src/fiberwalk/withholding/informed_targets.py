"""Targets before the intruder who knows the program: a check of the pattern that was found."""

from __future__ import annotations

from ..base.errors import InputError, TooLarge
from ..base.progress import Progress
from ..protect.withholding.least_suppression import Withheld
from ..results.informed_audit import InformedAudit
from .informed import informed_audit
from .program import Program
from .targets import Target


def check_before_informed(program: Program, found: Withheld, seed: int, knows: str, tell: Progress | None) -> None:
    """Refuse a pattern of which an intruder who knows the program would believe too much, under any of the laws.

    What decides is the same for all tables that she keeps, so that a pattern which is published tells her nothing by that.
    """
    for law in program.laws:
        try:
            informed = informed_audit(
                program, found, seed, knows=knows, law=law, method="exact", progress=tell or False
            )
        except TooLarge as problem:
            raise TooLarge(f"until= with knows= is for small problems: {problem}") from None
        for target in program.targets:
            _check(informed, target)


def _check(informed: InformedAudit, target: Target) -> None:
    """Refuse the first figure that is beyond a target whichever of its values is the true one."""
    belief = informed.belief
    for key, pmf, sensitive in zip(belief.keys, belief.pmfs, informed.sensitive, strict=True):
        if sensitive and max(target.standing(pmf, value).beyond for value in pmf.values.tolist()) > 0:
            raise InputError(
                f"an intruder who knows the program keeps {informed.kept:,} of {informed.looked_at:,} tables and learns too "
                f"much of cell {belief.release.words(key)}: it is wanted that {target.meaning}. Want wider intervals, or "
                "less of until=; if the pattern is chosen after several such attempts, she may conclude from that, too."
            )
