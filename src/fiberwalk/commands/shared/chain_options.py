"""Options that say how chains run, as settings for `audit`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from .number_types import Amount, Number


def chains(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say whether and how Markov chains run."""
    options = [
        click.option(
            "--method",
            type=click.Choice(["auto", "exact", "chains"]),
            default="auto",
            show_default=True,
            help="exact: count every table; chains: Markov chain Monte Carlo; auto: exact where that takes seconds, chains "
            "elsewhere.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the chains."),
        click.option(
            "--tolerance",
            type=Number(min=0, min_open=True),
            metavar="BITS",
            default=0.02,
            show_default=True,
            help="Chains go on until three standard errors of every entropy are below this.",
        ),
        click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="How many chains run."),
        click.option("--max-draws", type=Amount(), metavar="N", help="Stop the chains after so many draws each."),
        click.option("--max-seconds", type=Number(min=0, min_open=True), help="Stop after so many seconds."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads for the chains; the answer is the same."),
        click.option(
            "--cluster", metavar="ADDRESS", help="A Dask scheduler that runs the chains; the answer is the same."
        ),
        click.option(
            "--checkpoint",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Save the chains here now and then; if the file is there already, go on from it.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


ONLY_HOW = ("--threads", "--cluster", "--checkpoint")
"""Options that change how the work is done and nothing of the answer: a report leaves them out."""


@contextmanager
def run_by(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The settings of chains that the options give, for `audit`; threads and connections are closed afterwards."""
    from ...base.errors import InputError

    settings = {name: options[name] for name in ("method", "seed", "tolerance", "chains", "max_seconds", "checkpoint")}
    if options["max_draws"] is not None:
        settings["max_draws"] = int(options["max_draws"])
    if options["threads"] and options["cluster"]:
        raise InputError("--threads and --cluster: the chains run here or on the cluster; give one.")
    with ExitStack() as stack:
        if options["threads"]:
            settings["executor"] = stack.enter_context(ThreadPoolExecutor(options["threads"]))
        if options["cluster"]:
            settings["executor"] = _of_cluster(options["cluster"], stack)
        yield settings


def _of_cluster(address: str, stack: ExitStack) -> Any:
    from ...base.errors import InputError

    try:
        from distributed import Client
    except ImportError:
        raise InputError("--cluster needs Dask: pip install 'fiberwalk[cluster]'.") from None
    try:
        client = stack.enter_context(Client(address, timeout=10))
    except (OSError, ValueError) as problem:
        raise InputError(f"--cluster {address}: there is no Dask scheduler ({problem}).") from None
    return stack.enter_context(client.get_executor())
