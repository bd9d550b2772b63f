"""The population models by name.

A new model is one file with its class and the function that users call, which checks its parameters, and one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import InputError, did_you_mean
from .fiber_population import fiber
from .log_linear_population import log_linear
from .polya_urn import urn
from .population import PopulationModel
from .shrunk_population import shrunk

MODELS: dict[str, Callable[[], PopulationModel]] = {
    "log-linear": log_linear,
    "urn": urn,
    "shrunk": shrunk,
    "fiber": fiber,
}
MADE = {"known": "fw.survey.populations.known(p)"}
"""The calls that make the models which need more than a name."""


def as_model(model: Any) -> PopulationModel:
    """A model by its name or as an object."""
    if isinstance(model, str):
        if model in MADE:
            raise InputError(f"model {model!r} needs its parameters: {MADE[model]}.")
        if model not in MODELS:
            raise InputError(
                f"there is no model {model!r}; {did_you_mean(model, MODELS)}, or one of fw.survey.populations."
            )
        return MODELS[model]()
    if not all(hasattr(model, part) for part in ("given", "words", "name")):
        raise InputError(
            f"model= is one of {', '.join(map(repr, MODELS))}, or one of fw.survey.populations; it is {model!r}."
        )
    chosen: PopulationModel = model
    return chosen
