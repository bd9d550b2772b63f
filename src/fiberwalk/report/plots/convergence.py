"""The evidence behind an audit, in words and as a table: what was solved, what was sampled, and how well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.numbers import largest_first
from ..words import cell_name, number, why_not_converged

if TYPE_CHECKING:
    import pandas as pd

    from ...results.audit_result import Audit


def convergence(audit: Audit) -> list[tuple[str, str]]:
    """How well the chains converged: pairs of a diagnostic and its value. Empty where nothing was sampled."""
    cells = audit.cells
    sampled = cells[cells["method"] == "chains"]
    if not len(sampled):
        return []
    rows = [
        ("Stop rule passed", "yes" if audit.converged else f"NO: {why_not_converged(audit)}"),
        ("Cells", f"{number(len(cells) - len(sampled))} exact, {number(len(sampled))} sampled"),
    ]
    ess, rhat, error = sampled["ess"], sampled["rhat"], sampled["entropy_mcse"]
    rows.append(("Fewest effective draws", f"{number(int(ess.min()))} ({_name(ess.idxmin(), cells)})"))
    if rhat.notna().any():
        rows.append(("Largest R-hat", f"{rhat.max():.4f} ({_name(rhat.idxmax(), cells)})"))
    wanted = audit.settings.get("tolerance")
    rows.append((
        "Largest error of an entropy",
        f"{error.max():.4f} bits ({_name(error.idxmax(), cells)})"
        + (f"; wanted: three times it below {wanted:g}" if wanted is not None else ""),
    ))  # fmt: skip
    return rows


def _name(labels: object, cells: pd.DataFrame) -> str:
    return cell_name(labels, cells.index.names)


def sampled_cells(audit: Audit, most: int) -> pd.DataFrame:
    """The sampled cells with their errors as short texts, those known least well first."""
    import pandas as pd

    cells = audit.cells
    passed = dict(
        zip(audit.release.index(audit.belief.keys), (pmf.converged for pmf in audit.belief.pmfs), strict=True)
    )
    sampled = cells[cells["method"] == "chains"]
    worst = sampled.iloc[largest_first(sampled["entropy_mcse"])].head(most)
    return pd.DataFrame(
        {
            "bits left": [f"{value:.4f}" for value in worst["entropy"]],
            "error of the entropy": [f"{value:.4f}" for value in worst["entropy_mcse"]],
            "effective draws": [number(int(value)) if np.isfinite(value) else "all" for value in worst["ess"]],
            "R-hat": ["" if np.isnan(value) else f"{value:.4f}" for value in worst["rhat"]],
            "converged": ["yes" if passed[labels] else "NO" for labels in worst.index],
            "certificate": list(worst["certificate"]),
        },
        index=worst.index,
    )


def sharpness(audit: Audit) -> str:
    """Whether the bounds are known to be attained, in a sentence."""
    loose = sum(not pmf.sharp for pmf in audit.belief.pmfs)
    if not loose:
        return "All bounds are sharp: for each of them there is a table that attains it."
    which = "one cell hold" if loose == 1 else f"{number(loose)} cells hold"
    return f"The bounds of {which} but may be wider than need be: no table is known that attains them."
