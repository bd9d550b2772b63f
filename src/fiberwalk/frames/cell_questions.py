"""Questions about the distribution of one cell, or of each: its values, and thresholds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.numbers import largest_first, scaled
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..release.facts.facts import NO_LIMIT
from ..release.release import Release
from ..risk.nearness import within_percent

if TYPE_CHECKING:
    import pandas as pd


def value_index(pmf: Pmf, release: Release) -> pd.Index:
    """The values of a cell in the table's own units; of wide cells, the least of each bin, and the name says so."""
    import pandas as pd

    name = "value" if pmf.width == 1 else f"value (bins of {release.show(pmf.width)})"
    return pd.Index(release.own_units(pmf.values), name=name)


def distribution_frame(pmf: Pmf, release: Release) -> pd.DataFrame:
    """See `Audit.distribution`."""
    import pandas as pd

    p = pmf.probabilities
    frame = pd.DataFrame(
        {"probability": p, "mcse": pmf.errors, "at_most": pmf.limits, "cumulative": np.minimum(np.cumsum(p), 1.0)},
        index=value_index(pmf, release),
    )
    frame.attrs = standing(pmf)
    return frame


def summary_frame(pmf: Pmf, release: Release, truth: int | None, percent: float) -> pd.DataFrame:
    """See `Audit.summary`."""
    import pandas as pd

    scale = 10.0**release.decimals
    low, high = pmf.shortest(0.9)
    rows = {
        "mean": (pmf.mean / scale, pmf.mean_error / scale),
        "sd": (pmf.deviation / scale, pmf.deviation_error / scale),
        "low90": (low / scale, pmf.end_error(low) / scale),
        "high90": (high / scale, pmf.end_error(high) / scale),
        "entropy": (pmf.entropy, pmf.entropy_error),
    }
    if truth is not None:
        around = within_percent(truth, percent)
        rows["p_near"] = (pmf.between(*around), pmf.between_error(*around))
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["value", "mcse"])
    frame.attrs = standing(pmf)
    return frame


def standing(pmf: Pmf) -> dict[Hashable | None, Any]:
    """How a distribution was obtained and how far it can be trusted, for the `attrs` of a frame or Series of one cell."""
    return {"method": pmf.method, "certificate": pmf.certificate.word, "converged": pmf.converged, "ess": pmf.ess}


def harmful_values(pmf: Pmf, r: Any, release: Release) -> dict[Any, float]:
    """value -> probability in the table's own units. A bin stands for its middle, unless `r` lists the values that harm."""
    if pmf.width > 1 and isinstance(r, Mapping):
        values = {listed: scaled(listed, release.decimals, "r=") for listed in r}
        return {listed: pmf.between(value, value) for listed, value in values.items()}
    middle = pmf.values + (pmf.width - 1) // 2
    return dict(zip(np.asarray(release.own_units(middle)).tolist(), pmf.probabilities, strict=True))


def threshold_frame(belief: Belief, at_most: Any, at_least: Any) -> pd.DataFrame:
    """See `Audit.threshold`."""
    import pandas as pd

    low, high = limits(belief.release, at_most, at_least)
    rows = [(pmf.between(low, high), pmf.between_error(low, high)) for pmf in belief.pmfs]
    frame = pd.DataFrame(rows, index=belief.release.index(belief.keys), columns=["probability", "mcse"], dtype=float)
    return frame.iloc[largest_first(frame["probability"])]


def limits(release: Release, at_most: Any, at_least: Any) -> tuple[int, int]:
    """The range of scaled values that a threshold in the table's own units means."""
    if at_most is None and at_least is None:
        raise InputError("a threshold needs at_most= or at_least=.")
    low = -NO_LIMIT if at_least is None else int(np.ceil(_scaled(release, at_least, "at_least") - 1e-6))
    high = NO_LIMIT if at_most is None else int(np.floor(_scaled(release, at_most, "at_most") + 1e-6))
    return low, high


def _scaled(release: Release, limit: Any, name: str) -> float:
    if isinstance(limit, (bool, str)) or not np.isscalar(limit) or not abs(float(limit)) < 1e15:  # type: ignore[arg-type]
        raise InputError(f"{name}={limit!r}: a number, in the table's own units.")
    return float(limit) * 10**release.decimals  # type: ignore[arg-type]
