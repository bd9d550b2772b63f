"""SampleRisk: the posterior of R1 and R2 of a sample table, and what can be asked of it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.saved_file import save
from ..base.saved_forms import saved
from ..risk.population_risk import MEASURES
from ..sampler.chains.diagnostics import effective_draws, split_rhat

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


@saved("SampleRisk", kind="sample risk")
@dataclass(frozen=True, eq=False, repr=False)
class SampleRisk:
    """What a sample table risks, over the populations that may stand behind it (ASE15).

    `summary` has a row each for R1 (as if the whole population were published), R2 (of the sample) and the number of empty
    cells in the population; `r1`, `r2` and `zeros` are their draws.
    """

    values: np.ndarray
    """[chain, draw, measure]."""
    model: str
    words: str
    """What the model assumes."""
    n: int
    size: int
    weights: tuple[float, ...] | str
    seed: int | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How the populations were drawn: parameters of the model; certificate, R-hat and convergence of chains."""
    truth: Mapping[str, float] | None = None
    """The measures of the true population, where it is known."""

    def __repr__(self) -> str:
        row = self.summary.loc["r2"]
        doubt = f"; {self.doubt}" if self.doubt else ""
        return (
            f"<SampleRisk of {self.n:,} of {self.size:,} people, {self.model}: R2 {row['mean']:.4f} "
            f"({row['q2.5']:.4f} to {row['q97.5']:.4f}){doubt}>"
        )

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import sample_risk_html

        return in_notebook(sample_risk_html, self)

    @property
    def r1(self) -> np.ndarray:
        """R1 of every population that was drawn."""
        return self.values[..., 0].ravel()

    @property
    def r2(self) -> np.ndarray:
        """R2 of the sample, given every population that was drawn."""
        return self.values[..., 1].ravel()

    @property
    def zeros(self) -> np.ndarray:
        """How many cells are empty in every population that was drawn."""
        return self.values[..., 2].ravel()

    @property
    def doubt(self) -> str:
        """What must be said beside the figures; empty where nothing must."""
        if self.facts.get("converged", "yes") != "yes":
            return "NOT CONVERGED"
        return "unproven" if self.facts.get("certificate") == "unproven" else ""

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each measure: mean, sd, quantiles q2.5, median, q97.5, the error of the mean, ess, rhat, truth."""
        import pandas as pd

        chains, draws, _ = self.values.shape
        flat = self.values.reshape(chains * draws, -1)
        low, middle, high = np.quantile(flat, [0.025, 0.5, 0.975], axis=0)
        sd = flat.std(axis=0, ddof=1) if len(flat) > 1 else np.full(flat.shape[1], np.nan)
        ess, rhat = self._effective()
        frame = pd.DataFrame(
            {
                "mean": flat.mean(axis=0), "sd": sd, "q2.5": low, "median": middle, "q97.5": high,
                "mcse": np.divide(sd, np.sqrt(ess), out=np.full(len(sd), np.nan), where=ess > 0), "ess": ess, "rhat": rhat,
            },
            index=pd.Index(MEASURES, name="measure"),
        )  # fmt: skip
        frame["truth"] = [math.nan if self.truth is None else self.truth[measure] for measure in MEASURES]
        return frame

    def _effective(self) -> tuple[np.ndarray, np.ndarray]:
        chains, draws, measures = self.values.shape
        if "certificate" not in self.facts:  # drawn independently of each other
            return np.full(measures, float(chains * draws)), np.ones(measures)
        can_change = np.ptp(self.values, axis=(0, 1)) > 0
        moments = self.values, self.values**2, 1
        return effective_draws(*moments, can_change), split_rhat(*moments, can_change)

    def plot(self, axes: Any = None, title: str | None = None) -> Figure:
        """The distributions of R1 and R2, with their means, and the truth where it is known. Its title names the model.

        >>> import fiberwalk as fw
        >>> figure = fw.survey.sample_risk([[3, 0], [2, 5]], people=100, model="urn", draws=50).plot()
        """
        from ..report.plots.sample_risk_plot import draw_sample_risk

        return draw_sample_risk(self, axes, title)

    def to_arviz(self) -> xr.Dataset:
        """The draws as a Dataset with the dims chain and draw, which all functions of ArviZ take.

        >>> import fiberwalk as fw
        >>> draws = fw.survey.sample_risk([[3, 0], [2, 5]], people=100, model="urn", draws=50).to_arviz()
        >>> list(draws.data_vars), dict(draws.sizes)
        (['r1', 'r2', 'zeros'], {'chain': 1, 'draw': 50})
        """
        import xarray as xr

        facts = {key: value for key, value in self.facts.items() if isinstance(value, (int, float, str))}
        return xr.Dataset(
            {measure: (("chain", "draw"), self.values[..., place]) for place, measure in enumerate(MEASURES)},
            coords={"chain": np.arange(self.values.shape[0]), "draw": np.arange(self.values.shape[1])},
            attrs={"model": self.model, **facts},
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again."""
        save(self, path)
