"""What --mechanism says: 'NAME KEY=VALUE,...', several times, by names that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...base.errors import InputError
from ..shared.method_parameters import method_and_texts, parameter


@dataclass(frozen=True)
class Mechanism:
    """A method as --mechanism names it, with the texts of its parameters, of which one may have several values."""

    method: str
    texts: dict[str, list[str]]

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """What the texts mean."""
        values = {key: [parameter(key, text) for text in texts] for key, texts in self.texts.items()}
        return {key: several if len(several) > 1 else several[0] for key, several in values.items()}

    def of_value(self, place: int) -> dict[str, str]:
        """The texts with one of the values, by its place."""
        return {key: texts[place] if len(texts) > 1 else texts[0] for key, texts in self.texts.items()}


def mechanisms(texts: Sequence[str]) -> dict[str, Mechanism]:
    """What each --mechanism says, by its name with the parameters that have one value."""
    named: dict[str, Mechanism] = {}
    for text in texts:
        name, given = method_and_texts(text)
        one = Mechanism(name, given)
        fixed = [f"{key}={it}" for key, it in one.parameters.items() if isinstance(it, (bool, int, float, str))]
        shown = " ".join([name.replace("_", "-"), *fixed])
        if shown in named:
            raise InputError(f"--mechanism {shown} is there twice; give the values of a parameter in one, with commas.")
        named[shown] = one
    return named
