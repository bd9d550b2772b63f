"""An audit in sentences and short tables, for the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from .auditing import Audit

LIKELY = 0.5
"""A value with more probability than this is called likely enough to name."""


def verdict(audit: Audit) -> str:
    """The audit in one or two sentences."""
    cells = audit.cells
    if not len(cells):
        return "Nothing is hidden: every cell is published."
    known = cells["support"] == 1
    likely = ~known & (cells["p_modal"] > LIKELY)
    wide = likely & (cells["support"] >= 5)
    n = len(cells)
    parts = [
        f"{_number(int(known.sum()), 'hidden cell is', 'hidden cells are')} known exactly, of {n}"
        if known.any()
        else f"None of the {n} hidden cells is known exactly"
    ]
    if likely.any():
        others = "others " if known.any() else ""
        parts.append(f"for {int(likely.sum())} {others}one value has more than half of the probability")
    if wide.any():
        parts.append(f"{int(wide.sum())} of these although at least five values are possible")
    rest = cells[~known]
    sentence = "; ".join(parts) + "."
    if len(rest):
        worst = rest.iloc[0]
        which = "The riskiest of the others" if known.any() else "The riskiest"
        alike = np.isclose(worst["p_modal"] * worst["support"], 1, rtol=1e-9)
        belief = (
            f"its {int(worst['support'])} values are equally probable"
            if alike
            else f"most probably it is {number(worst['modal'])} (probability {worst['p_modal']:.2g})"
        )
        sentence += (
            f" {which} is {cell_name(rest.index[0], rest.index.names)}: {worst['entropy']:.2f} bits are left of it "
            f"(risk {worst['risk']:.3g}), {belief}."
        )
    return sentence


def how_known(audit: Audit) -> list[str]:
    """How the answer was obtained and how far it can be trusted, a line each."""
    certificate = audit.certificate
    lines = []
    if not audit.converged:
        why = audit.stopped or "chains reached the most draws they may make"
        lines.append(f"NOT CONVERGED ({why}): the figures below are not settled; let the chains go on.")
    if audit.tables is not None:
        lines.append(f"{audit.tables:,} tables agree with the release; the answer is {certificate.word}.")
        return lines
    cells = audit.cells[audit.cells["method"] == "chains"]
    lines.append(
        f"Markov chains, {certificate.word}: {certificate.reason}. {len(cells)} of {len(audit.cells)} cells are sampled: "
        f"at least {cells['ess'].min():,.0f} effective draws, R-hat at most {cells['rhat'].max():.3f}, entropies to "
        f"{3 * cells['entropy_mcse'].max():.2g} bits."
    )
    if certificate.word == "unproven":
        lines.append("UNPROVEN: nothing proves that the chains can reach every table:")
        lines += [f"  {line}" for line in certificate.evidence]
    return lines


def _number(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def cell_name(labels: Any, names: Any) -> str:
    """A row's labels in words."""
    return ", ".join(f"{name}={label}" for name, label in zip(names, labels, strict=True))


def number(value: Any) -> str:
    """A value of a cell: whole numbers as such, magnitudes with their decimals."""
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}"
    return f"{value:.10g}"


HEADINGS = {
    "lower": "lowest",
    "upper": "highest",
    "support": "values",
    "entropy": "bits left",
    "risk": "risk",
    "uniform_risk": "uniform risk",
    "understatement": "times uniform",
    "modal": "most probable",
    "p_modal": "its probability",
    "own": "own part, left out",
    "truth": "truth",
    "p_truth": "p(truth)",
}
"""The columns a person reads first, and what they are called in tables for people."""


def readable(cells: pd.DataFrame) -> pd.DataFrame:
    """The main columns of `Audit.cells` as short texts."""
    shown = cells[[column for column in HEADINGS if column in cells]].copy().astype(object)
    for column in ("lower", "upper", "modal", "own", "truth"):
        if column in shown:
            shown[column] = [number(v) for v in cells[column]]
    shown["support"] = [f"{int(v):,}" for v in cells["support"]]
    shown["entropy"] = [f"{v:.3f}" for v in cells["entropy"]]
    for column in ("risk", "uniform_risk"):
        shown[column] = [
            "known" if m == 1 else f"{v:.4f}" for v, m in zip(cells[column], cells["support"], strict=True)
        ]
    shown["understatement"] = [f"{v:.2f}" for v in cells["understatement"]]
    for column in ("p_modal", "p_truth"):
        if column in shown:
            shown[column] = [f"{v:.3g}" for v in cells[column]]
    return shown.rename(columns=HEADINGS)
