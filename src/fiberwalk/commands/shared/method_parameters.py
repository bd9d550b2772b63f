"""Parameters of protection methods as a command line writes them: numbers, matrices in files, noise by its name."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.text_files import read_text


def method_and_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """A method with its parameters, such as 'random-round base=3'."""
    name, texts = _words(text)
    return name, {key: parameter(key, value) for key, value in texts.items()}


def method_and_texts(text: str) -> tuple[str, dict[str, list[str]]]:
    """A method with the texts of its parameters, of which some have several values, such as 'random-round base=3,5,10'.

    Commas separate numbers, rules, files of matrices, and noise by its name; any other text with commas is one value.
    """
    name, texts = _words(text)
    values: dict[str, list[str]] = {}
    for key, value in texts.items():
        parts = [part.strip() for part in value.split(",")]
        several = len(parts) > 1 and (
            key == "matrix"
            or (key == "noise" and all(part[:1].isalpha() for part in parts))
            or (key != "noise" and not any(isinstance(number_or_text(part), str) for part in parts))
            or all(part.startswith("<") for part in parts)
        )
        values[key] = parts if several else [value]
    return name, values


def _words(text: str) -> tuple[str, dict[str, str]]:
    """The name of a method, and the texts of its parameters."""
    try:
        name, *words = shlex.split(text)
    except ValueError:
        raise InputError(f"{text!r}: name a method and its parameters, such as 'random-round base=3'.") from None
    texts: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise InputError(f"{text!r}: {word!r} is no parameter; write it as name=value, such as base=3.")
        texts[key.replace("-", "_")] = value
    return name, texts


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
    """A transition matrix in a text file: a row a line, columns separated by commas, semicolons or blanks; 1/60 is allowed.

    A first line or column of labels is left out. A perturbation table of other tools is known by the names of its columns.
    """
    from ...protect.perturbation.ptable import is_ptable, read_ptable

    if is_ptable(path):
        return read_ptable(path)
    lines = read_text(path).splitlines()
    rows = [line.replace(";", ",").replace("\t", ",").split(",") for line in lines if line.strip()]
    rows = [
        line.split() if len(cells) == 1 else cells for line, cells in zip(filter(str.strip, lines), rows, strict=True)
    ]
    if rows and not rows[0][0].strip():  # a corner without a label: the first line and column are labels
        rows = [row[1:] for row in rows[1:]]
    if not rows or len({len(row) for row in rows}) > 1:
        raise InputError(f"{path}: a transition matrix has equally many figures in every row.")
    return np.array([[_probability(cell, path) for cell in row] for row in rows])


def read_noise(text: str) -> dict[Any, float]:
    """Noise by its name: geometric:EPSILON, uniform:LARGEST, or its probabilities, -1:0.25,0:0.5,1:0.25."""
    from ...protect.perturbation.noise import geometric_noise, uniform_noise

    kind, _, amount = text.partition(":")
    if kind in ("geometric", "uniform"):
        number = number_or_text(amount)
        if isinstance(number, str):
            raise InputError(f"noise {text!r}: write it as geometric:EPSILON or uniform:LARGEST, with a number.")
        return dict(geometric_noise(number)) if kind == "geometric" else dict(uniform_noise(int(number)))
    noise: dict[Any, float] = {}
    for pair in text.split(","):
        difference, colon, share = pair.partition(":")
        value = number_or_text(difference)
        if not colon or isinstance(value, str):
            raise InputError(
                f"noise {text!r}: it is geometric:EPSILON, uniform:LARGEST, or differences with their probabilities, "
                "such as -1:0.25,0:0.5,1:0.25."
            )
        noise[value] = _probability(share, "noise")
    return noise


def _probability(text: str, where: str) -> float:
    numerator, slash, denominator = text.strip().partition("/")
    try:
        return float(numerator) / float(denominator) if slash else float(numerator)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{where}: {text.strip()!r} is not a probability.") from None
