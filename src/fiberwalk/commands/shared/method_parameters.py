"""Parameters of protection methods as a command line writes them: numbers, matrices in files, noise by its name."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.text_files import read_text


def method_and_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """A method with its parameters, such as 'random-round base=3'."""
    name, given = _words(text)
    return name, {key: parameter(key, value) for key, value in given.items()}


def method_and_values(text: str) -> tuple[str, dict[str, Any]]:
    """A method with its parameters, of which some have a list of values, such as 'random-round base=3,5,10'.

    Numbers, rules and files of matrices are apart by commas, and so is noise by its name; any other text is one value.
    """
    name, given = _words(text)
    found: dict[str, Any] = {}
    for key, value in given.items():
        parts = [one.strip() for one in value.split(",")]
        several = len(parts) > 1 and (
            key == "matrix"
            or (key == "noise" and all(one[:1].isalpha() for one in parts))
            or (key != "noise" and not any(isinstance(number_or_text(one), str) for one in parts))
            or all(one.startswith("<") for one in parts)
        )
        found[key] = [parameter(key, one) for one in parts] if several else parameter(key, value)
    return name, found


def _words(text: str) -> tuple[str, dict[str, str]]:
    """The name of a method, and what is written for its parameters."""
    try:
        name, *given = shlex.split(text)
    except ValueError:
        raise InputError(f"{text!r}: name a method and its parameters, such as 'random-round base=3'.") from None
    found: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise InputError(f"{text!r}: {one!r} is no parameter; write it as name=value, such as base=3.")
        found[key.replace("-", "_")] = value
    return name, found


def parameter(name: str, text: str) -> Any:
    """What the text of a parameter means."""
    if name == "matrix":
        return read_matrix(text)
    if name == "noise":
        return read_noise(text)
    if text.lower() in ("true", "yes", "false", "no"):
        return text.lower() in ("true", "yes")
    return number_or_text(text)


def number_or_text(text: str) -> int | float | str:
    """A number where it can be one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_matrix(path: str) -> np.ndarray:
    """A transition matrix in a text file: one row a line, columns apart by commas, semicolons or blanks; 1/60 is allowed.

    A first line or column of labels is left out.
    """
    lines = read_text(path).splitlines()
    rows = [line.replace(";", ",").replace("\t", ",").split(",") for line in lines if line.strip()]
    rows = [
        line.split() if len(cells) == 1 else cells for line, cells in zip(filter(str.strip, lines), rows, strict=True)
    ]
    if rows and not rows[0][0].strip():  # a corner without a label: the first line and column are labels
        rows = [row[1:] for row in rows[1:]]
    if not rows or len({len(row) for row in rows}) > 1:
        raise InputError(f"{path}: a transition matrix has as many figures in every row.")
    return np.array([[_share(cell, path) for cell in row] for row in rows])


def read_noise(text: str) -> dict[Any, float]:
    """Noise by its name: geometric:EPSILON, uniform:LARGEST, or its probabilities, -1:0.25,0:0.5,1:0.25."""
    from ...protect.perturbation.noise import geometric_noise, uniform_noise

    kind, _, rest = text.partition(":")
    if kind in ("geometric", "uniform"):
        number = number_or_text(rest)
        if isinstance(number, str):
            raise InputError(f"noise {text!r}: write it as geometric:EPSILON or uniform:LARGEST, with a number.")
        return dict(geometric_noise(number)) if kind == "geometric" else dict(uniform_noise(int(number)))
    found: dict[Any, float] = {}
    for one in text.split(","):
        difference, colon, share = one.partition(":")
        value = number_or_text(difference)
        if not colon or isinstance(value, str):
            raise InputError(
                f"noise {text!r}: it is geometric:EPSILON, uniform:LARGEST, or differences with their probabilities, "
                "such as -1:0.25,0:0.5,1:0.25."
            )
        found[value] = _share(share, "noise")
    return found


def _share(text: str, where: str) -> float:
    upper, slash, lower = text.strip().partition("/")
    try:
        return float(upper) / float(lower) if slash else float(upper)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{where}: {text.strip()!r} is not a probability.") from None
