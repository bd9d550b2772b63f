"""The R-U map of Duncan and others (2001), section 5, redrawn.

python bench/studies/ru_map_picture.py        writes docs/ru_map.png

The upper left cell of a 2 x 2 square is 1. Markov perturbation published it as 3, by three values of theta; suppression left
the margins; rounding the four cells to base 3 made it 3, which leaves 1 to 5. The utilities are the paper's, but for
one misprint (.216 is .2181). Its printed
risks follow from no base of the logarithm: those on the map are 1/H in bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fiberwalk as fw

PICTURE = Path(__file__).parents[2] / "docs" / "ru_map.png"
CORNER = {"row": "1", "column": "1"}
ALLOWED = 0.6


def paper_map() -> fw.RUMap:
    """The map of the paper's example."""
    square = fw.examples.dfkpr01_square()
    assert square.prior is not None

    def perturbed(_: Any, theta: float) -> fw.Release:
        return fw.protect.as_protected(square.published, "markov_perturb", theta=theta)

    methods = {
        "Markov perturbation": (perturbed, {"theta": [0.05, 0.1, 0.2]}),
        "cell suppression": square.release,
        "rounding to base 3": fw.protect.as_protected(square.published // 3 * 3, "round_to", base=3, rounding="within"),
    }
    return fw.ru_map(square.table, methods, law=fw.laws.prior([(CORNER, square.prior)]), cell=CORNER)


def main() -> None:
    found = paper_map()
    print(found.readable().to_string(sparsify=False))
    print(f"\n{found.sentence}\nThe highest utility at a risk of at most {ALLOWED}:")
    print(found.best(ALLOWED)[["risk", "utility"]].to_string())
    PICTURE.parent.mkdir(exist_ok=True)
    found.plot(max_risk=ALLOWED, title="A cell of 1 in a 2 x 2 table (Duncan and others 2001)").savefig(
        PICTURE, dpi=110
    )
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
