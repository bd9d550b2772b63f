"""A release as an outsider reads it: published figures of cells and totals, some of them missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from .facts.contributions import checked
from .facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN, Applied
from .facts.statuses import RANDOM
from .files.publication import Figure, Publication
from .relations import with_relations
from .release import Release, unpublished
from .tables.dims import key_words

UNKNOWN_ROUNDING = Applied("rounding", "support only", "figures stand for ranges; how they were rounded is not said")
UNKNOWN_METHOD = Applied(
    "a random method that is not named", "support only", "figures went through a random method that is not said"
)
MISSING = ("error", "zero", "hidden")


def from_figures(publication: Publication) -> Release:
    """Put published figures together into a release, after checking that they can be one."""
    dims, figures, source = publication.dims, publication.figures, publication.source
    missing, decimals, tolerance = publication.missing, publication.decimals, publication.tolerance
    if missing not in MISSING:
        raise InputError(f"missing={missing!r}: it is one of {', '.join(MISSING)}.")
    if tolerance < 0:
        raise InputError("tolerance= must be at least 0.")
    release = unpublished(dims, decimals, source=source)
    n_leaves = [len(dim.labels) for dim in dims]
    cells = release.grids[0].cells
    seen: dict[tuple[int, ...], Figure] = {}
    for figure in figures:
        if figure.key in seen:
            raise InputError(
                f"{source}: {key_words(figure.key, dims)} is given twice ({seen[figure.key].where} and {figure.where})."
            )
        seen[figure.key] = figure
        _check_figure(release, figure, source)
    is_cell = {key: all(node < n for node, n in zip(key, n_leaves, strict=True)) for key in seen}
    given = {int(cells[key]): figure for key, figure in seen.items() if is_cell[key]}
    absent = np.setdiff1d(np.arange(release.n_cells), list(given))
    notes = []
    if len(absent):
        first = release.words(release.keys[absent[0]])
        if missing == "error":
            raise InputError(
                f"{source}: {len(absent)} of {release.n_cells} cells have no line, first {first}; say missing='zero' "
                "if empty cells are left out, or missing='hidden' if hidden ones are."
            )
        notes.append(f"{len(absent)} cells without a line are taken as {missing}, first {first}")

    lower, upper, value = release.lower.copy(), release.upper.copy(), release.value.copy()
    status = release.status.copy()
    truth = np.full(release.n_cells, NO_VALUE)
    random = {cell: figure.value for cell, figure in given.items() if figure.status == RANDOM}
    for cell, figure in given.items():
        if cell in random:
            continue
        rounded = figure.status == PUBLISHED and _is_range(figure)
        status[cell] = UNSHOWN if rounded else figure.status  # a rounded figure does not show the cell itself
        if figure.status == PUBLISHED or _is_range(figure):
            lower[cell], upper[cell] = _range(figure, 0)
        if figure.value is not None:
            if figure.status == PUBLISHED:
                value[cell] = figure.value
            if not rounded:
                truth[cell] = figure.value
    status[absent] = PUBLISHED if missing == "zero" else HIDDEN
    if missing == "zero":
        upper[absent] = value[absent] = truth[absent] = 0
    release = replace(release, lower=lower, upper=upper, value=value, status=status)
    contributors = _of_cells({cell: figure.contributors for cell, figure in given.items()}, release.n_cells)
    largest = _of_cells({cell: figure.largest for cell, figure in given.items()}, release.n_cells)

    totals = [(key, figure) for key, figure in seen.items() if not is_cell[key] and figure.status != RANDOM]
    random_sums = {
        key: figure.value
        for key, figure in seen.items()
        if not is_cell[key] and figure.status == RANDOM and figure.value is not None
    }
    rows = []
    for key, _ in totals:
        inside = cells[np.ix_(*(dim.leaves[node] for dim, node in zip(dims, key, strict=True)))].ravel()
        rows.append(inside)
    matrix = sp.csr_array(
        (
            np.ones(sum(map(len, rows)), np.int64),
            np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64),
            np.cumsum([0, *map(len, rows)]),
        ),
        shape=(len(rows), release.n_cells),
    )
    known = (truth != NO_VALUE).all()
    _check_sums(release, totals, matrix, truth, source, tolerance)
    told = np.array([i for i, (_, f) in enumerate(totals) if f.status == PUBLISHED or _is_range(f)], dtype=int)
    ranges = [_range(totals[i][1], tolerance) for i in told]
    release = release.with_facts(
        np.array([totals[i][0] for i in told], dtype=np.int64).reshape(-1, len(dims)),
        matrix[told],
        np.array([low for low, _ in ranges], dtype=np.int64),
        np.array([high for _, high in ranges], dtype=np.int64),
        np.array([NO_VALUE if totals[i][1].value is None or totals[i][1].status != PUBLISHED else totals[i][1].value
                  for i in told], dtype=np.int64),
    )  # fmt: skip
    asked = [key for key, figure in totals if figure.status != PUBLISHED]
    hidden = int(np.isin(release.status, (PRIMARY, HIDDEN)).sum())
    what = f"{hidden} of {release.n_cells} cells and {len(asked)} totals are withheld"
    notes.insert(0, f"{what} in {source}")
    applied = [Applied("suppression", "support only", what)] if hidden or asked else []
    if any(figure.status == PUBLISHED and _is_range(figure) for figure in figures):
        applied.append(UNKNOWN_ROUNDING)
    if random or random_sums:
        applied.append(UNKNOWN_METHOD)
        notes.append(f"{len(random)} cells and {len(random_sums)} totals are perturbed at random in {source}")
    if tolerance:
        notes.append(f"published totals may be {release.show(tolerance)} off the sum they stand for")
    whole = replace(
        release,
        asked=np.array(asked, dtype=np.int64).reshape(-1, len(dims)),
        truth=truth if known else None,
        flagged=True,
        contributors=contributors,
        largest=largest,
        notes=tuple(notes),
        applied=tuple(applied),
        figures=_of_cells(random, release.n_cells),
        sum_figures=random_sums,
    )
    return replace(with_relations(checked(whole, source), publication), protection=publication.protection)


def _of_cells(by_cell: dict[int, int | None], n_cells: int) -> np.ndarray | None:
    """Numbers that lines give for their cells, as an array over all cells; None where no line gives any."""
    values = np.full(n_cells, NO_VALUE)
    for cell, number in by_cell.items():
        if number is not None:
            values[cell] = number
    return values if (values != NO_VALUE).any() else None


def _check_figure(release: Release, figure: Figure, source: str) -> None:
    """Refuse a line that contradicts itself."""
    where = f"{source}, {figure.where}"
    if figure.status == RANDOM and (figure.value is None or _is_range(figure)):
        raise InputError(f"{where}: a perturbed figure is one number, without a range.")
    if figure.value is not None and figure.value < 0 and figure.status != RANDOM:
        raise InputError(f"{where}: {release.show(figure.value)} is negative.")
    if _is_range(figure):
        low, high = _range(figure, 0)
        if low > high:
            raise InputError(f"{where}: the range from {release.show(low)} to {release.show(high)} is empty.")
        if figure.value is not None and not low <= figure.value <= high:
            raise InputError(f"{where}: the value is not in its own range, which {release.between(low, high)}.")


def _is_range(figure: Figure) -> bool:
    return figure.lower is not None or figure.upper is not None


def _range(figure: Figure, tolerance: int) -> tuple[int, int]:
    """The lowest and the highest value that a line allows its cell or sum."""
    if _is_range(figure):
        return max(0, figure.lower or 0), NO_LIMIT if figure.upper is None else figure.upper
    assert figure.value is not None
    return max(0, figure.value - tolerance), figure.value + tolerance


def _check_sums(
    release: Release,
    totals: Sequence[tuple[tuple[int, ...], Figure]],
    matrix: sp.csr_array,
    truth: np.ndarray,
    source: str,
    tolerance: int,
) -> None:
    """Refuse totals that do not add up, naming the first and by how much it is off."""
    known = (truth != NO_VALUE).astype(np.int64)
    complete = matrix @ known == np.diff(matrix.indptr)
    sums = matrix @ np.where(truth == NO_VALUE, 0, truth)
    wrong = []
    for i, (key, figure) in enumerate(totals):
        if not complete[i] or figure.value is None or _is_range(figure):
            continue
        if abs(int(sums[i]) - figure.value) > tolerance:
            wrong.append((key, figure, int(sums[i])))
    if wrong:
        key, figure, total = wrong[0]
        gap = figure.value - total  # type: ignore[operator]
        off = f"{release.show(abs(gap))} {'less' if gap > 0 else 'more'}"
        says = f"is {release.show(figure.value or 0)}, but its cells sum to {release.show(total)}, {off}"
        if figure.status != PUBLISHED:
            says = f"is withheld, and its cells sum to {off} than its figure"
        more = f" ({len(wrong)} totals do not add up)" if len(wrong) > 1 else ""
        raise InputError(
            f"{source}, {figure.where}: {release.words(key)} {says}{more}; correct it, or give tolerance= if totals are "
            "rounded."
        )
