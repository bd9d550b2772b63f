"""An economy by a stated recipe: what enterprises do, how large they are, who owns them, what they turn over and earn.

Nobody's economy: the labels are invented, the proportions made up, in round numbers. Whole numbers only, from draws that are
the same everywhere, so that the same seed gives the same enterprises on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .whole_draws import WholeDraws

if TYPE_CHECKING:
    import pandas as pd

# Which activities belong together. Some stand beside groups (glass, repair, hotels), two are in no group at all (fishing,
# building), and one group has a single member (tobacco).
TREE: dict[str, tuple[str, ...]] = {
    "making": ("food", "tobacco", "textiles", "wood", "chemistry", "metal", "glass"),
    "food": ("bread", "dairy", "meat", "drinks"),
    "tobacco": ("cigars",),
    "textiles": ("cloth", "clothing", "leather"),
    "wood": ("timber", "furniture", "paper"),
    "chemistry": ("fuels", "paints", "medicines", "plastics"),
    "metal": ("steel", "tools", "machines", "vehicles", "instruments"),
    "trade": ("selling", "repair"),
    "selling": ("shops", "wholesale", "markets"),
    "services": ("moving", "advice", "hotels"),
    "moving": ("road", "water", "parcels"),
    "advice": ("law", "accounts", "software"),
}

# Of 1,000 enterprises so many do this; the fewest who work in one of them; turnover of each who does, in thousands.
_ACTIVITIES: dict[str, tuple[int, int, int]] = {
    "bread": (40, 3, 80), "dairy": (12, 4, 310), "meat": (22, 4, 240), "drinks": (12, 3, 260),
    "cigars": (7, 4, 400),
    "cloth": (13, 4, 120), "clothing": (20, 2, 90), "leather": (8, 3, 110),
    "timber": (22, 2, 140), "furniture": (34, 2, 100), "paper": (9, 6, 230),
    "fuels": (4, 9, 900), "paints": (10, 5, 280), "medicines": (7, 8, 390), "plastics": (22, 5, 190),
    "steel": (8, 9, 330), "tools": (50, 3, 130), "machines": (28, 5, 200), "vehicles": (10, 8, 340),
    "instruments": (20, 3, 170),
    "glass": (14, 4, 160),
    "fishing": (16, 1, 90), "building": (120, 2, 120),
    "shops": (130, 1, 150), "wholesale": (62, 2, 520), "markets": (24, 1, 70), "repair": (40, 1, 85),
    "road": (52, 2, 130), "water": (6, 4, 330), "parcels": (14, 2, 95),
    "law": (36, 1, 140), "accounts": (34, 1, 110), "software": (44, 1, 160), "hotels": (50, 2, 75),
}  # fmt: skip
_SIZES, _SIZE_STARTS = ("small", "medium", "large"), (20, 150)
"""Classes by how many work there: up to 19, 20 to 149, 150 and over."""
_LARGEST_TO_LEAST = 1000
"""So many times the fewest may work in an enterprise."""
# By size, so many of 100.
_LEGAL_FORMS = {"sole owner": (46, 4, 0), "partnership": (18, 8, 2), "limited": (35, 76, 48), "listed": (1, 12, 50)}
_REGIONS = {"capital": 27, "coast": 19, "lakes": 13, "hills": 11, "plain": 21, "border": 9}
_BY_WATER = ("coast", "lakes")
"""The regions in which there is fishing."""
# Turnover of each who works there, in percent of what is usual, and profit, per thousand of turnover: all alike.
_PERCENT_OF_USUAL = (33, 45, 55, 63, 71, 79, 87, 95, 105, 115, 127, 142, 159, 183, 221, 306)
_PROFIT_PER_1000 = (-210, -70, -15, 5, 15, 25, 30, 40, 45, 55, 65, 75, 90, 110, 150, 240)
_HOLDINGS = (
    "Agate", "Amber", "Basalt", "Beryl", "Chalk", "Cobalt", "Coral", "Flint", "Garnet", "Gneiss", "Granite", "Gypsum",
    "Jade", "Jasper", "Lapis", "Marble", "Marl", "Mica", "Onyx", "Opal", "Pumice", "Quartz", "Ruby", "Schist", "Shale",
    "Slate", "Topaz", "Zircon",
)  # fmt: skip
_OWNED_FROM, _PERCENT_OWNED, _PERCENT_AT_HOME = 20, 45, 75
"""Holdings own enterprises where at least so many work; so many of them; so many of these of the holding's own kind."""


