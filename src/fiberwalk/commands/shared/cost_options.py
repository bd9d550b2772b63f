"""Options that say what exact solving may cost in operations and memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .number_types import Amount


def limit(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what exact solving may cost."""
    operations = click.option(
        "--limit",
        type=Amount(),
        metavar="OPERATIONS",
        help="Give up exact solving where it takes more (some billions are a second; default: 2e11; where chains can "
        "take over, as many as these are foreseen to take, at least 4e9).",
    )
    memory = click.option(
        "--memory",
        type=Amount(),
        metavar="BYTES",
        help="... or where it takes more memory than this (default: 6e9, or 1e9 where chains can take over); refuse chains "
        "that would take more (default: 8e9).",
    )
    return operations(memory(command))


def budget(options: dict[str, Any]) -> dict[str, Any]:
    """The values of --limit and --memory, for `audit` and `count`."""
    return {name: int(options[name]) for name in ("limit", "memory") if options[name] is not None}
