"""Rules of --primary about who stands behind a figure: 'fewer-than=3 dominance=85', 'p-percent=10', 'pq=10,50'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..shared.method_parameters import number_or_text
from .tables_of_files import Cell, TrueTable, cells_of_frame

_RULES = {"fewer-than": "fewer_than", "dominance": "dominance", "p-percent": "p_percent", "pq": "prior_posterior"}
_NEEDED = {
    "contributors": ("a column that tells the contributors", _RULES),
    "largest": ("a column that tells the largest contribution", ("dominance", "p-percent", "pq")),
    "second": ("a column that tells the second largest contribution", ("p-percent", "pq")),
}
"""What of a file each rule about contributors needs."""


def is_rule(text: str) -> bool:
    """Is it such a rule, and not a cell?"""
    words = _words(text)
    return bool(words) and all(name in _RULES and equals for name, equals, _ in words)


def _words(text: str) -> list[tuple[str, str, str]]:
    return [word.partition("=") for word in text.split()]


def by_contributors(tables: Sequence[TrueTable], text: str) -> list[Cell]:
    """The cells and totals that are sensitive by who stands behind them."""
    from ...base.errors import InputError
    from ...protect.withholding.sensitivity import sensitive_magnitudes, sensitive_totals

    said = {name: value for name, _, value in _words(text)}
    parameters: dict[str, Any] = {"fewer_than": 1, "dominance": 100}
    for name, value in said.items():
        numbers = [number_or_text(part.removesuffix("%")) for part in (value.split(",") if name == "pq" else [value])]
        if len(numbers) != (2 if name == "pq" else 1) or any(isinstance(number, str) for number in numbers):
            raise InputError(f"--primary {text!r}: {value!r} is not {'two numbers' if name == 'pq' else 'a number'}.")
        parameters[_RULES[name]] = numbers if name == "pq" else numbers[0]
    found: list[Cell] = []
    for one in tables:
        for what, (words, rules) in _NEEDED.items():
            if getattr(one.release, what) is None and any(name in rules for name in said):
                raise InputError(f"{one.path}: --primary {text!r} needs {words}; name it with --{what}.")
        try:
            table = one.with_nobody_in_empty_cells
            found += one.cells(sensitive_magnitudes(table, **parameters).values)
            found += cells_of_frame(sensitive_totals(table, **parameters))
        except InputError as problem:
            sentence = str(problem)
            for name, parameter in _RULES.items():
                sentence = sentence.replace(f"{parameter}=", f"{name}=")
            raise InputError(f"{one.path}, --primary {text!r}: {sentence}") from None
    return found