def hierarchy_file() -> str:
    """The tree as the text of a `.hrc` file: every label on a line, as many @ before it as groups are above it."""
    below = {child for children in TREE.values() for child in children}

    def lines(label: str, depth: int) -> list[str]:
        return ["@" * depth + label, *(line for child in TREE.get(label, ()) for line in lines(child, depth + 1))]

    return "".join(f"{line}\n" for top in (*TREE, *_ACTIVITIES) if top not in below for line in lines(top, 0))


def enterprises(number: int, seed: int) -> pd.DataFrame:
    """Draw enterprises, one a row."""
    import pandas as pd

    draws = WholeDraws(seed)
    names, figures = np.array(list(_ACTIVITIES)), np.array(list(_ACTIVITIES.values()))
    share, fewest, usual = figures.T
    activity = draws.chosen(np.tile(share, (number, 1)))
    employees = _many_small_few_large(draws, fewest[activity])
    size = np.searchsorted(_SIZE_STARTS, employees, side="right")
    forms = np.array(list(_LEGAL_FORMS.values())).T
    form = draws.chosen(forms[size])
    region = draws.chosen(_regions(names)[activity])
    productivity = np.array(_PERCENT_OF_USUAL)[draws.below(len(_PERCENT_OF_USUAL), number)]
    turnover = employees * usual[activity] * productivity * (900 + draws.below(201, number)) // 100_000
    margin = np.array(_PROFIT_PER_1000)[draws.below(len(_PROFIT_PER_1000), number)] + draws.below(10, number)
    identifiers = np.array([f"E{place:0{len(str(number))}}" for place in range(1, number + 1)])
    return pd.DataFrame(
        {
            "enterprise": identifiers,
            "holding": _owners(draws, identifiers, _kinds(names)[activity], employees),
            "activity": names[activity],
            "size": np.array(_SIZES)[size],
            "legal_form": np.array(list(_LEGAL_FORMS))[form],
            "region": np.array(list(_REGIONS))[region],
            "employees": employees,
            "turnover": turnover,
            "profit": turnover * margin // 1000,
        }
    )


def _many_small_few_large(draws: WholeDraws, fewest: np.ndarray) -> np.ndarray:
    """How many work in each: one enterprise in k is at least k times as large as the least (Zipf's law)."""
    whole = 1 << 32
    least_part = whole // _LARGEST_TO_LEAST
    return fewest * whole // (least_part + draws.below(whole - least_part, len(fewest)))


def _regions(names: np.ndarray) -> np.ndarray:
    """The weights of the regions for every activity."""
    weights = np.tile(list(_REGIONS.values()), (len(names), 1))
    inland = [region not in _BY_WATER for region in _REGIONS]
    weights[np.ix_(names == "fishing", inland)] = 0
    return weights


def _kinds(names: np.ndarray) -> np.ndarray:
    """Of every activity the number of the group that it is directly in, or its own where it is in none."""
    parent_of = {child: parent for parent, children in TREE.items() for child in children}
    return np.unique([parent_of.get(name, name) for name in names], return_inverse=True)[1]


def _owners(draws: WholeDraws, identifiers: np.ndarray, kind: np.ndarray, employees: np.ndarray) -> np.ndarray:
    """Who owns each: a holding, mostly one of two that are at home in its kind of activity; else it is its own."""
    number, holdings = len(identifiers), len(_HOLDINGS)
    at_home = (2 * kind + draws.below(2, number)) % holdings
    elsewhere = draws.below(holdings, number)
    owner = np.where(draws.below(100, number) < _PERCENT_AT_HOME, at_home, elsewhere)
    owned = (employees >= _OWNED_FROM) & (draws.below(100, number) < _PERCENT_OWNED)
    several = np.bincount(owner[owned], minlength=holdings) > 1
    return np.where(owned & several[owner], np.array(_HOLDINGS)[owner], identifiers)
