"""What a reconstruction believed, held to the people who there are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EDGES = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
FIRST = (10, 30, 100, 300, 1000, 3000, 10000)


@dataclass(frozen=True, eq=False)
class AgreementWithTruth:
    """How well probabilities of records agree with who there is. Made by `Reconstruction.against`."""

    p: np.ndarray
    """The probability that somebody is of a record, for the records of each kind."""
    records: np.ndarray
    occupied: np.ndarray
    """Of how many of them there is somebody."""
    impossible: int
    """People of records that were held for impossible: 0 unless the tables are not those of these people."""

    @property
    def log_score(self) -> float:
        """The mean of -log2 of the probability given to what is the case, in bits for each record that is open; smaller is
        better. Infinite where something was held for impossible or certain that is not."""
        still_open = (self.p > 0) & (self.p < 1)
        wrong = ((self.p <= 0) & (self.occupied > 0)) | ((self.p >= 1) & (self.occupied < self.records))
        if wrong.any() or self.impossible:
            return float("inf")
        p, there, k = self.p[still_open], self.occupied[still_open], self.records[still_open]
        return float(-(there * np.log2(p) + (k - there) * np.log2(1 - p)).sum() / max(k.sum(), 1))

    @property
    def calibration(self) -> pd.DataFrame:
        """Records by their probability: how many there are, the mean probability, and the share of which there is somebody,
        with the standard error of independent records."""
        import pandas as pd

        rows = []
        for low, high in pairwise(EDGES):
            inside = (self.p > low) & (self.p <= high) if high < 1 else (self.p > low) & (self.p < 1)
            number = int(self.records[inside].sum())
            if not number:
                continue
            mean = float((self.p * self.records)[inside].sum() / number)
            error = float(np.sqrt((self.records * self.p * (1 - self.p))[inside].sum()) / number)
            rows.append((f"{low:g}-{high:g}", number, mean, self.occupied[inside].sum() / number, error))
        sure = self.p >= 1
        if sure.any():
            number = int(self.records[sure].sum())
            rows.append(("certain", number, 1.0, self.occupied[sure].sum() / number, 0.0))
        return pd.DataFrame(rows, columns=["probability", "records", "mean", "share", "error"]).set_index("probability")

    @property
    def hits(self) -> pd.DataFrame:
        """Of the most probable records, how many there is somebody of; ties are broken at random, and averaged."""
        import pandas as pd

        order = np.argsort(-self.p, kind="stable")[: np.count_nonzero(self.p > 0)]
        upto, there = np.cumsum(self.records[order]), np.cumsum(self.occupied[order])
        total = int(upto[-1]) if len(upto) else 0
        rows = []
        for first in (*(one for one in FIRST if one < total), total):
            place = int(np.searchsorted(upto, first))
            before = (int(upto[place - 1]), float(there[place - 1])) if place else (0, 0.0)
            share = self.occupied[order[place]] / self.records[order[place]]
            rows.append((first, before[1] + share * (first - before[0])))
        frame = pd.DataFrame(rows, columns=["first", "hits"]).set_index("first")
        frame["share"] = frame["hits"] / frame.index
        return frame

    def plot(self, ax: Axes | None = None) -> Figure:
        """The calibration curve: the share of records that there are, by their probability."""
        from ..report.plots.calibration_curve import draw_calibration

        return draw_calibration(self, ax)

    def __repr__(self) -> str:
        possible = int(self.records[self.p > 0].sum())
        return (
            f"<AgreementWithTruth: {possible:,} records, {int(self.occupied.sum()):,} of them exist, log score "
            f"{self.log_score:.3f} bits>"
        )
