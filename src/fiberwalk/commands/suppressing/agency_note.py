"""The note for the agency: what is withheld and why, what it costs, and what of that is proven."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..shared.file_options import read_again
from ..shared.manners import same_command

if TYPE_CHECKING:
    from ...withholding.suppression_result import Suppression


def note_of(result: Suppression, options: dict[str, Any], places: Sequence[Path], seed: int) -> str:
    """The whole note."""
    from ...base.version import VERSION

    task = result.withheld.problem
    costs = {"cells": "the number of withheld figures", "counts": "the sum of withheld figures"}
    lines = [
        "What is withheld of the tables, for the agency alone: it has the withheld figures, and the seed by which patterns",
        "of the same cost were chosen.",
        "",
        *(f"table: {file}" for file in options["files"]),
        *(f"published: {place}" for place in places),
        f"what was done: {result.words}",
        f"what is minimised: {costs.get(task.minimise, task.minimise)}",
        f"cost: {task.in_words(result.withheld.cost)}",
        *([] if result.proven else [f"no pattern costs less than: {task.in_words(result.withheld.at_least)}"]),
        *([f"wanted of what is believed: {text}" for text in options["until"]]),
        f"seed: {seed}",
        "",
        *withheld_figures(result),
        "",
        f"to do it again: {same_command(seed)}",
        f"to audit it as an outsider: {outsider(options, places)}",
        f"fiberwalk {VERSION}",
    ]
    return "\n".join(lines) + "\n"


def withheld_figures(result: Suppression) -> list[str]:
    """The withheld figures, those that are sensitive first."""
    figures = result.figures
    if result.withheld.problem.minimise == "counts":
        figures = figures.drop(columns="cost")  # it is the value
    order = figures["why"].map({"sensitive": 0, "withheld before": 1}).fillna(2).argsort(kind="stable")
    return [line.rstrip() for line in figures.iloc[order].to_string(sparsify=False).splitlines()]


def outsider(options: dict[str, Any], places: Sequence[Path], protected_by: Sequence[str] = ()) -> str:
    """The command by which an outsider would audit what is published."""
    verb = "audit" if len(places) == 1 else "link"
    return shlex.join(["fiberwalk", verb, *map(str, places), *read_again(options), *protected_by])
