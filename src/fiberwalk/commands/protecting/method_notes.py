"""What a note for the agency tells of a method: with which parameters, what it did, and how an outsider reads it."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..suppressing.agency_note import outsider

if TYPE_CHECKING:
    from ...release.release import Release


def of_method(release: Release, name: str, parameters: Mapping[str, Any]) -> list[str]:
    """The lines about the method that made a release, whose parameters are as they are shown."""
    applied = release.applied[-1]
    return [
        f"method: {name.replace('_', '-')} ({applied.name})",
        *(f"{key}: {value}" for key, value in parameters.items()),
        f"what it does: {applied.words}",
        *([f"what else it did: {applied.own_words}"] if applied.own_words else []),
        f"likelihood: {applied.likelihood}",
        f"result: {what_became_of(release)}",
    ]


def what_became_of(release: Release) -> str:
    """What became of the table, in a sentence or two."""
    import numpy as np

    applied = release.applied[-1]
    figures = release.published.values.astype(float)
    assert release.truth is not None
    truth = release.own_units(release.truth[release.grids[0].cells])
    withheld, changed = int(np.isnan(figures).sum()), int((figures != truth)[~np.isnan(figures)].sum())
    parts = [f"{changed} of {figures.size} cells are published with another figure"]
    if withheld:
        parts.append(f"{withheld} are withheld")
    return f"{applied.name}: {', '.join(parts)}. Likelihood: {applied.likelihood}."


def outsider_of(release: Release, name: str, parameters: Mapping[str, Any], options: dict[str, Any]) -> str:
    """The command by which an outsider who knows the method would audit the table."""
    from ...protect.methods import METHODS

    method = METHODS[name]
    read = method.reader
    if read is None or (method.read is not None and not release.evidence):
        return outsider(options, [options["out"]])
    taken = inspect.signature(read).parameters
    words = [f"{key}={shlex.quote(str(value))}" for key, value in parameters.items() if key in taken]
    return outsider(options, [options["out"]], ["--protected-by", " ".join([name.replace("_", "-"), *words])])
