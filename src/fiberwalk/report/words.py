"""An audit in sentences and short tables, for the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.certificate import LAW_IN_DOUBT
from ..base.numbers import largest_first, number_of_tables
from ..fiber.laws.own_units import removed_units

if TYPE_CHECKING:
    import pandas as pd

    from ..results.audit_result import Audit

LIKELY = 0.5
"""A most probable value with more probability than this is mentioned."""
WORTH_SAYING = 1.1
"""A risk at least so many times what the interval suggests is mentioned."""


ORIGINAL = "original"
"""What the table as it is, without any protection, is called on a map."""

ASSUMED = "assumed beforehand"
"""What is said where everybody is assumed to know something of every cell before anything is published."""


def verdict(audit: Audit) -> str:
    """The audit in one sentence: the cells that look safe and are not, those that are known exactly, then the rest."""
    cells = audit.cells
    n = len(cells)
    if not n:
        return "Nothing is hidden: every cell is published."
    known, deceptive = cells["support"] == 1, cells.index.isin(audit.deceptive().index)
    hidden_cells = "The only hidden cell" if n == 1 else f"the {n} hidden cells"
    clauses = []
    if deceptive.any():
        how_many = int(deceptive.sum())
        subject = hidden_cells if n == 1 else f"{how_many} of {hidden_cells}"
        looks = "looks safe by its interval and is not" if how_many == 1 else "look safe by their interval and are not"
        clauses.append(f"{subject} {looks} ({_how_deceptive(audit, riskiest_first(cells[deceptive]))})")
    if known.all():
        clauses.append(f"{hidden_cells} is known exactly" if n == 1 else f"All {n} hidden cells are known exactly")
    elif known.any():
        clauses.append(f"{counted(int(known.sum()), 'hidden cell is', 'hidden cells are')} known exactly, of {n}")
    elif n > 1:
        clauses.append("none is known exactly" if clauses else f"None of {hidden_cells} is known exactly")
    insiders = asked_respondents(audit)
    if insiders is not None and (exact := int((insiders["newly_known"] > 0).sum())):
        clauses.append(f"{counted(exact, 'respondent learns', 'respondents learn')} another cell exactly")
    likely = ~known & ~deceptive & (cells["p_modal"] > LIKELY)
    if likely.any() and not audit.magnitude and n > 1:
        others = "others" if known.any() or deceptive.any() else "of them"
        clauses.append(f"for {int(likely.sum())} {others} one value has more than half of the probability")
    rest = cells[~known & ~deceptive]
    if len(rest) and not deceptive.any():
        rest = riskiest_first(rest)
        which = "the riskiest of the others, " if known.any() else "the riskiest, " if n > 1 else f"{hidden_cells}, "
        clauses.append(f"{which}{_name(rest)}, {_how_risky(audit, rest)}")
    return "; ".join(clauses) + "."


def how_known(audit: Audit) -> list[str]:
    """How the answer was obtained and how far it can be trusted, a line each."""
    certificate = audit.certificate
    lines = []
    if not audit.converged:
        lines.append(f"NOT CONVERGED ({why_not_converged(audit)}): {advice(audit)}")
    lines += how_obtained(audit)
    if audit.tables is None and certificate.word == "unproven":
        lines.append(
            "UNPROVEN: nothing proves that the chains can reach every table; solve it exactly if that is possible."
        )
        lines += [f"  {line}" for line in certificate.evidence]
    if audit.release.beforehand:
        lines.append(f"{ASSUMED.upper()}: {audit.release.beforehand}.")
    return lines + [f"{LAW_IN_DOUBT.upper()}: {caveat}" for caveat in certificate.caveats]


def how_obtained(audit: Audit) -> list[str]:
    """How the answer was obtained, a line each; `doubts` has what is in doubt about it."""
    certificate = audit.certificate
    lines = []
    if audit.release.applied:
        lines.append(f"Likelihood {certificate.likelihood}: {likelihood_words(audit)}.")
    if audit.belief.path is not None:
        steps = "; ".join(method.words for method in audit.release.applied if method.beyond_evidence)
        lines.append(f"Hidden steps: {steps}.")
    if learnt_of_theta(audit):
        lines.append(f"Theta: {learnt_of_theta(audit)}.")
    if audit.release.own.any():
        lines.append(f"Her own part: {own_words(audit)}.")
    if audit.tables is not None:
        answer = "the answer is exact" if certificate.likelihood == "exact" else "given that, the answer is exact"
        agree = "1 table agrees" if audit.tables == 1 else f"{number_of_tables(audit.tables)} tables agree"
        return [*lines, f"{agree} with the release; {answer}."]
    cells = audit.cells[audit.cells["method"] == "chains"]
    lines.append(
        f"Markov chains, {certificate.word}: {certificate.reason}. {len(cells)} of {len(audit.cells)} cells are sampled: "
        f"at least {cells['ess'].min():,.0f} effective draws, R-hat at most {cells['rhat'].max():.3f}, entropies to "
        f"{3 * cells['entropy_mcse'].max():.2g} bits."
    )
    return lines


def own_words(audit: Audit) -> str:
    """What follows from an insider's knowledge of her own part of a cell."""
    law = f"law {audit.belief.law.name!r}"
    if removed_units(audit.belief.law, audit.release) is not None:
        return (
            f"her own units are taken out of the cells, and {law} weighs what is left with the ways to tell hers apart"
        )
    if audit.belief.law.name == "per contributor":
        return f"{law} weighs what the others have, who are one fewer"
    return f"under {law} it only cuts off the values below it"


