"""Seven people of whom a count, a median and a mean of ages were published for each of seven groups."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..release.facts.given_table import table
from ..release.publish import publish
from ..release.release import Release
from ..release.statistics.mean import mean
from ..release.statistics.quantile import median

OLDEST, YOUNGEST_MARRIED = 125, 15
PUBLISHED = {
    "everybody": ({}, 7, "30", "38"),
    "females": ({"sex": "f"}, 4, "30", "33.5"),
    "males": ({"sex": "m"}, 3, "30", "44"),
    "blacks": ({"race": "b"}, 4, "51", "48.5"),
    "whites": ({"race": "w"}, 3, "24", "24"),
    "married": ({"status": "married"}, 4, "51", "54"),
    "black females": ({"race": "b", "sex": "f"}, 3, "36", "36.7"),
}
"""Of each group: whom it is about, how many there are, the median of their ages, and the mean."""
ROUNDED = ("black females",)
"""Groups whose mean is rounded, to one decimal; all other figures are exact."""


def block_of_seven(without: Collection[str] = ()) -> Release:
    """The block of Garfinkel, Abowd and Martindale (2019): seven people by age, sex, race and marital status.

    What is published of seven groups leaves one population. The married are at least 15 years old.

    Parameters
    ----------
    without
        Groups of which nothing is published: "females", "males", "blacks", "whites", "married", "black females".

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.count(fw.examples.block_of_seven())
    1
    >>> fw.count(fw.examples.block_of_seven(without=["females", "males"]))
    8
    """
    without = (without,) if isinstance(without, str) else tuple(without)
    groups = [name for name in PUBLISHED if name != "everybody"]
    for name in without:
        if name not in groups:
            raise InputError(f"there is no group {name!r} in the block of seven; {did_you_mean(name, groups)}")
    labels = {
        "age": tuple(map(str, range(OLDEST + 1))),
        "sex": ("f", "m"),
        "race": ("b", "w"),
        "status": ("married", "single"),
    }
    people = np.zeros([len(names) for names in labels.values()], dtype=np.int64)
    people[30, 1, 1, 1] = PUBLISHED["everybody"][1]
    block = publish(table(people, dims=tuple(labels), labels=labels), margins=[""]).without_truth()
    block = block.knows({"status": "married", "age": labels["age"][:YOUNGEST_MARRIED]}, exactly=0)
    for name, (group, number, middle, average) in PUBLISHED.items():
        if name not in without:
            rounding = "nearest" if name in ROUNDED else "exact"
            facts = median(middle, "age", rounding="exact"), mean(average, "age", rounding=rounding)
            block = block.knows(group, *facts, **({"exactly": number} if group else {}))
    return block
