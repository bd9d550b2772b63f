"""What the options and the files ask of a suppression, as keywords of `fw.protect.problem`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..shared.method_parameters import number_or_text
from .contributor_rules import by_contributors, is_rule
from .tables_of_files import Cell, TrueTable, cells_of_frame

if TYPE_CHECKING:
    import pandas as pd

LEVELS = ("below", "above", "width")
STATUS, TOTAL, TOTALS = "status", "total", "totals"
_THRESHOLD = re.compile(r"\s*<.*")
_USUAL = "cells"


def wishes_of(tables: Sequence[TrueTable], options: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a suppression problem."""
    from ...base.errors import InputError
    from ...protect.withholding.posing import MINIMISE

    rule, where = _primary(tables, options)
    if rule is None and not where:
        raise InputError(
            "what is sensitive? Say it with --primary '< 3' (or another rule, or cells); no cell has a status that says so."
        )
    if rule is not None and any(one.table.signed for one in tables):
        raise InputError(
            f"--primary {rule!r}: a threshold is about figures of at least 0, and cells may be negative here; name those "
            "that are sensitive, such as --primary region=A,sex=f."
        )
    if options["zeros_hidden"] and rule is None:
        raise InputError("--zeros-hidden goes with a rule, such as --primary '< 3'.")
    kept = [TOTALS if text.strip().lower() == TOTALS else _cell(text, "--keep", tables) for text in options["keep"]]
    wishes: dict[str, Any] = {
        "where": where or None,
        "rule": rule,
        "zeros_hidden": options["zeros_hidden"],
        "secondary_zeros": options["secondary_zeros"],
        "keep": [*kept, *_marked(tables, "z")] or None,
        "prefer": [_cell(text, "--prefer", tables) for text in options["prefer"]] or None,
        "withheld": [*_withheld(tables, options), *_marked(tables, "x")] or None,
        "margins": list(options["margin"]) or None,
        "alone": False if options["outsiders_only"] else None,
        **_levels(tables, options),
    }
    costs = _costs(tables)
    if options["minimise"] not in (None, *MINIMISE):
        raise InputError(f"--minimise {options['minimise']}: it is {', '.join(MINIMISE[:-1])} or {MINIMISE[-1]}.")
    if options["minimise"] is not None or costs is None:
        wishes["minimise"] = options["minimise"] or _USUAL
    else:
        wishes["minimise"] = costs
    return wishes


def _cell(text: str, option: str, tables: Sequence[TrueTable]) -> Cell:
    """A cell or total that an option names, of one of the tables; the grand total is empty, or called so."""
    from ...base.errors import InputError, did_you_mean

    if text.strip().lower() in ("", TOTAL):
        return {}
    parts = [part.partition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in parts):
        raise InputError(f"{option} {text!r}: write it as DIM=LABEL,DIM=LABEL; dims that are left out are summed over.")
    cell = {dim.strip(): label.strip() for dim, _, label in parts}
    dims = {dim.name: dim for table in tables for dim in table.release.dims}
    for name, label in cell.items():
        if name not in dims:
            raise InputError(f"{option} {text!r}: no file has a dim {name!r}; {did_you_mean(name, dims)}")
        known = {one for table in tables for dim in table.release.dims if dim.name == name for one in dim.node_labels}
        if label not in known:
            raise InputError(
                f"{option} {text!r}: {name!r} has no label {label!r}; {did_you_mean(label, sorted(known))}"
            )
    return cell


def _marked(tables: Sequence[TrueTable], status: str) -> list[Cell]:
    return [cell for table in tables for cell in table.marked(status)]


def _primary(tables: Sequence[TrueTable], options: dict[str, Any]) -> tuple[str | None, list[Cell]]:
    """The rule, and the cells and totals, that are sensitive."""
    from ...base.errors import InputError

    texts = [*options["primary"], *([options["rule"]] if options["rule"] is not None else [])]
    rules = [text for text in texts if _THRESHOLD.fullmatch(text)]
    if len(rules) > 1:
        raise InputError(f"--primary {rules[1]!r}: there is a rule already, {rules[0]!r}; give the wider one.")
    where: list[Cell] = []
    for text in texts or [STATUS]:
        if text.strip().lower() == STATUS:
            where += [cell for table in tables for cell in _by_status(table)]
        elif text not in rules:
            where += by_contributors(tables, text) if is_rule(text) else [_cell(text, "--primary", tables)]
    return (rules[0] if rules else None), where


