"""load: audits, R-U maps and other results from the files that their `save` wrote."""

from __future__ import annotations

import os
from typing import Any

from .base import saved_file
from .fiber.laws.by_name import homes as homes_of_laws
from .protect.methods import METHODS

KINDS = {
    "audit": "results.audit_result",
    "conditional test": "results.conditional_test_result",
    "map": "results.map_result",
    "margins": "results.margin_sets",
    "reconstruction": "results.reconstruction_result",
    "sample risk": "results.sample_risk_result",
    "sample study": "studies.sample_studies",
    "suppression": "withholding.suppression_result",
    "table study": "studies.table_studies",
}
"""The kinds of results that a file may hold, by the word for each in the file: the module where its class stands."""

FIGURES = ("distinct", "extreme", "mean", "quantile", "share", "withheld")
"""The files of figures that may be known of a group of people."""


def load(path: str | os.PathLike[str]) -> Any:
    """The result that its method `save` wrote to a file: an audit, an R-U map, a suppression, a test or a study.

    Whatever could be asked of it before can be asked again, except for what needs the weights of a law of your own:
    its name is kept, its weights are not. Reading a file runs no code from it: one from others can be opened safely.

    Examples
    --------
    >>> import tempfile, os
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a.save(os.path.join(folder, "audit.fw"))
    ...     again = fw.load(os.path.join(folder, "audit.fw"))
    >>> again.cells.equals(a.cells)
    True
    """
    return saved_file.load(path, {kind: f"{__package__}.{home}" for kind, home in KINDS.items()}, further_homes())


def further_homes() -> list[str]:
    """The modules of what a result may hold though its own does not load them: laws, methods, figures, paths, people."""
    homes = [*homes_of_laws(), *(f"{__package__}.protect.{method.home}" for method in METHODS.values())]
    figures = [f"{__package__}.release.statistics.{name}" for name in FIGURES]
    beliefs = [f"{__package__}.posterior.{name}" for name in ("paths.hidden_path", "records.rebuilt")]
    return [*homes, *figures, *beliefs]
