"""What an audit prints besides its cells: where intervals deceive, how near guesses come, what respondents learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..base.numbers import largest_first
from .respondent_rows import what_they_learn
from .words import cell_name, counted, number, why_not_converged

if TYPE_CHECKING:
    from ..results.audit_result import Audit


def sections(audit: Audit, top: int) -> Iterator[str]:
    """The further sections of an audit, those that have something to say."""
    if len(audit.cells):
        yield from _deceptive(audit, top)
        yield from _magnitudes(audit, top)
    if audit.insiders is not None:
        yield from _respondents(audit, top)


def failures(audit: Audit, *, above: float | None, on_disclosure: bool) -> list[str]:
    """Why a script is to fail, one sentence each: a risk above the limit, a disclosure, or chains that rule out neither."""
    if above is None and not on_disclosure:
        return []
    reasons = []
    if above is not None and (n := int((audit.cells["risk"] > above).sum())):
        reasons.append(f"{counted(n, 'cell is', 'cells are')} riskier than {above:g}.")
    if on_disclosure and (n := len(audit.disclosed)):
        reasons.append(f"{counted(n, 'hidden cell is', 'hidden cells are')} known exactly.")
    if on_disclosure and audit.insiders and (n := int((audit.respondents["newly_known"] > 0).sum())):
        reasons.append(f"{counted(n, 'respondent learns', 'respondents learn')} another cell exactly.")
    if not audit.converged:
        reasons.append(f"NOT CONVERGED ({why_not_converged(audit)}): this does not rule out that a cell is at risk.")
    for name, reading in audit.readings.items():
        reasons += [f"If {name}: {line}" for line in failures(reading, above=above, on_disclosure=on_disclosure)]
    return reasons


def _deceptive(audit: Audit, top: int) -> Iterator[str]:
    cells = audit.deceptive()
    if not len(cells):
        return
    head = "1 cell looks" if len(cells) == 1 else f"{len(cells)} cells look"
    yield f"\n{head} safe by the interval and not by the distribution:"
    yield from _lines(cells.index, cells["why"], top)


def _magnitudes(audit: Audit, top: int) -> Iterator[str]:
    if "p_near" not in audit.cells:
        return
    cells = audit.cells.iloc[largest_first(audit.cells["p_near"])]
    yield f"\nHow near an intruder comes to the truth (within {audit.percent:g}%), and where 90% of the probability lies:"
    texts = [
        f"{p:.2g}, {number(low)} to {number(high)}"
        for p, low, high in zip(cells["p_near"], cells["low90"], cells["high90"], strict=True)
    ]
    yield from _lines(cells.index, texts, top)


def _respondents(audit: Audit, top: int) -> Iterator[str]:
    frame = audit.respondents
    yield "\n" + what_they_learn(frame)
    yield from _lines(frame.index, [_learnt(row) for _, row in frame.iterrows()], top)


def _learnt(row: Any) -> str:
    who = f"{row['kind']}, own part {number(row['own'])}, "
    other = (
        f"; the largest other has {number(row['other_lower'])} to {number(row['other_upper'])}"
        if _has_other(row)
        else ""
    )
    if not row["worst_cell"]:
        return who + "learns nothing new" + other
    doubts = [
        *(["unproven"] if row["certificate"] == "unproven" else []),
        *([] if row["converged"] else ["not converged"]),
    ]
    unsure = f" ({', '.join(doubts)})" if doubts else ""
    if row["newly_known"]:
        more = f" and {row['newly_known'] - 1} more" if row["newly_known"] > 1 else ""
        return f"{who}learns {row['worst_cell']}{more} exactly{unsure}{other}"
    risk = f"risk {row['risk']:.3g}, {row['times']:.2g} times what it is to others"
    return f"{who}learns most about {row['worst_cell']}: {risk}{unsure}{other}"


def _has_other(row: Any) -> bool:
    return "other_upper" in row and row["other_upper"] == row["other_upper"]


def _lines(index: Any, texts: Any, top: int) -> Iterator[str]:
    for labels, words in list(zip(index, texts, strict=True))[:top]:
        yield f"  {cell_name(labels, index.names)}: {words}"
    if len(index) > top:
        yield f"  ... and {len(index) - top} more (--top)"
