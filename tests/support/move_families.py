"""Every family of moves that applies to a block, and the random releases they are tried on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from hypothesis import assume
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.fiber.blocks.presolve import Block, Presolved, presolve
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.fiber.equations.lattice import integer_kernel
from fiberwalk.moves.bases.graver import graver_basis
from fiberwalk.moves.bases.known_bases import expand, known_basis
from fiberwalk.moves.families.adaptive_lattice import adaptive_lattice
from fiberwalk.moves.families.cycles import Cycles, cycles
from fiberwalk.moves.families.lattice import lattice_moves
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.margins import MarginMoves, margin_moves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import Move, MoveSet
from fiberwalk.moves.families.row_pairs import RowPairs, row_pairs
from fiberwalk.moves.families.short_cycles import short_cycles
from fiberwalk.moves.families.sub_tables import from_sets, grown_sets
from fiberwalk.moves.families.swaps import Swaps, swaps
from fiberwalk.moves.people.exchanges import exchanges
from fiberwalk.moves.people.repairs import repairs

TWO_WAY = ["A,B", "A,C", "B,C"]
DIMS = "ABCD"


def families(release: fw.Release, solved: Presolved, number: int) -> Iterator[MoveSet]:
    """All move sets that can be made for a block, whether or not the chooser would take them."""
    block = solved.blocks[number]
    found = components(release)
    if found is not None:
        yield from (one for one in (margin_moves(found, solved, number),) if one is not None)
        yield from (one for one in (margin_moves(found, solved, number, proven=False),) if one is not None)
    for make in (swaps, row_pairs, cycles, exchanges, partial(repairs, longest=3)):
        one = make(block)
        if one is not None:
            yield one
    around = cycles(block)
    if around is not None:
        short, pairs = short_cycles(around), row_pairs(block)
        yield short
        # what the chooser takes where cycles are too many to be listed
        if short.rows.shape[0]:
            yield Mixture((short, around), (0.95, 0.05))
        if pairs is not None:
            yield Mixture((pairs, around), (0.9, 0.1))
    lattice = integer_kernel(block.A)
    graver = graver_basis(lattice, block.upper - block.lower, 50_000_000)
    if graver is not None:
        yield Listed(graver, Certificate("connected", "Graver"))
    sums = lattice_moves(block)
    yield sums
    parts = from_sets(block, grown_sets(sums.vectors))
    if parts is not None:
        yield parts
    adaptive = adaptive_lattice(block)
    if adaptive is not None:
        yield adaptive


@st.composite
def margin_releases(draw, most_cells=36, dims=(2, 4)) -> fw.Release:
    """Complete tables of two to four dims with some of their margins, counts small and often zero."""
    n = draw(st.integers(*dims))
    shape: list[int] = []
    for left in range(n, 0, -1):
        room = most_cells // int(np.prod(shape, initial=1)) // 2 ** (left - 1)
        shape.append(draw(st.integers(2, max(2, min(room, 4)))))
    assume(np.prod(shape) <= most_cells)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.poisson(draw(st.sampled_from([0.3, 0.6, 1.0])), shape)
    sets = [",".join(one) for size in range(1, n) for one in combinations(DIMS[:n], size)]
    chosen = draw(st.lists(st.sampled_from(sets), min_size=1, max_size=6, unique=True))
    return fw.publish(table, chosen)


@st.composite
def holey_releases(draw) -> fw.Release:
    """Two- and three-way tables with hidden cells, some of them with bounds of their own."""
    shape = draw(st.sampled_from([(4, 4), (5, 5), (3, 6), (3, 3, 3), (2, 4, 4), (3, 3, 4), (2, 2, 3, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.poisson(draw(st.sampled_from([0.5, 1.0, 2.0])), shape)
    mask = rng.random(shape) < draw(st.sampled_from([0.5, 0.7, 0.9]))
    assume(mask.any())
    two_way = [",".join(one) for one in combinations(DIMS[: len(shape)], len(shape) - 1)]
    release = fw.suppress(table, where=mask, margins=two_way)
    for cell in rng.choice(np.argwhere(mask), draw(st.integers(0, 4))):
        named = {DIMS[a]: str(i + 1) for a, i in enumerate(cell)}
        value = int(table[tuple(cell)])
        if rng.random() < 0.5:
            release = release.knows(named, at_most=value + int(rng.integers(0, 2)))
        else:
            release = release.knows(named, at_least=max(0, value - int(rng.integers(0, 2))))
    return release


def small_blocks(release: fw.Release) -> tuple[Presolved, list[tuple[int, Block]]]:
    solved = presolve(release)
    return solved, list(enumerate(solved.blocks))


def rows_of(moves: MoveSet) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    listed = sp.csr_array(moves.listed())
    listed.sort_indices()
    ends = zip(listed.indptr[:-1], listed.indptr[1:], strict=True)
    return {(tuple(listed.indices[a:b].tolist()), tuple(listed.data[a:b].tolist())) for a, b in ends}


def normal(move: Move) -> tuple[tuple[int, ...], tuple[int, ...]]:
    order = np.argsort(move.columns)
    steps = move.steps[order]
    return tuple(move.columns[order].tolist()), tuple((steps * np.sign(steps[0])).tolist())


def check_protocol(moves: MoveSet, block: Block, random: np.ndarray, draws: int = 15) -> None:
    listed = sp.csr_array(moves.listed())
    assert listed.shape[1] == moves.n_columns == len(block.columns)
    assert not abs(block.A @ listed.T).sum()
    known = rows_of(moves)
    assert len(known) == listed.shape[0]
    # Redrawn sub-tables and sums of lattice vectors are more than any list; the others draw from their list.
    parts = moves.parts if isinstance(moves, Mixture) else (moves,)
    is_listed = all(type(one) in (Swaps, Cycles, RowPairs, Listed, MarginMoves) for one in parts)
    table = block.start
    for _ in range(draws):
        move = moves.draw(random, table)
        assert len(move.columns) == len(set(move.columns.tolist()))
        assert not (block.A @ (move.on(table) - table)).any()
        if len(move.columns) and is_listed:
            assert normal(move) in known
        if moves.makes_lines:
            low, high = move.range_on(table, block.lower, block.upper)
            assert low <= 0 <= high
            after = move.on(table, high if len(move.columns) else 0)
        else:
            after = move.on(table)
        assert (after >= block.lower).all()
        assert (after <= block.upper).all()
        table = after


def basis_of(shape):
    found = known_basis(shape, [(0, 1), (0, 2), (1, 2)])
    return expand(found.plus, found.minus, shape)
