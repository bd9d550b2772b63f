"""What an audit prints besides its cells: where intervals deceive, how near guesses come, what respondents learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .words import cell_name, number

if TYPE_CHECKING:
    from .auditing import Audit


def sections(audit: Audit, top: int) -> Iterator[str]:
    """The further sections of an audit, those that have something to say."""
    if len(audit.cells):
        yield from _deceptive(audit, top)
        yield from _magnitudes(audit, top)
    if audit.insiders is not None:
        yield from _respondents(audit, top)


def failures(audit: Audit, *, above: float | None, on_disclosure: bool) -> list[str]:
    """Why a script that asked for it is to fail, one sentence each."""
    found = []
    if above is not None and (n := int((audit.cells["risk"] > above).sum())):
        found.append(f"{n} cells are riskier than {above}." if n > 1 else f"1 cell is riskier than {above}.")
    elif above is not None and not audit.converged:
        found.append(f"The chains have not converged: whether a cell is riskier than {above} is not settled.")
    if on_disclosure and (n := len(audit.disclosed)):
        found.append(f"{n} hidden cells are known exactly." if n > 1 else "1 hidden cell is known exactly.")
    if on_disclosure and audit.insiders and (n := int((audit.respondents["newly_known"] > 0).sum())):
        found.append(
            f"{n} respondents learn another cell exactly." if n > 1 else "1 respondent learns another cell exactly."
        )
    return found


def _deceptive(audit: Audit, top: int) -> Iterator[str]:
    found = audit.deceptive()
    if not len(found):
        return
    head = "1 cell looks" if len(found) == 1 else f"{len(found)} cells look"
    yield f"\n{head} safe by the interval and not by the distribution:"
    yield from _lines(found.index, found["why"], top)


def _magnitudes(audit: Audit, top: int) -> Iterator[str]:
    if "p_near" not in audit.cells:
        return
    cells = audit.cells.sort_values("p_near", ascending=False, kind="stable")
    yield f"\nHow near an intruder comes to the truth (within {audit.percent:g}%), and where 90% of the probability lies:"
    said = [
        f"{p:.2g}, {number(low)} to {number(high)}"
        for p, low, high in zip(cells["p_near"], cells["low90"], cells["high90"], strict=True)
    ]
    yield from _lines(cells.index, said, top)


def _respondents(audit: Audit, top: int) -> Iterator[str]:
    frame = audit.respondents
    if not len(frame):
        yield "\nNo respondent is alone in a hidden cell or has most of one."
        return
    exact = int((frame["newly_known"] > 0).sum())
    who = "1 respondent is" if len(frame) == 1 else f"{len(frame)} respondents are"
    yield (
        f"\n{who} alone in a hidden cell, or {'has' if len(frame) == 1 else 'have'} most of it; "
        f"{exact or 'none'} of them {'learns' if exact < 2 else 'learn'} another cell exactly:"
    )
    yield from _lines(frame.index, [_learnt(row) for _, row in frame.iterrows()], top)


def _learnt(row: Any) -> str:
    who = f"{row['kind']}, own part {number(row['own'])}, "
    if not row["worst_cell"]:
        return who + "learns nothing new"
    doubts = [
        *(["unproven"] if row["certificate"] == "unproven" else []),
        *([] if row["converged"] else ["not converged"]),
    ]
    unsure = f" ({', '.join(doubts)})" if doubts else ""
    if row["newly_known"]:
        more = f" and {row['newly_known'] - 1} more" if row["newly_known"] > 1 else ""
        return f"{who}learns {row['worst_cell']}{more} exactly{unsure}"
    how = f"risk {row['risk']:.3g}, {row['times']:.2g} times what it is to others"
    return f"{who}learns most about {row['worst_cell']}: {how}{unsure}"


def _lines(index: Any, said: Any, top: int) -> Iterator[str]:
    for labels, words in list(zip(index, said, strict=True))[:top]:
        yield f"  {cell_name(labels, index.names)}: {words}"
    if len(index) > top:
        yield f"  ... and {len(index) - top} more (--top)"
