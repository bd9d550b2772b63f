"""Computes the stored Markov bases of complete tables with 4ti2 and writes moves/known_bases.json.

    python bench/studies/known_bases.py [--seconds 120] [--done FOLDER] [--only NAME ...]

Needs the extra `fiberwalk[algebra]`. Each basis is reduced to one move of every orbit under exchange of the labels of a
dim and of dims alike. FOLDER may hold bases computed before, as markov_3x4x5_2.npy: all two-way margins of 3 x 4 x 5, a row
per move over the cells in C order. A model that takes longer than the given seconds is left out, and said. With --only,
models whose name holds none of the words keep what the file has.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from fiberwalk.base.errors import InputError
from fiberwalk.moves.bases.algebra import in_kernel, markov_basis, one_of_each_pair
from fiberwalk.moves.bases.known_bases import FORM, expand, images, same_model

FILE = Path(__file__).parents[2] / "moves" / "bases" / "known_bases.json"

AOKI_TAKEMURA = "Aoki and Takemura 2003 for any number of layers"


def every(n, size):
    return ["".join(map(str, axes)) for axes in combinations(range(n), size)]


FOUR_CYCLE = ["01", "12", "23", "03"]
MODELS = [
    # Not done in 90 seconds: 3x3x3x3 and 2x2x2x2x3 with all three-way margins, six binary dims with all four-way ones, and
    # the cycle of 3x3x3x3. Dims that are in the same margins, or in all, need no basis of their own (see part_bases.py).
    # shape, margins, the dim that may have any length
    ((3, 3, 5), every(3, 2), 2),
    ((3, 4, 4), every(3, 2), None),
    ((3, 4, 5), every(3, 2), None),
    ((2, 2, 2, 3), every(4, 2), None),
    ((2, 2, 2, 4), every(4, 2), None),
    ((2, 2, 3, 3), every(4, 2), None),
    ((2, 3, 3, 3), every(4, 3), None),
    ((2, 3, 3, 4), every(4, 3), None),
    ((2, 2, 2, 2, 2), every(5, 2), None),
    ((2, 2, 2, 2, 2), every(5, 3), None),
    # hierarchical models of four dims that do not fall apart: a cycle, and all two-way margins with a three-way one
    ((2, 3, 3, 3), FOUR_CYCLE, None),
    ((2, 4, 2, 4), FOUR_CYCLE, None),
    ((2, 2, 2, 8), FOUR_CYCLE, None),
    ((2, 2, 3, 3), ["012", "03", "13", "23"], None),
    ((2, 3, 3, 2), ["012", "03", "13", "23"], None),
    # graphical models of five binary dims that do not fall apart
    ((2, 2, 2, 2, 2), ["01", "12", "23", "34", "04"], None),
    ((2, 2, 2, 2, 2), ["02", "03", "04", "12", "13", "14"], None),
]


def name(shape, margins):
    return f"{'x'.join(map(str, shape))} {','.join(margins)}"


def equations(shape, margins):
    labels = np.indices(shape).reshape(len(shape), -1)
    rows = []
    for axes in margins:
        chosen = [int(axis) for axis in axes]
        for key in np.ndindex(*(shape[axis] for axis in chosen)):
            rows.append((labels[chosen] == np.array(key)[:, None]).all(axis=0))
    return np.array(rows, dtype=np.int64)


def computed(shape, margins, seconds, done):
    """The moves, or None and why not."""
    A = equations(shape, margins)
    sizes = {len(axes) for axes in margins}
    if done is not None and len(sizes) == 1 and margins == every(len(shape), size := sizes.pop()):
        path = done / f"markov_{'x'.join(map(str, shape))}_{size}.npy"
        if path.exists():
            moves = one_of_each_pair(np.load(path).astype(np.int64))
            if not in_kernel(one_of_each_pair(A), moves):
                raise ValueError(f"{path} has moves that change a margin")
            return moves, "taken from a file"
    try:
        answer = markov_basis(A, max_seconds=seconds, most_volume=math.inf)
    except InputError as reason:
        return None, str(reason)
    return answer.moves, answer.words


def as_cells(move, shape):
    """Two arrays of cells."""
    cells = np.indices(shape).reshape(len(shape), -1).T
    return np.repeat(cells, np.maximum(move, 0), axis=0), np.repeat(cells, np.maximum(-move, 0), axis=0)


def orbits(moves, shape, margins):
    """A representative of every orbit, and how many moves the orbits have together."""
    sets = frozenset(frozenset(map(int, axes)) for axes in margins)
    orders = [order for order in same_model(sets, sets, len(shape)) if tuple(shape[axis] for axis in order) == shape]
    covered, found, total = set(), [], 0
    for move in moves.toarray().astype(np.int8):
        if move.tobytes() in covered:
            continue
        pairs = images([as_cells(move, shape)], orders)
        orbit = expand([one for one, _ in pairs], [other for _, other in pairs], shape).toarray().astype(np.int8)
        covered.update(row.tobytes() for row in orbit)
        total += len(orbit)
        found.append(min(pairs, key=lambda pair: (len(pair[0]), np.concatenate(pair).tolist())))
    found.sort(key=lambda pair: (len(pair[0]), np.concatenate(pair).tolist()))
    return found, total


def text(cells):
    return " ".join("".join(map(str, cell)) for cell in cells.tolist())


def entry(shape, margins, any_length, found, total):
    reason = f"Markov basis of {' x '.join(map(str, shape))} computed by 4ti2"
    return {
        "shape": list(shape),
        "margins": margins,
        **({} if any_length is None else {"any_length": any_length}),
        "reason": reason if any_length is None else f"{reason}, and by {AOKI_TAKEMURA}",
        "moves": total,
        "representatives": [{"plus": text(one), "minus": text(other)} for one, other in found],
    }


def written(entries):
    """JSON with a line for each representative."""
    blocks = []
    for one in entries:
        head = json.dumps({key: value for key, value in one.items() if key != "representatives"})[:-1]
        lines = ",\n".join(f"   {json.dumps(pair)}" for pair in one["representatives"])
        blocks.append(f'  {head}, "representatives": [\n{lines}]}}')
    about = "Representatives of Markov bases, written by bench/studies/known_bases.py; a cell is its labels, digit by digit."
    return f'{{"about": {json.dumps(about)},\n "form": {FORM},\n "bases": [\n' + ",\n".join(blocks) + "\n ]}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--done", type=Path)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    stored = json.loads(FILE.read_text()) if FILE.exists() else {}
    before = stored["bases"] if stored.get("form") == FORM else []
    known = {name(one["shape"], one["margins"]): one for one in before}
    entries = []
    for shape, margins, any_length in MODELS:
        called = name(shape, margins)
        if options.only is not None and not any(word in called for word in options.only):
            entries += [known[called]] if called in known else []
            continue
        start = time.perf_counter()
        moves, words = computed(shape, margins, options.seconds, options.done)
        middle = time.perf_counter()
        if moves is None:
            print(f"{called}: left out: {words}", flush=True)
            continue
        found, total = orbits(moves, shape, margins)
        entries.append(entry(shape, margins, any_length, found, total))
        degree = max(len(one) for one, _ in found)
        print(
            f"{called}: {moves.shape[0]:,} moves in {middle - start:.1f} s ({words}), {len(found)} orbits with {total:,} "
            f"in {time.perf_counter() - middle:.1f} s, degree at most {degree}",
            flush=True,
        )
    FILE.write_text(written(entries))
    print(f"{len(entries)} bases, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
