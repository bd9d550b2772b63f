"""Posteriors of whole tables after Markov perturbation: does the truth rank evenly in them? See studies/hidden_paths.py."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from verification.parts import Check, Part, Setting

WORDS = (
    "Tables are drawn from the law that the snooper believes in, perturbed, and published. The rank of a true cell, and of "
    "the true theta, in the posteriors by chains over hidden paths must then be even."
)
REPLICATES = 120
BATCHES = 2
LEAST = 0.001
"""The p-value of each chi-square test over fifths of the ranks."""


def ranked(number: int, seed: int) -> str:
    """What the calibration of hidden paths prints."""
    from studies import hidden_paths

    with redirect_stdout(io.StringIO()) as told:
        hidden_paths.calibration(number, seed)
    return told.getvalue()


def run(setting: Setting) -> Part:
    """In batches, each with a seed of its own."""
    number = max(8, setting.number(REPLICATES) // BATCHES)
    told = list(setting.each(ranked, ((number, setting.seed + 6 + k) for k in range(BATCHES)), "batches"))
    return judged("".join(told))


def judged(told: str) -> Part:
    """What the printed lines say."""
    p = [float(one) for one in re.findall(r"p = ([0-9.]+)", told)]
    unfinished = [int(one) for one in re.findall(r"(\d+) of \d+ did not converge", told)]
    checks = (
        Check(
            f"ranks of cells and thetas are even (p at least {LEAST:g})",
            len(p) == 2 * BATCHES and min(p) >= LEAST,
            f"p = {', '.join(f'{one:.3f}' for one in p)}",
        ),
        Check("every audit converges", unfinished == [0] * BATCHES, f"{sum(unfinished)} do not"),
    )
    return Part(checks, ("\n".join(f"- {line}" for line in told.strip().splitlines()) + "\n",))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
