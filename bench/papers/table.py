"""The table of all items: every call run, and what came of it in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import PAPERS
from .names import MEANINGS
from .running import Ran, prepared, run
from .service import LEFT

Found = Mapping[str, Sequence[Ran]]


def run_all(papers: Sequence[str] = tuple(PAPERS)) -> dict[str, list[Ran]]:
    """Every call of these papers, run."""
    with prepared() as given:
        return {paper: [run(item, given) for item in PAPERS[paper]] for paper in papers}


def markdown(found: Found) -> str:
    """The table of all items."""
    done = [one for rows in found.values() for one in rows]
    compared = sum(bool(one.item.figure) for one in done)
    lines = [
        "# The five papers, item by item",
        "",
        f"{len(done)} items, and the call that does each. All were run; of {compared} the result is held to a figure.",
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
