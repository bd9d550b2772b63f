"""Settings in TOML files: a line for each, by its name."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import InputError, did_you_mean
from ..base.text_files import read_text


def read_settings(
    path: str | os.PathLike[str], known: Sequence[str], noun: str, problem: Callable[[str, Any], str]
) -> dict[str, Any]:
    """The settings of a file; what is unknown or wrong is refused by its line. `problem` says what a value should be."""
    name, text = os.fspath(path), read_text(path)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not a well-formed TOML file ({error}).") from None
    for setting, value in found.items():
        where = f"{name}{_line(text, setting)}"
        if setting not in known:
            raise InputError(f"{where}: there is no {noun} {setting!r}; {did_you_mean(setting, known)}")
        if wrong := problem(setting, value):
            raise InputError(f"{where}: {setting} = {value!r}: {wrong}.")
    return found


def _line(text: str, setting: str) -> str:
    """Where a setting stands in the file."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*\[*\s*[\"']?{re.escape(setting)}\b", line):
            return f", line {number}"
    return ""
