"""A release as an outsider reads it: published figures of cells and totals, some of them missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from ..base.numbers import scaled
from .facts.contributions import checked
from .facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN, Applied
from .facts.statuses import RANDOM
from .files.publication import Figure, Publication
from .relations import with_relations
from .release import Release, known_beforehand, unpublished
from .tables.beforehand import WHAT_TO_STATE, beforehand
from .tables.dims import Dim, key_words

UNKNOWN_ROUNDING = Applied("rounding", "support only", "figures stand for ranges; how they were rounded is not said")
UNKNOWN_METHOD = Applied(
    "a random method that is not named", "support only", "figures went through a random method that is not said"
)
MISSING = ("error", "zero", "hidden")

Key = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Lines:
    """The figures of a publication by what they are about, those that went through a random method apart."""

    cells: dict[int, Figure]
    absent: np.ndarray
    """Cells that no line is about."""
    totals: list[tuple[Key, Figure]]
    random: dict[int, int | None]
    random_totals: dict[Key, int]

    @property
    def asked(self) -> list[Key]:
        """Totals that have a line and no figure."""
        return [key for key, figure in self.totals if figure.status != PUBLISHED]

    @property
    def asked_primary(self) -> list[Key]:
        """Those of them that are primary."""
        return [key for key, figure in self.totals if figure.status == PRIMARY]


def from_figures(publication: Publication) -> Release:
    """Put published figures together into a release, after checking that they can be one."""
    _check_options(publication)
    release = unpublished(publication.dims, publication.decimals, source=publication.source)
    lines = _sorted_lines(release, publication)
    release = _known_beforehand(release, lines, publication)
    release, truth = _with_cells(release, lines, publication)
    release = _with_totals(release, lines.totals, truth, publication)
    whole = replace(
        release,
        asked=np.array(lines.asked, dtype=np.int64).reshape(-1, len(publication.dims)),
        asked_primary=np.array(lines.asked_primary, dtype=np.int64).reshape(-1, len(publication.dims)),
        truth=truth if (truth != NO_VALUE).all() else None,
        flagged=True,
        contributors=_of_cells({cell: line.contributors for cell, line in lines.cells.items()}, release.n_cells),
        largest=_of_cells({cell: line.largest for cell, line in lines.cells.items()}, release.n_cells),
        second=_of_cells({cell: line.second for cell, line in lines.cells.items()}, release.n_cells),
        notes=(*release.notes, *_notes(release, lines, publication)),
        applied=_applied(release, lines, publication.figures),
        figures=_of_cells(lines.random, release.n_cells),
        sum_figures=lines.random_totals,
    )
    return replace(with_relations(checked(whole, publication.source), publication), protection=publication.protection)


def _check_options(publication: Publication) -> None:
    if publication.missing not in MISSING:
        raise InputError(f"missing={publication.missing!r}: it is one of {', '.join(MISSING)}.")
    if publication.slack < 0:
        raise InputError("slack= must be at least 0.")


def _sorted_lines(release: Release, publication: Publication) -> _Lines:
    """Every line in its place; refuses lines that contradict themselves or each other, and cells without a line."""
    dims, source, signed = publication.dims, publication.source, _signed(publication)
    seen: dict[Key, Figure] = {}
    for figure in publication.figures:
        if figure.key in seen:
            raise InputError(
                f"{source}: {key_words(figure.key, dims)} is given twice ({seen[figure.key].where} and {figure.where}); if "
                "these are records of people or firms, count them first (fw.table, or fiberwalk tabulate)."
            )
        seen[figure.key] = figure
        _check_figure(release, figure, source, signed)
    number, cells, totals = release.grids[0].cells, {}, []
    for key, figure in seen.items():
        if _is_cell(figure, dims):
            cells[int(number[key])] = figure
        else:
            totals.append((key, figure))
    absent = np.setdiff1d(np.arange(release.n_cells), list(cells))
    if len(absent) and publication.missing == "error":
        raise InputError(
            f"{source}: {len(absent)} of {release.n_cells} cells have no line, first "
            f"{release.words(release.keys[absent[0]])}; say missing='zero' if empty cells are left out, or "
            "missing='hidden' if hidden ones are."
        )
    return _Lines(
        cells=cells,
        absent=absent,
        totals=[(key, figure) for key, figure in totals if figure.status != RANDOM],
        random={cell: figure.value for cell, figure in cells.items() if figure.status == RANDOM},
        random_totals={k: f.value for k, f in totals if f.status == RANDOM and f.value is not None},
    )


def _known_beforehand(release: Release, lines: _Lines, publication: Publication) -> Release:
    """The release with what is stated of all cells beforehand, or with what its file tells of those that may be negative."""
    truth = _true_values(release.n_cells, lines, publication.missing)
    known = beforehand(
        publication.known, truth, truth != NO_VALUE, release.decimals,
        lambda cell: release.words(release.keys[cell]), NO_LIMIT,
    )  # fmt: skip
    if known is not None:
        return known_beforehand(release, known)
    if not _signed(publication):
        return release
    return replace(
        release,
        lower=np.full(release.n_cells, -NO_LIMIT),
        beforehand=f"cells may be negative, within the limits that {publication.source} tells",
    )


def _signed(publication: Publication) -> bool:
    """May cells be negative, by what is stated of all or by a line of the file?"""
    at_least, _, known_within = publication.known
    if known_within is not None or (at_least is not None and scaled(at_least, publication.decimals, "at_least=") < 0):
        return True
    return any(_opens(figure) for figure in publication.figures if _is_cell(figure, publication.dims))


def _is_cell(figure: Figure, dims: Sequence[Dim]) -> bool:
    return all(node < len(dim.labels) for node, dim in zip(figure.key, dims, strict=True))


def _opens(figure: Figure) -> bool:
    """Does a line say that its cell may be negative? A published figure of counts may lie near 0, and its range below it."""
    below_zero = figure.lower is not None and figure.lower < 0
    return below_zero and (figure.status in (PRIMARY, HIDDEN) or figure.value is None or figure.value < 0)


def _true_values(n_cells: int, lines: _Lines, missing: str) -> np.ndarray:
    """The true values of cells, as far as the lines tell them: a rounded figure does not."""
    truth = np.full(n_cells, NO_VALUE)
    for cell, figure in lines.cells.items():
        if figure.value is not None and cell not in lines.random and not _is_rounded(figure):
            truth[cell] = figure.value
    if missing == "zero":
        truth[lines.absent] = 0
    return truth


def _with_cells(release: Release, lines: _Lines, publication: Publication) -> tuple[Release, np.ndarray]:
    """What the lines say of single cells; and their true values, as far as these are told."""
    missing, value, status = publication.missing, release.value.copy(), release.status.copy()
    truth = _true_values(release.n_cells, lines, missing)
    for cell, figure in lines.cells.items():
        if cell in lines.random:
            continue
        status[cell] = UNSHOWN if _is_rounded(figure) else figure.status  # it does not show the cell itself
        if figure.value is not None and figure.status == PUBLISHED:
            value[cell] = figure.value
    status[lines.absent] = PUBLISHED if missing == "zero" else HIDDEN
    if missing == "zero":
        value[lines.absent] = 0
    lower, upper = _limits(release.lower, release.upper, lines, missing)
    told = None if release.told is None else _limits(*release.told, lines, missing)
    told_release = replace(release, lower=lower, upper=upper, value=value, status=status, told=told)
    _check_limits(told_release, lines, publication.source)
    return told_release, truth


def _limits(least: np.ndarray, most: np.ndarray, lines: _Lines, missing: str) -> tuple[np.ndarray, np.ndarray]:
    """Between what the lines leave each cell, which lies between some limits anyway."""
    lower, upper = least.copy(), most.copy()
    for cell, figure in lines.cells.items():
        if cell not in lines.random and (figure.status == PUBLISHED or _is_range(figure)):
            low, high = _range(figure, 0, int(least[cell]))
            lower[cell], upper[cell] = low, min(high, int(most[cell]))
    if missing == "zero":
        lower[lines.absent] = upper[lines.absent] = 0
    return lower, upper


def _check_limits(release: Release, lines: _Lines, source: str) -> None:
    """Refuse what is said of all cells where it leaves one nothing, and a cell that may be as low as can be."""
    for cell in np.flatnonzero((release.lower > release.upper) | (release.lower <= -NO_LIMIT)):
        figure = lines.cells.get(int(cell))
        where = f"{source}, {figure.where}" if figure is not None else source
        named = release.words(release.keys[cell])
        if release.lower[cell] > release.upper[cell]:
            raise InputError(f"{where}: the range of {named} and what is said of all cells leave no value.")
        raise InputError(f"{where}: {named} has no lower limit, and cells may be negative: {WHAT_TO_STATE}.")


def _with_totals(
    release: Release, totals: Sequence[tuple[Key, Figure]], truth: np.ndarray, publication: Publication
) -> Release:
    """What the lines say of sums, after checking that they add up."""
    matrix = _sums(release, [key for key, _ in totals])
    _check_sums(release, totals, matrix, truth, publication.source, publication.slack)
    told = [i for i, (_, figure) in enumerate(totals) if figure.status == PUBLISHED or _is_range(figure)]
    figures = [totals[i][1] for i in told]
    least = -NO_LIMIT if release.signed else 0
    ranges = [_range(figure, publication.slack, least) for figure in figures]
    shown = [NO_VALUE if f.value is None or f.status != PUBLISHED else f.value for f in figures]
    return release.with_facts(
        np.array([totals[i][0] for i in told], dtype=np.int64).reshape(-1, len(publication.dims)),
        matrix[np.array(told, dtype=int)],
        np.array([low for low, _ in ranges], dtype=np.int64),
        np.array([high for _, high in ranges], dtype=np.int64),
        np.array(shown, dtype=np.int64),
    )


def _sums(release: Release, keys: Sequence[Key]) -> sp.csr_array:
    """[sum, cell]: 1 where a sum has a cell."""
    cells = release.grids[0].cells
    rows = [
        cells[np.ix_(*(dim.leaves[node] for dim, node in zip(release.dims, key, strict=True)))].ravel() for key in keys
    ]
    return sp.csr_array(
        (
            np.ones(sum(map(len, rows)), np.int64),
            np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64),
            np.cumsum([0, *map(len, rows)]),
        ),
        shape=(len(rows), release.n_cells),
    )


def _withheld(release: Release, lines: _Lines) -> tuple[int, str]:
    """How many cells and totals are withheld, as a number and in words."""
    hidden = int(np.isin(release.status, (PRIMARY, HIDDEN)).sum())
    words = f"{hidden} of {release.n_cells} cells and {len(lines.asked)} totals are withheld"
    return hidden + len(lines.asked), words


def _notes(release: Release, lines: _Lines, publication: Publication) -> tuple[str, ...]:
    """What a reader of the release should know of its figures."""
    source, absent = publication.source, lines.absent
    notes = [f"{_withheld(release, lines)[1]} in {source}"]
    if len(absent):
        first = release.words(release.keys[absent[0]])
        notes.append(f"{len(absent)} cells without a line are taken as {publication.missing}, first {first}")
    if lines.random or lines.random_totals:
        numbers = f"{len(lines.random)} cells and {len(lines.random_totals)} totals"
        notes.append(f"{numbers} are perturbed at random in {source}")
    if publication.slack:
        notes.append(f"published totals may be {release.show(publication.slack)} off the sum they stand for")
    return tuple(notes)


def _applied(release: Release, lines: _Lines, figures: Sequence[Figure]) -> tuple[Applied, ...]:
    """The methods that the figures show to have been at work."""
    number, words = _withheld(release, lines)
    applied = [Applied("suppression", "support only", words)] if number else []
    if any(figure.status == PUBLISHED and _is_range(figure) for figure in figures):
        applied.append(UNKNOWN_ROUNDING)
    if lines.random or lines.random_totals:
        applied.append(UNKNOWN_METHOD)
    return tuple(applied)


def _of_cells(by_cell: dict[int, int | None], n_cells: int) -> np.ndarray | None:
    """Numbers that lines give for their cells, as an array over all cells; None where no line gives any."""
    values = np.full(n_cells, NO_VALUE)
    for cell, number in by_cell.items():
        if number is not None:
            values[cell] = number
    return values if (values != NO_VALUE).any() else None


def _check_figure(release: Release, figure: Figure, source: str, signed: bool) -> None:
    """Refuse a line that contradicts itself."""
    where = f"{source}, {figure.where}"
    if figure.status == RANDOM and (figure.value is None or _is_range(figure)):
        raise InputError(f"{where}: a perturbed figure is one number, without a range.")
    if figure.value is not None and figure.value < 0 and figure.status != RANDOM and not signed:
        raise InputError(f"{where}: {release.show(figure.value)} is negative; {WHAT_TO_STATE}.")
    if _is_range(figure):
        low, high = _range(figure, 0, -NO_LIMIT if signed else 0)
        if low > high:
            raise InputError(f"{where}: the range from {release.show(low)} to {release.show(high)} is empty.")
        if figure.value is not None and not low <= figure.value <= high:
            raise InputError(f"{where}: the value is not in its own range, which {release.between(low, high)}.")


def _is_range(figure: Figure) -> bool:
    return figure.lower is not None or figure.upper is not None


def _is_rounded(figure: Figure) -> bool:
    return figure.status == PUBLISHED and _is_range(figure)


def _range(figure: Figure, slack: int, least: int) -> tuple[int, int]:
    """The lowest and the highest value that a line allows its cell or sum, which is no less than some value anyway."""
    if _is_range(figure):
        low = least if figure.lower is None else max(least, figure.lower)
        return low, NO_LIMIT if figure.upper is None else figure.upper
    assert figure.value is not None
    return max(least, figure.value - slack), figure.value + slack


def _check_sums(
    release: Release,
    totals: Sequence[tuple[Key, Figure]],
    matrix: sp.csr_array,
    truth: np.ndarray,
    source: str,
    slack: int,
) -> None:
    """Refuse totals that do not add up, naming the first and by how much it is off."""
    known = (truth != NO_VALUE).astype(np.int64)
    complete = matrix @ known == np.diff(matrix.indptr)
    sums = matrix @ np.where(truth == NO_VALUE, 0, truth)
    wrong = []
    for i, (key, figure) in enumerate(totals):
        if not complete[i] or figure.value is None or _is_range(figure):
            continue
        if abs(int(sums[i]) - figure.value) > slack:
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
            f"{source}, {figure.where}: {release.words(key)} {says}{more}; correct it, or give slack= if totals are "
            "rounded."
        )
