"""A column that follows from another only by chance: does the server tell, which finds out that it does?

Who learns that a job is done in one region only learns of all other regions that nobody there does it. Two sets of people
are the same but for one person; where the tables by both are published alike, everything else must be alike, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw

from .servers import NOISE

VILLAGES, JOBS = tuple(f"v{number}" for number in range(6)), ("farm", "mill")
COUNTS = (3, 3, 3, 30, 30, 30)
"""Of each village; the first three farm, the others mill."""
FEW_SMALL = 0.3


def people(one_more: bool) -> pd.DataFrame:
    """The villages; one more: somebody farms in a village of millers."""
    places = np.repeat(np.arange(len(VILLAGES)), COUNTS)
    villages = np.array(VILLAGES)[places].tolist() + ["v3"] * one_more
    jobs = np.where(places < 3, *JOBS).tolist() + ["farm"] * one_more
    crops = [("rye", "oats", "hops", "flax")[number % 4] for number in range(len(villages))]
    return pd.DataFrame({"village": villages, "job": jobs, "crop": crops})


def served(one_more: bool, **settings: Any) -> fw.server.TableServer:
    """A server of them."""
    return fw.server.TableServer(people(one_more), **{"seed": 0, **settings})


def refusals_differ() -> bool:
    """Is the same published table refused for one of the two sets of people, and not for the other?"""
    rounding: dict[str, Any] = {"mechanism": "random_round", "parameters": {"base": 3}}
    rules = fw.server.ServerRules(max_small_share=FEW_SMALL)
    for seed in range(50):
        alike = [served(more, **rounding, seed=seed).tabulate("village,job").table for more in (False, True)]
        if (alike[0].values == alike[1].values).all():
            released = [
                served(more, **rounding, seed=seed, rules=rules).tabulate("village,job").released
                for more in (False, True)
            ]
            return released[0] != released[1]
    raise AssertionError("no seed published both alike")


def empties_alike(one_more: bool) -> float:
    """With noise on zeros: of the cells that nobody is in, how many are as those of the first village of millers."""
    settings: dict[str, Any] = {"noisy_zeros": True} if hasattr(fw.server.ServerRules, "areas") else {}
    server = served(one_more, mechanism="add_noise", parameters={"noise": NOISE}, **settings)
    table = server.tabulate("village,job,crop").table
    cells = table.sel(village=list(VILLAGES[4:]), job="farm").values
    others = table.sel(village=list(VILLAGES[:3]), job="mill").values
    return float((np.concatenate([cells, others]) == cells[0]).mean())


def follows_by_chance() -> str:
    """Both."""
    refused = "is refused of one and released of the other" if refusals_differ() else "is answered alike"
    shares = [empties_alike(more) for more in (False, True)]
    return (
        f"two sets of people, of whom one person differs: a table that is published alike {refused}; with noise on zeros "
        f"{shares[0]:.0%} of the empty cells of a column that follows by chance are the same draw, {shares[1]:.0%} where it "
        "does not follow"
    )
