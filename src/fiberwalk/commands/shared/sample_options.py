"""Options that say how large the population behind a sample is, and how the sample was drawn."""

from __future__ import annotations

from collections.abc import Callable

import click


def of_a_sample(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how large the population behind a sample is, and how the sample was drawn."""
    options = [
        click.option(
            "--people", metavar="N", multiple=True,
            help="How many people the population has; of a stratified sample LABEL=N, for every stratum (--strata).",
        ),
        click.option("--strata", metavar="DIM", help="The dim whose labels are the strata of the sample."),
        click.option(
            "--sampling-weights", metavar="NAME",
            help="Column of how many people each person in the sample stands for; --people may then be left out.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def population_size(texts: tuple[str, ...], strata: str | None) -> int | dict[str, dict[str, int]] | None:
    """The sizes of --people: one number, or with --strata one for each label of a dim, LABEL=N."""
    from ...base.errors import InputError

    if not texts:
        if strata is not None:
            raise InputError(f"--strata {strata} needs the size of each stratum: --people LABEL=N, for every label.")
        return None
    parts = [tuple(part.strip() for part in text.rpartition("=")) for text in texts]
    for text, (_, equals, number) in zip(texts, parts, strict=True):
        if not number.isdecimal() or not int(number) or bool(equals) != (strata is not None):
            form = "LABEL=N with --strata DIM" if strata is not None or equals else "a whole number of at least 1"
            raise InputError(f"--people {text}: write it as {form}.")
    if strata is None:
        if len(parts) > 1:
            raise InputError("--people: the population has one size; strata have one each (--strata).")
        return int(parts[0][2])
    return {strata: {label: int(number) for label, _, number in parts}}
