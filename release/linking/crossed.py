"""Linked releases as margins of one table that crosses all their dims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ..facts.choice import Choice, joined_tallies
from ..facts.facts import NO_LIMIT, NO_VALUE, Evidence
from ..release import Release, unpublished
from ..shared_draws import seen_once
from ..tables.dims import Dim


def crossed(tables: Sequence[Release], dims: tuple[Dim, ...]) -> Release:
    """Every table as a margin of the one table that crosses all dims."""
    whole = unpublished(dims, tables[0].decimals)
    asked, primary = (
        np.unique(np.concatenate(keys), axis=0)
        for keys in ([table.asked for table in tables], [table.asked_primary for table in tables])
    )
    whole = replace(whole, asked=asked, asked_primary=primary)
    evidence: list[Evidence] = []
    choices: list[Choice] = []
    for table in tables:
        if table.own.any():
            raise InputError("linked(full=True) takes releases without own=; add that afterwards.")
        cells = sp.csr_array(sp.vstack([whole.row(key) for key in table.keys]))
        bounded = np.flatnonzero((table.lower > 0) | (table.upper < NO_LIMIT))
        whole = whole.with_facts(
            table.keys[bounded], cells[bounded], table.lower[bounded], table.upper[bounded], table.value[bounded]
        )
        facts = table.sums
        whole = whole.with_facts(
            facts.keys, facts.matrix @ cells, facts.lower, facts.upper, facts.value, facts.words, facts.stated
        )
        choices += [choice.over(cells) for choice in table.choices]
        evidence += [_crossed_evidence(item, cells) for item in table.evidence]
    kept = seen_once(evidence, whole)
    figures = {
        tuple(item.key.tolist()): item.figure for item in kept if item.key is not None and item.figure != NO_VALUE
    }
    of_cells = np.array([figures.pop(tuple(key), NO_VALUE) for key in whole.keys.tolist()], dtype=np.int64)
    return replace(
        whole, evidence=kept, figures=of_cells if (of_cells != NO_VALUE).any() else None, sum_figures=figures,
        choices=tuple(choices), tallies=joined_tallies((table.choices, table.tallies) for table in tables),
    )  # fmt: skip


def _crossed_evidence(item: Evidence, cells: Any) -> Evidence:
    """Evidence on cells of one table, as evidence on those sums of the crossed table that the cells are."""
    row = sp.csr_array(sp.csr_array(item.coefficients[None, :]) @ cells[item.cells])
    return replace(item, cells=row.indices.astype(np.int64), coefficients=row.data.astype(np.int64))
