"""R1 and R2: the risk of a table as a whole (Antal, Shlomo and Elliot; ASE15, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from .entropy_of_tables import Compared, compared
from .table_arrays.table_shapes import Tables, arranged
from .table_arrays.weighting import together

WEIGHTS = (0.1, 0.8, 0.1)
TERMS = ("zeros", "entropy", "size")


def r1(F: Any, weights: Any = WEIGHTS, *, stacked: bool = False, by: Any = None) -> Any:
    """R1: the disclosure risk of a table of counts as a whole, between 0 and 1 (ASE15, formula 3).

    A weighted mean of three terms: the share of cells that are zero, |D|/K; how far people are from being spread evenly,
    1 - H(X)/ln K; and how few they are, (1 + ln sqrt N)/sqrt N. Logarithms are natural.

    Conventions: in a table of one cell everybody is in the same cell, so that the second term is 1. A total below 1, of a
    table of shares, is taken as 1 in the third. A table that sums to 0 is an error; with `by`, a category that nobody is in
    has no risk (not a number).

    Parameters
    ----------
    F
        The table, in any form; an array of any shape is one table.
    weights
        Of the three terms, at least 0 and summing to 1; or "l2": the root of the mean of the squared terms instead.
    stacked
        The first axis is the tables: an array with a risk for each comes back.
    by
        A dim (its name, or the number of its axis), or a list of dims: each of their categories is a table by itself, and
        has a risk. by="A" gives one for each row of a two-way table. Of a labelled table, a DataArray.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> table = fw.examples.ase15().table
    >>> round(fw.risk.r1(table), 6)
    0.231461
    >>> fw.risk.r1(table, by="area").round(3).values[:3].tolist()
    [0.463, 0.497, 0.394]
    """
    return _risk(arranged(F, stacked=stacked, by=by), weights)


def r2(F: Any, G: Any, weights: Any = WEIGHTS, *, stacked: bool = False, by: Any = None, sampled: bool = False) -> Any:
    """R2: the disclosure risk of a table of which a sample, or a protected version, is published (ASE15, formula 4).

    As R1, with two terms made smaller by what G hides: the share of zeros becomes (|D|/K)^(|D u E| / |D n E|), D and E being
    the zeros of F and of G, or 0 where they share none; the second term is multiplied by 1 - H(X|Y)/H(X), the share of the
    entropy of F that G takes away (see `conditional_entropy`). The third is that of F. So R2(F, F) = R1(F).

    Conventions: where everybody is in one cell of F, H(X) = 0, G takes away all there is, and the share is 1. Neither table
    may be empty; with `by`, a category that nobody is in, in either table, has no risk (not a number).

    Parameters
    ----------
    F
        The original table, such as the population.
    G
        What is published of it: a sample, or a perturbed table; its total may differ.
    weights, by
        As for `r1`.
    stacked
        The first axis is the tables. F or G may also be one table, which then belongs to all of the other.
    sampled
        Check that G can be a sample of F, which has at least as many people in every cell.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> table = fw.examples.ase15().table
    >>> round(fw.risk.r2(table, table // 10), 6)
    0.190427
    """
    tables = arranged(F, G, stacked=stacked, by=by)
    if sampled:
        _refuse_no_sample(tables)
    return _risk(tables, weights)


def _risk(tables: Tables, weights: Any) -> Any:
    combine = together(weights, TERMS)
    return tables.told(combine(terms_given(compared(tables), tables.cells)))


def terms_given(comparison: Compared, cells: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three terms of R2; those of R1 where a table was compared with itself."""
    return (
        shared_zeros(comparison.zeros, comparison.all_zeros, comparison.shared_zeros, cells),
        concentration(comparison.entropy, cells)
        * _share(comparison.entropy - comparison.conditional, comparison.entropy),
        fewness(comparison.total),
    )


def shared_zeros(zeros: np.ndarray, all_zeros: np.ndarray, shared: np.ndarray, cells: int) -> np.ndarray:
    """(|D|/K)^(|D u E| / |D n E|), 0 where no zero is shared."""
    power = np.divide(all_zeros, shared, out=np.ones(len(zeros)), where=shared > 0)
    return np.where(shared > 0, (zeros / cells) ** power, 0.0)


def concentration(entropy: np.ndarray, cells: Any) -> np.ndarray:
    """1 - H/ln K; 1 where there is one cell."""
    most = np.log(np.broadcast_to(cells, entropy.shape))
    return 1 - np.divide(entropy, most, out=np.zeros(len(entropy)), where=most > 0)


def fewness(total: np.ndarray) -> np.ndarray:
    """-1/sqrt N ln(1/(e sqrt N)): 1 for one person or a part of one, and less for more; not a number for nobody."""
    root = np.sqrt(np.where(total > 0, np.maximum(total, 1.0), np.nan))
    return (1 + np.log(root)) / root


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part of the whole; all of it where the whole is nothing."""
    return np.divide(part, whole, out=np.ones(len(whole)), where=whole != 0)


def _refuse_no_sample(tables: Tables) -> None:
    """Refuse a G that has more in a cell than F, or more in all."""
    for rows, pair in tables.blocks():
        population, sample = tables.aligned(pair, rows)
        larger = np.flatnonzero(sample.sum(axis=1) > population.sum(axis=1))
        if len(larger):
            which = f" (table {rows.start + larger[0] + 1})" if tables.number > 1 else ""
            n, m = (f"{table[larger[0]].sum():.12g}" for table in (population, sample))
            raise InputError(f"the sample G sums to {m} and the population F to {n}{which}: a sample is no larger.")
        above = np.argwhere(sample > population)
        if len(above):
            row, cell = (int(i) for i in above[0])
            raise InputError(
                f"the sample G has {sample[row, cell]:.12g} in cell {tables.cell_words(rows.start + row, cell)}, and the "
                f"population F {population[row, cell]:.12g}: G is no sample of F."
            )
