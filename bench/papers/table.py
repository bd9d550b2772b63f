"""The table of all items: every call run, and what came of it in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import PAPERS
from .item import Item
from .names import MEANINGS
from .running import Ran, prepared, run
from .service import LEFT

Found = Mapping[str, Sequence[Ran]]


def run_all(papers: Sequence[str] = tuple(PAPERS)) -> dict[str, list[Ran]]:
    """Every call of these papers that is not pending, run."""
    with prepared() as given:
        return {paper: [run(item, given) for item in PAPERS[paper] if not item.pending] for paper in papers}


def waiting(papers: Sequence[str]) -> list[tuple[str, Item]]:
    """Items whose call is being built."""
    return [(paper, item) for paper in papers for item in PAPERS[paper] if item.pending]


def markdown(found: Found) -> str:
    """The table of all items."""
    done = [one for rows in found.values() for one in rows]
    pending = waiting(list(found))
    compared = sum(bool(one.item.figure) for one in done)
    lines = [
        "# The five papers, item by item",
        "",
        f"{len(done) + len(pending)} items; {len(done)} calls were run, {compared} of them compared with a figure"
        + (f"; {len(pending)} are being built." if pending else "."),
        "Made by `python bench/papers --store`, from the items in `bench/papers/`: nobody types it.",
        "",
        "Calls use these names: " + "; ".join(f"`{name}`: {what}" for name, what in MEANINGS.items()) + ".",
    ]
    for paper, rows in found.items():
        lines += [
            "",
            f"## {paper}",
            "",
            "| place | what it says | call | result | |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [_row(one.item.place, one.item.what, _code(one.item.call), one.shown, _verdict(one)) for one in rows]
    if pending:
        lines += ["", "## Being built", "", "| paper, place | what it says | call |", "| --- | --- | --- |"]
        lines += [_row(f"{paper}, {item.place}", item.what, _code(item.call)) for paper, item in pending]
    lines += ["", "## What the service brings", "", "| paper, place | what it says |", "| --- | --- |"]
    lines += [_row(*one) for one in LEFT]
    return "\n".join(lines) + "\n"


def _verdict(one: Ran) -> str:
    if one.wrong:
        return f"**{one.wrong}**"
    agrees = f"= {one.item.figure}" if one.item.figure else ""
    return "; ".join(part for part in (agrees, one.item.note) if part)


def _row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def _code(call: str) -> str:
    return f"`{call}`"
