"""Cell suppression: some cells are withheld, everything else is published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...release.facts.facts import HIDDEN, PRIMARY, Applied
from ...release.facts.knowledge import RULE_OF_COUNTS, Rule
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim, Margin, key_words
from ...release.tables.tables import as_table, cell_mask, key_of


def suppress(
    table: Any,
    where: Any = None,
    *,
    rule: str | None = None,
    rule_known: bool = False,
    flags: bool = False,
    zeros_hidden: bool = False,
    margins: Iterable[Any] | None = None,
) -> Release:
    """Publish every cell but those that are withheld (cell suppression), and every margin.

    Parameters
    ----------
    table
        Any form of table that `publish` takes.
    where
        The cells to withhold: a boolean table (`table < 3`), a function of the table, or a list of cells as
        {dim: label}; a listed cell that leaves dims out is a total, and that total is withheld.
    rule
        A threshold such as "< 3": the cells it hits are withheld as primary, those of `where` as secondary.
        Zeros are published unless `zeros_hidden`.
    rule_known
        The intruder knows the rule. With `flags` the publication also shows which cells are primary, and she
        bounds these to the rule's range. Without flags nobody can tell which are; an audit then gives both readings.
    margins
        The margins to publish (all of them, at every level, when left out).
    flags, zeros_hidden
        Of the rule: see `rule_known` and `rule`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=[{"A": "1", "B": "2"}, {"A": "2", "B": "1"}])
    <Release of A, B (3 x 3): 9 cells, 4 hidden, 7 known sums, with its truth>
    """
    if where is None and rule is None:
        raise InputError("suppress() needs where= (which cells to withhold) or rule= (such as '< 3').")
    if (rule_known or flags or zeros_hidden) and rule is None:
        raise InputError("rule_known=, flags= and zeros_hidden= go with rule=.")
    if flags and not rule_known:
        raise InputError("flags= says what an intruder who knows the rule can see: give rule_known=True with it.")
    labelled = as_table(table, profits=True)
    primary = np.zeros(labelled.values.shape, dtype=bool)
    parsed = None
    if rule is not None:
        if labelled.signed:
            raise InputError(RULE_OF_COUNTS)
        parsed = Rule.parse(rule, zeros_hidden=zeros_hidden, decimals=labelled.decimals)
        primary = (labelled.values >= parsed.lower) & (labelled.values <= parsed.upper)
    cells, totals = _split(where, labelled.dims)
    hidden = primary | (cell_mask(cells, labelled) if cells is not None else False)
    if not hidden.any() and not totals:
        raise InputError("no cell is withheld: the condition hits none.")
    published = parse_margins(margins, labelled.dims)
    refuse_cells_as_margin(published, labelled.dims)
    release = of_table(labelled)
    refuse_everything(release, primary.ravel(), f"rule {rule!r}")
    release = publish_margins(
        replace(with_withheld(release, hidden.ravel(), primary.ravel()), flagged=flags),
        published,
        withheld=totals,
    )
    words = f"{int(hidden.sum())} of {hidden.size} cells are withheld" + (f" (rule {rule!r})" if rule else "")
    if totals:
        words += f", and {len(totals)} totals, first {key_words(totals[0], labelled.dims)}"
    # Whoever knows the rule and sees what it hid is told no more; how further cells were chosen may tell more than is used.
    plain = parsed is not None and rule_known and flags and where is None
    likelihood = "exact" if plain else "support only"
    release = replace(release, notes=(*release.notes, words), applied=(Applied("suppression", likelihood, words),))
    if rule_known and parsed is not None:
        release = release.knows_rule(parsed, flags=flags)
    return release


def refuse_cells_as_margin(margins: Iterable[Margin], dims: Sequence[Dim]) -> None:
    """Refuse a margin that sums over nothing: it is the cells themselves, those to be withheld among them."""
    finest = tuple(dim.name for dim in dims)
    if finest in margins:
        raise InputError(
            f"margins= has {','.join(finest)!r}, which are the cells themselves: it would publish what is to be withheld; "
            "leave it out."
        )


def refuse_everything(release: Release, primary: np.ndarray, rule_words: str) -> None:
    """Refuse a rule or condition that calls every cell sensitive."""
    if primary.all():
        raise InputError(
            f"{rule_words} hides everything, from cell {release.words(release.keys[0])} to "
            f"{release.words(release.keys[-1])}: no cell is left to publish; choose a weaker rule, merge categories, or "
            "publish() margins only."
        )


def with_withheld(release: Release, hidden: np.ndarray, primary: np.ndarray) -> Release:
    """A release of its own true cells but the hidden ones, of which some are primary."""
    if release.truth is None:
        raise InputError("cells can only be published from a table whose cells are known.")
    shown = np.flatnonzero(~hidden)
    figures = release.truth[shown]
    release = release.with_facts(release.keys[shown], release.picked(shown), figures, figures, figures)
    status = release.status.copy()
    status[hidden] = HIDDEN
    status[primary] = PRIMARY
    return replace(release, status=status)


def _split(where: Any, dims: Any) -> tuple[Any, list[tuple[int, ...]]]:
    """The condition on cells, and the totals a list of cells names."""
    if isinstance(where, Mapping):
        where = [where]
    if not isinstance(where, (list, tuple)) or not all(isinstance(cell, Mapping) for cell in where):
        return where, []
    keys = [key_of(cell, dims) for cell in where]
    is_cell = [all(node < len(dim.labels) for node, dim in zip(key, dims, strict=True)) for key in keys]
    cells = [cell for cell, finest in zip(where, is_cell, strict=True) if finest]
    return cells or None, [key for key, finest in zip(keys, is_cell, strict=True) if not finest]