def doubts(audit: Audit) -> list[tuple[str, str]]:
    """What must be said beside the verdict wherever it is shown: a word or two, and why."""
    pairs = []
    if not audit.converged:
        words = advice(audit)
        pairs.append(("NOT CONVERGED", f"{why_not_converged(audit)}. {words[0].upper()}{words[1:]}"))
    if audit.certificate.likelihood != "exact" and (audit.release.figures is not None or audit.release.evidence):
        words = likelihood_words(audit)
        pairs.append((f"likelihood: {audit.certificate.likelihood}", f"{words[0].upper()}{words[1:]}."))
    if audit.certificate.word == "unproven":
        pairs.append(
            ("unproven", f"It is not proven that the chains can reach every table: {audit.certificate.reason}.")
        )
    if audit.release.beforehand:
        words = audit.release.beforehand
        pairs.append((ASSUMED, f"{words[0].upper()}{words[1:]}. Who knows less is less sure."))
    pairs += [(LAW_IN_DOUBT, f"{words[0].upper()}{words[1:]}") for words in audit.certificate.caveats]
    return pairs


def likelihood_words(audit: Audit) -> str:
    """How far the likelihood is used: how probable the protection makes what it published."""
    names = " and ".join(dict.fromkeys(method.name for method in audit.release.applied))
    if audit.certificate.likelihood == "exact":
        return f"how probable {names} makes what was published is used as it is"
    if audit.certificate.likelihood == "cellwise approximation":
        return f"{names} is taken as if it had treated every cell by itself, which it did not"
    seen = "the published figures of the cells" if audit.release.figures is not None else "how the method chose"
    return f"of {names} only which tables are possible is used; {seen} may tell an intruder more"


def learnt_of_theta(audit: Audit) -> str:
    """The mean and standard deviation of theta beforehand and now, where it is not known; else nothing."""
    path = audit.belief.path
    if path is None or len(path.thetas) == 1:
        return ""
    texts = []
    for distribution in (path.theta_prior, path.theta):
        mean = float(distribution @ path.thetas)
        spread = float(np.sqrt(distribution @ (path.thetas - mean) ** 2))
        texts.append(f"{mean:.3g} ± {spread:.2g}")
    return (
        f"believed to be {texts[0]} beforehand, and {texts[1]} given what was published (mean and standard deviation)"
    )


def why_not_converged(audit: Audit) -> str:
    """What stopped the chains before they passed the stop rule."""
    if audit.stopped:
        return audit.stopped.rstrip(".")
    if audit.settings.get("max_draws") is None:
        return "chains were given up: they would have to make many times the draws that they made"
    return "chains reached the most draws they may make"


def advice(audit: Audit) -> str:
    """What to do about an audit that was stopped too early."""
    if audit.belief.converged and all(hers.converged for hers in (audit.insiders or {}).values()):
        return "let it finish."  # what there is is settled
    return "the figures are not settled; let the chains go on for longer."


