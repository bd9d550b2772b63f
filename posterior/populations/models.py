"""The population models by the functions that users call, with their parameters checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...fiber.laws.by_name import as_law
from .fiber_population import SHRUNK, FiberPopulation
from .log_linear_population import LogLinearPopulation
from .polya_urn import PolyaUrn
from .population import PopulationModel
from .shrunk_population import ShrunkPopulation


def log_linear(margins: Iterable[Any] | None = None, *, add: float = 0.0) -> LogLinearPopulation:
    """People outside the sample fall into cells with the probabilities of a log-linear model (ASE15, 5.1).

    The fitted probabilities are taken as known. What is drawn varies less than what is not known of the population, and
    the true risk is often outside the range of the risks drawn, most of all for small samples; `shrunk` doubts the model.

    Parameters
    ----------
    margins
        What the model keeps of the sample, such as ["A,B", "B,C"]; left out: all dims independent.
    add
        Added to every sample cell before the fit; without it, a category that is empty in the sample stays so in the
        population.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> model = fw.populations.log_linear(["A", "B"])
    >>> fw.sample_risk([[3, 0], [2, 5]], size=100, model=model, draws=200).summary["mean"].round(1).to_dict()
    {'r1': 0.1, 'r2': 0.1, 'zeros': 0.0}
    """
    return LogLinearPopulation(_margins(margins), _at_least_0("add", add))


def urn(zeros: int | None = None, *, theta: float | None = None, margins: Iterable[Any] | None = None) -> PolyaUrn:
    """Polya's urn: people join cells in proportion to those already there, or open an empty one (ASE15, 5.2).

    Parameters
    ----------
    zeros
        How many cells of the population table are empty, where that is known. Left out: as many as the log-linear model of
        `margins` expects.
    theta
        The number of black balls, which open new cells; otherwise it follows from the zeros.
    margins
        Of the log-linear model; left out: all dims independent.
    """
    if zeros is not None and theta is not None:
        raise InputError("urn(): theta= follows from zeros=; give one of them.")
    if zeros is not None and (isinstance(zeros, bool) or not isinstance(zeros, (int, np.integer)) or zeros < 0):
        raise InputError(f"urn(zeros={zeros!r}): a number of cells, at least 0.")
    return PolyaUrn(
        None if zeros is None else int(zeros), None if theta is None else _at_least_0("theta", theta), _margins(margins)
    )


def shrunk(
    margins: Iterable[Any] | None = None, *, strength: float | None = None, add: float | None = None
) -> ShrunkPopulation:
    """Cell probabilities between the sample's own and those of a log-linear model: a Dirichlet prior around the model.

    Parameters
    ----------
    margins
        Of the model, as for `log_linear`.
    strength
        How many people the model counts for. Left out: what the sample tells of it, averaged over.
    add
        Added to every sample cell before the fit. Left out: as much as gives every category of the longest dim one person,
        so that categories which a small sample missed are not ruled out.
    """
    if strength is not None and _at_least_0("strength", strength) == 0:
        raise InputError("shrunk(strength=0): the model must count for something; a number above 0.")
    return ShrunkPopulation(_margins(margins), None if add is None else _at_least_0("add", add), strength)


def fiber(law: Any = "shrunk") -> FiberPopulation:
    """Tables that contain the sample and have the margins of the population that are published, drawn by our chains.

    The sample is given as a release: `fw.draw_sample(population, 0.1, exact=["A", "B"])`, or as an outsider has it,
    `fw.as_protected(sample, "draw_sample", exact=[row_totals, column_totals])`.

    Parameters
    ----------
    law
        "shrunk": cells may differ from the log-linear model of the published margins as far as the sample suggests. Or what
        is believed beforehand as for `audit`: "hypergeometric" is that model itself, and often far too sure.
    """
    if law != SHRUNK:
        as_law(law)
    return FiberPopulation(law)


def as_model(model: Any) -> PopulationModel:
    """A model by its name or as an object."""
    known: dict[str, Callable[[], PopulationModel]] = {
        "log-linear": log_linear,
        "urn": urn,
        "shrunk": shrunk,
        "fiber": fiber,
    }
    if isinstance(model, str):
        if model not in known:
            raise InputError(f"there is no model {model!r}; {did_you_mean(model, known)}, or one of fw.populations.")
        return known[model]()
    if not all(hasattr(model, part) for part in ("given", "words", "name")):
        raise InputError(f"model= is one of {', '.join(map(repr, known))}, or one of fw.populations; it is {model!r}.")
    chosen: PopulationModel = model
    return chosen


def _margins(margins: Iterable[Any] | None) -> tuple[Any, ...] | None:
    if margins is None:
        return None
    if isinstance(margins, str):
        raise InputError(f"margins={margins!r}: a list such as ['A,B', 'B,C'].")
    found = tuple(margins)
    if not found:
        raise InputError("margins=[]: a model needs at least one margin; [''] is the grand total alone.")
    return found


def _at_least_0(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < math.inf:
        raise InputError(f"{name}={value!r}: a number of at least 0.")
    return float(value)
