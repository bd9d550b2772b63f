"""Numbers as options take them: large amounts written as 2e9, and finite numbers within a range."""

from __future__ import annotations

import math
from typing import Any

import click


class Amount(click.ParamType):
    """A whole number that may be written as 2e9 or 2,000,000,000."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        try:
            number = float(str(value).replace(",", "").replace("_", ""))
        except ValueError:
            number = 0
        if not 1 <= number < 1e18 or number != int(number):
            self.fail(f"{value!r} is not a whole number of at least 1, such as 2e9.", param, ctx)
        return int(number)


class Number(click.FloatRange):
    """A finite number within a range: neither nan nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