def riskiest_first(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of `Audit.cells` in the order people read them: of magnitudes, those a guess comes nearest to first."""
    if "p_near" not in cells:
        return cells
    nearest = cells.iloc[largest_first(cells["p_near"])]
    return nearest.iloc[np.argsort(nearest["support"].to_numpy() > 1, kind="stable")]


def step_words(audit: Audit) -> str:
    """The unit of bits and risks of magnitudes, which depend on it; nothing for counts."""
    return f"steps of {10.0**-audit.release.decimals:g}" if audit.magnitude else ""


def asked_respondents(audit: Audit) -> pd.DataFrame | None:
    """What respondents learn; None where that was not asked."""
    return None if audit.insiders is None else audit.respondents


def _how_deceptive(audit: Audit, worst: pd.DataFrame) -> str:
    row = worst.iloc[0]
    span = f"{number(row['lower'])} to {number(row['upper'])}"
    if audit.magnitude:
        return f"{_name(worst)} may be {span}, but {_likely_range(row)}"
    return f"{_name(worst)} may be {span}, but is {number(row['modal'])} with probability {probability(row['p_modal'])}"


def _how_risky(audit: Audit, rest: pd.DataFrame) -> str:
    row = rest.iloc[0]
    times = row["understatement"]
    more = f", {times:.3g} times what its interval suggests" if times >= WORTH_SAYING else ""
    left = f"has {row['entropy']:.2f} bits left (risk {row['risk']:.3g}{more})"
    if audit.magnitude:
        near = ""
        if "p_near" in row:
            p = probability(row["p_near"])
            near = f"is within {audit.percent:g}% of its truth with probability {p}, and "
        return f"{near}{_likely_range(row)}, of the {number(row['lower'])} to {number(row['upper'])} it may be"
    if np.isclose(row["p_modal"] * row["support"], 1, rtol=1e-9):
        return f"{left}: its {number(int(row['support']))} values are equally probable"
    return f"{left} and is most probably {number(row['modal'])} (probability {probability(row['p_modal'])})"


def _likely_range(row: pd.Series) -> str:
    return f"is between {number(row['low90'])} and {number(row['high90'])} with probability 0.9"


def _name(rows: pd.DataFrame) -> str:
    return cell_name(rows.index[0], rows.index.names)


def counted(n: int, singular: str, plural: str) -> str:
    """So many of something, with the verb that goes with them."""
    return f"{n} {singular if n == 1 else plural}"


def cell_name(labels: Any, names: Any) -> str:
    """A row's labels in words."""
    return ", ".join(f"{name}={label}" for name, label in zip(names, labels, strict=True))


def short_cell_name(labels: Any, names: Any, most: int) -> str:
    """A row's labels in words that fit: without the names of the dims, and each cut, where there is no room."""
    whole = cell_name(labels, names)
    if len(whole) <= most:
        return whole
    return ", ".join(shortened(str(label), max(6, most // len(labels) - 2)) for label in labels)


def shortened(text: str, most: int) -> str:
    """A text that fits, with dots for what was cut out of it: long labels differ at their ends as often as not."""
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end].rstrip()}…{text[len(text) - end :].lstrip()}"


def number(value: Any) -> str:
    """A value of a cell: whole numbers as such, magnitudes with their decimals."""
    if isinstance(value, (int, np.integer)):
        return f"{int(value):,}"
    return f"{value:,.10g}"


def probability(p: float, *, sure: bool = False) -> str:
    """A probability in three digits; 1 only where nothing else is possible."""
    if sure:
        return "1"
    return "> 0.999" if p >= 0.9995 else f"{p:.3f}" if p >= 0.01 else f"{p:.2g}"


def short_risk(risk: float) -> str:
    """A risk in two digits, as short as can be."""
    return f"{risk:.2g}" if risk < 99.5 or not np.isfinite(risk) else f"{risk:,.0f}"


HEADINGS = {
    "published": "published as",
    "interval": "interval",
    "support": "values",
    "certificate": "certificate",
    "range90": "90% range",
    "p_near": "P(near truth)",
    "modal": "most probable",
    "p_modal": "its probability",
    "entropy": "bits left",
    "risk": "risk",
    "uniform_risk": "uniform risk",
    "understatement": "times uniform",
    "own": "own part, left out",
    "truth": "truth",
    "p_truth": "p(truth)",
}
"""The columns a person reads first, and what they are called in tables for people."""
_OF_COUNTS, _OF_MAGNITUDES = {"modal", "p_modal", "p_truth"}, {"range90", "p_near"}


def readable(cells: pd.DataFrame) -> pd.DataFrame:
    """The main columns of `Audit.cells` as short texts; the certificate only where it is not "exact" throughout."""
    magnitude = "low90" in cells and "p0" not in cells
    left_out = _OF_COUNTS if magnitude else _OF_MAGNITUDES
    if (cells["certificate"] == "exact").all():
        left_out = left_out | {"certificate"}
    shown = cells.assign(interval=_ranges(cells, "lower", "upper"))
    if "low90" in cells:
        shown = shown.assign(range90=_ranges(cells, "low90", "high90"))
    shown = shown[[column for column in HEADINGS if column in shown and column not in left_out]].astype(object)
    for column in ("published", "modal", "own", "truth"):
        if column in shown:
            shown[column] = ["" if np.isnan(value) else number(value) for value in cells[column]]
    shown["support"] = [f"{int(value):,}" for value in cells["support"]]
    shown["entropy"] = [
        f"{bits:.3f}" if error == 0 else f"{bits:.3f} ± {error:.3f}"
        for bits, error in zip(cells["entropy"], cells["entropy_mcse"], strict=True)
    ]
    for column in ("risk", "uniform_risk"):
        shown[column] = [
            "known" if support == 1 else f"{value:#.4g}" if value < 1000 else f"{value:,.0f}"
            for value, support in zip(cells[column], cells["support"], strict=True)
        ]
    shown["understatement"] = [f"{value:.2f}" for value in cells["understatement"]]
    for column in ("p_modal", "p_truth", "p_near"):
        if column in shown:
            shown[column] = [
                "" if np.isnan(p) else probability(p, sure=support == 1)
                for p, support in zip(cells[column], cells["support"], strict=True)
            ]
    return shown.rename(columns=HEADINGS)


def _ranges(cells: pd.DataFrame, low: str, high: str) -> list[str]:
    return [f"{number(first)} to {number(last)}" for first, last in zip(cells[low], cells[high], strict=True)]


def setting_words(parameter: str, value: Any) -> str:
    """A parameter with its value, such as theta=0.05."""
    if not parameter:
        return ""
    return f"{parameter}={value_words(value)}"


def value_words(value: Any) -> str:
    """The value of a parameter, with as many digits as tell it from others."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)
