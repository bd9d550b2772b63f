"""What respondents learn, in words and as rows for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .words import cell_name, number, probability

if TYPE_CHECKING:
    import pandas as pd

HEADINGS = {
    "kind": "she is",
    "own": "own part",
    "newly_known": "cells she newly knows",
    "worst_cell": "cell she learns most about",
    "risk_before": "its risk to all",
    "risk": "to her",
    "times": "times",
    "p_modal_before": "P(one value), to all",
    "p_modal": "P(one value), to her",
    "p_near_before": "P(near truth), to all",
    "p_near": "P(near truth), to her",
    "other_lower": "largest other has at least",
    "other_upper": "at most",
    "other": "truly",
    "other_within": "too much by %",
    "p_near_other": "P(near that), to her",
    "certificate": "certificate",
    "converged": "converged",
}


def respondent_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows as short texts, under headings that need no manual."""
    columns = [
        column
        for column in frame
        if not ("p_near" in frame and str(column).startswith("p_modal"))
        and not ("other" in str(column) and frame[column].isna().all())
    ]
    shown = frame[columns].astype(object)  # of magnitudes no single value is probable
    for column in shown:
        shown[column] = [_text(str(column), value) for value in frame[column]]
    return shown.rename(columns=lambda column: HEADINGS.get(str(column), str(column).replace("_", " ")))


def _text(column: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "NO"
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return ""
        if np.isinf(value):
            return "known" if column.startswith("risk") else ""
        return probability(float(value), sure=value == 1) if column.startswith("p_") else f"{value:,.4g}"
    return number(value) if isinstance(value, (int, np.integer)) else str(value)


def what_they_learn(frame: pd.DataFrame) -> str:
    """How many respondents there are, and how many of them learn another's cell exactly."""
    if not len(frame):
        return "No respondent is alone in a hidden cell or has most of one."
    single = len(frame) == 1
    who = "One respondent is" if single else f"{number(len(frame))} respondents are"
    has, own = ("has", "her") if single else ("have", "their")
    known = frame["kind"].isin(["largest", "second"]).any()
    which = f"{has} most of it or {'is' if single else 'are'} first or second in it" if known else f"{has} most of it"
    exact = int((frame["newly_known"] > 0).sum())
    learns = "learns" if exact < 2 else "learn"
    return (
        f"{who} alone in a hidden cell, or {which}, and can subtract {own} part; {exact or 'none'} of them "
        f"{learns} another cell exactly.{_nearest_other(frame)}"
    )


def _nearest_other(frame: pd.DataFrame) -> str:
    """Who comes nearest to another contributor's amount, where that is known of any."""
    if "other_within" not in frame or frame["other_within"].isna().all():
        return ""
    row = frame.iloc[int(frame["other_within"].astype(float).argmin())]
    cell = cell_name(row.name, frame.index.names)
    return (
        f" Nearest to another contributor comes the {row['kind']} one in {cell}: all that is not hers, at most "
        f"{number(row['other_upper'])}, is no more than {row['other_within']:.3g}% above the largest other's amount."
    )