def _counts_statuses(options: dict[str, Any]) -> bool:
    """Do the statuses of files say what is sensitive?"""
    texts = [*options["primary"], *([options["rule"]] if options["rule"] is not None else [])]
    return any(text.strip().lower() == STATUS for text in texts or [STATUS])


def _by_status(table: TrueTable) -> list[Cell]:
    """The cells and totals that a file marks as sensitive."""
    from ...release.facts.facts import PRIMARY

    release = table.release
    marked = table.cells((release.status == PRIMARY)[release.grids[0].cells])
    marked += table.figures(release.asked_primary)
    return [*marked, *(cell for cell in table.marked("u") if cell not in marked)]


def _by_status_withheld(table: TrueTable) -> list[Cell]:
    """The totals that a file withholds, and does not mark as sensitive: their figures are not in it to be published."""
    said = [cell for status in "suxz" for cell in table.marked(status)]
    primary = set(map(tuple, table.release.asked_primary.tolist()))
    others = [key for key in table.release.asked.tolist() if tuple(key) not in primary]
    return [cell for cell in table.figures(others) if cell not in said]


def _withheld(tables: Sequence[TrueTable], options: dict[str, Any]) -> list[Cell]:
    """The cells and totals that --withheld names, or that a published file hides; where statuses count, by these, too."""
    from ...release.facts.facts import HIDDEN, PRIMARY
    from ...release.reading import read_release

    named: list[Cell] = []
    if _counts_statuses(options):
        named += [cell for table in tables for cell in _by_status_withheld(table)]
    for text in options["withheld"]:
        if not Path(text).is_file():
            named.append(_cell(text, "--withheld", tables))
            continue
        before = read_release(text, total=options["total"], decimals=options["decimals"])
        was = TrueTable(Path(text), before)
        hidden = (before.status == HIDDEN) | (before.status == PRIMARY)
        named += [*was.cells(hidden[before.grids[0].cells]), *was.figures(before.asked)]
    return named


def _levels(tables: Sequence[TrueTable], options: dict[str, Any]) -> dict[str, Any]:
    """The wanted intervals: those that are stated for all, else those of the files."""
    from ...base.errors import InputError

    stated: dict[str, Any] = {}
    for name in (*LEVELS, "percent"):
        if options[name] is not None:
            stated[name] = number_or_text(options[name].strip().removesuffix("%"))
            if isinstance(stated[name], str) or ("%" in options[name] and name != "percent"):
                more = "; a percentage is given with --percent" if "%" in options[name] else ""
                raise InputError(f"--{name} {options[name]}: a number{more}.")
    if stated:
        return stated
    rows, amounts = [], []
    for one in tables:
        for key, level in (one.release.protection or {}).items():
            rows += one.figures([key])
            amounts.append([one.release.own_units(amount) for amount in (level.below, level.above, level.width)])
    if not rows:
        return {}
    return {name: _series(rows, [row[k] for row in amounts]) for k, name in enumerate(LEVELS)}


def _costs(tables: Sequence[TrueTable]) -> pd.Series | None:
    """What a priori files say that withholding costs."""
    frames = [one.history[one.history["cost"].notna()] for one in tables if one.history is not None]
    rows = [cell for frame in frames for cell in cells_of_frame(frame)]
    return _series(rows, [cost for frame in frames for cost in frame["cost"]]) if rows else None


def _series(rows: list[Cell], values: Sequence[Any]) -> pd.Series:
    """Numbers by the labels of cells and totals; a dim that a table lacks is summed over."""
    import pandas as pd

    from ...release.tables.dims import TOTAL as ALL

    names = list(dict.fromkeys(name for row in rows for name in row))
    index = pd.MultiIndex.from_tuples([tuple(row.get(name, ALL) for name in names) for row in rows], names=names)
    return pd.Series([float(value) for value in values], index=index)
