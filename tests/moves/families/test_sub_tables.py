"""Sub-tables redrawn as a whole: evenly, and given up alike from both ends."""

from __future__ import annotations

import numpy as np
from support.move_families import TWO_WAY

import fiberwalk as fw
from fiberwalk.base.random_streams import below, streams
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.solvers.every_table import draw_table, every_table, prepare
from fiberwalk.moves.families.sub_tables import SubTables


def test_sub_tables_are_redrawn_evenly():
    release = fw.publish([[2, 1, 0], [0, 2, 1], [1, 0, 2]], ["A", "B"])
    block = presolve(release).blocks[0]
    search = prepare(block.A)
    tables = every_table(block.A, block.b, block.lower, block.upper, 1000)
    place = {tuple(row): k for k, row in enumerate(tables.tolist())}
    random, out = streams(1, 1)[0], np.empty(9, dtype=np.int64)
    counts = np.zeros(len(tables))
    arguments = (search, block.b, block.lower, block.upper)
    for _ in range(200 * len(tables)):
        assert draw_table(*arguments, 10**6, random, out) == len(tables)
        counts[place[tuple(out.tolist())]] += 1
    from scipy.stats import chisquare

    assert chisquare(counts).pvalue > 1e-6
    assert draw_table(*arguments, 5, random, out) == 0  # given up


def test_sub_tables_give_up_alike_from_both_ends():
    """Whether a search is given up depends only on what is the same before and after."""
    rng = np.random.default_rng(5)
    release = fw.publish(rng.poisson(6, (3, 3, 3)), TWO_WAY)
    block = presolve(release).blocks[0]
    from fiberwalk.moves.families import sub_tables

    parts = sub_tables.from_sets(block, sub_tables.boxes(np.argwhere(np.ones((3, 3, 3)))))
    assert isinstance(parts, SubTables)
    random, table, kept = streams(2, 1)[0], block.start, 0
    for _ in range(300):
        which = below(random, len(parts.arrays.n_rows))
        out = np.empty(len(parts.columns_of(which)), dtype=np.int64)
        number = sub_tables.redraw(parts.arrays, which, 200, table, random, out)
        after = table.copy()
        after[parts.columns_of(which)] = out
        assert (block.A @ after == block.b).all()
        assert sub_tables.redraw(parts.arrays, which, 200, after, random, out) == number
        kept += number == 0
        table = after
    assert 0 < kept < 300
