"""audit: from a release to the risk of every hidden cell."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .fiber.certificate import Certificate
from .fiber.solved import Budget
from .posterior.belief import METHODS, QUICK, Answers, Belief, believe
from .posterior.pmf import Pmf
from .posterior.sampled import Chains
from .progress import shown
from .release.dims import margin_list
from .release.errors import Contradiction, InputError
from .release.facts import Protection
from .release.numbers import scaled
from .release.release import Release, as_release
from .release.tables import key_of
from .risk.entropy import understatement, uniform_risk
from .risk.expected_harm import expected_harm
from .risk.protection_range import protection_range
from .sampler.run import MOST_DRAWS
from .sampling import check_chains

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an intruder learns from a release about each hidden cell, and what risk that is.

    `cells` is the answer; `pmf` the distribution of one cell; `readings` further audits where the release can be read
    in more than one way; `method`, `certificate` and `tables` say how the answer was obtained.
    """

    belief: Belief
    settings: Mapping[str, Any] = field(default_factory=dict)
    readings: Mapping[str, Audit] = field(default_factory=dict)

    @property
    def release(self) -> Release:
        """What was audited."""
        return self.belief.release

    @property
    def method(self) -> str:
        """How the distributions were obtained: "exact"."""
        return self.belief.method

    @property
    def certificate(self) -> Certificate:
        """How far the answer can be trusted."""
        return self.belief.certificate

    @property
    def converged(self) -> bool:
        """Did the chains, if there were any, pass the stop rule?"""
        return self.belief.converged

    @property
    def stopped(self) -> str:
        """Why chains were stopped before they were done; empty if they were not."""
        return self.belief.stopped

    @property
    def tables(self) -> int | None:
        """The number of tables that agree with the release; None where they were sampled and not counted."""
        return self.belief.tables

    def __repr__(self) -> str:
        known = int((self.cells["support"] == 1).sum())
        open_risk = self.cells["risk"][self.cells["support"] > 1]
        worst = f"the highest risk of the others is {open_risk.max():.3g}" if len(open_risk) else "none is open"
        return (
            f"<Audit of {len(self.cells)} hidden cells, law {self.belief.law.name!r}, {self.method}: "
            f"{known} known exactly, {worst}>"
        )

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per hidden cell (and margin asked for), the riskiest first.

        lower, upper, support : the sharp bounds and the number of attainable values m
        entropy, risk : H(X | Y = y) in bits and 1/H; a cell that is known exactly has risk inf
        uniform_risk, understatement : 1/log2 m, and how many times `risk` exceeds it
        mean, modal, p_modal : the expected and the most probable value, and its probability
        ess, rhat, entropy_mcse : the sampling error of the entropy (none where the method is exact)
        own : the intruder's own part of the cell, which the other columns leave out (only where `knows(own=)` was said)
        truth, p_truth : where the release carries the truth
        """
        import pandas as pd

        belief, release = self.belief, self.release
        rows = [self._row(pmf) for pmf in belief.pmfs]
        frame = pd.DataFrame(rows, index=release.index(belief.keys), columns=list(_COLUMNS))
        if not rows:
            frame = frame.astype({column: float for column in _COLUMNS if column not in ("method", "certificate")})
        if release.own.any():
            # what the intruder contributed: these rows speak of the others' part
            mine = np.concatenate([release.own[release.hidden], np.zeros(len(rows) - len(release.hidden), np.int64)])
            frame["own"] = release.own_units(mine)
        if release.truth is not None:
            truth = self._truth()
            frame["truth"] = release.own_units(truth)
            frame["p_truth"] = [p.between(int(t), int(t)) for p, t in zip(belief.pmfs, truth, strict=True)]
        # Equal risks differ in the last digits of floating-point sums: such cells keep the order of the table.
        order = np.argsort(-frame["risk"].round(12).to_numpy(), kind="stable")
        return frame.iloc[order]

    def _row(self, pmf: Pmf) -> dict[str, Any]:
        alike = uniform_risk(pmf.support)
        risk = 1 / pmf.entropy if pmf.entropy > 0 else np.inf
        modal, p_modal = pmf.modal
        show = self.release.own_units
        return dict(
            lower=show(pmf.lower),
            upper=show(pmf.upper),
            support=pmf.support,
            entropy=pmf.entropy,
            risk=risk,
            uniform_risk=alike,
            understatement=understatement(risk, alike),
            mean=pmf.mean / 10**self.release.decimals,
            modal=show(modal),
            p_modal=p_modal,
            ess=pmf.ess,
            rhat=pmf.rhat,
            entropy_mcse=pmf.entropy_error,
            method=pmf.method,
            certificate=pmf.certificate.word,
        )

    def _truth(self) -> np.ndarray:
        release = self.release
        assert release.truth is not None
        hidden = release.truth[release.hidden] - release.own[release.hidden]
        sums = [int((release.row(key) @ release.truth)[0]) for key in self.belief.keys[len(hidden) :]]
        return np.concatenate([hidden, np.array(sums, dtype=np.int64)])

    def position(self, cell: Mapping[str, Any]) -> int:
        """Which of the audited cells and sums this is."""
        key = np.array(key_of({k: v for k, v in cell.items() if str(v) != "Total"}, self.release.dims))
        found = np.flatnonzero((self.belief.keys == key).all(axis=1))
        if not len(found):
            named = self.release.words(key)
            raise InputError(
                f"{named} is not among the audited cells: it is published, or it is a margin that was not asked for "
                "(hidden_margins=)."
            )
        return int(found[0])

    def pmf(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.Series:
        """How probable each attainable value of a cell is: a Series of value -> probability.

        The cell is named by its labels, `a.pmf(I="1", J="3", K="3")`, or as a dict; dims left out are summed over.
        """
        import pandas as pd

        if cell is not None and not isinstance(cell, Mapping):
            raise InputError(f"a cell is named by its labels, pmf(dim=label, ...), or as a dict; this is {cell!r}.")
        pmf = self.belief.pmfs[self.position({**(cell or {}), **labels})]
        index = pd.Index(self.release.own_units(pmf.values), name="value")
        return pd.Series(pmf.probabilities, index=index, name="probability")

    def joint(self, cells: Iterable[Mapping[str, Any]]) -> pd.Series:
        """How probable each combination of values of a few cells is: a Series with a level of the index for each cell.

        Cells are given as a list of dicts, as for `pmf`. It is worked out when asked, exactly where that is possible and by
        chains elsewhere: the `attrs` of the Series say how (method, certificate, converged, ess).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[1, 0, 1], [0, 1, 0]], margins=["A", "B"]))
        >>> a.joint([{"A": "1", "B": "1"}, {"A": "1", "B": "2"}]).round(3).to_dict()
        {(0, 1): 0.333, (1, 0): 0.333, (1, 1): 0.333}
        """
        from .further_questions import joint

        return joint(self, cells)

    def most_probable_table(self) -> xr.DataArray:
        """The table of the greatest probability under the law and the evidence, in its own units.

        The attribute `log_weight` is the logarithm of its weight, up to a constant. Other tables may be as probable; under
        the uniform law all are, and the question is refused.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[9, 1], [0, 6]], margins=["A", "B"]), law="hypergeometric")
        >>> a.most_probable_table().values.tolist()
        [[6, 4], [3, 3]]
        """
        from .further_questions import most_probable_table

        return most_probable_table(self)

    def deceptive(self, *, values: int = 5, limit: float = 0.5, bits: float = 1.0) -> pd.DataFrame:
        """The rows of `cells` whose interval looks safe and whose distribution is not.

        At least `values` values are possible, but one of them has more than `limit` of the probability, or fewer than
        `bits` bits are left.
        """
        cells = self.cells
        return cells[(cells["support"] >= values) & ((cells["p_modal"] > limit) | (cells["entropy"] < bits))]

    def harm(self, r: Callable[[Any], float] | Mapping[Any, float]) -> pd.Series:
        """Expected harm, sum over k of r(k) p(k), of every cell (DFKPR01)."""
        import pandas as pd

        harms = []
        for pmf in self.belief.pmfs:
            shown = self.release.own_units(pmf.values)
            harms.append(expected_harm(dict(zip(np.asarray(shown).tolist(), pmf.probabilities, strict=True)), r))
        return pd.Series(harms, index=self.release.index(self.belief.keys), name="harm").sort_values(ascending=False)

    def protection(
        self, *, percent: float | None = None, lower: float | None = None, upper: float | None = None
    ) -> pd.DataFrame:
        """Is every value of a wanted range attainable? One row per hidden cell.

        Parameters
        ----------
        percent
            Wanted: from truth - percent to truth + percent of the truth, ends rounded outward.
        lower, upper
            Wanted: this range for every cell. Left out with `percent`, the protection levels of a JJ file are used.
        """
        import pandas as pd

        release = self.release
        ranges = self._wanted(percent, lower, upper)
        rows = []
        for pmf, (low, high, width) in zip(self.belief.pmfs, ranges, strict=True):
            fine, first = protection_range(pmf.values, low, high)
            fine = fine and int(pmf.values[-1] - pmf.values[0]) >= width
            rows.append({
                "wanted_lower": release.own_units(low),
                "wanted_upper": release.own_units(high),
                "wanted_width": release.own_units(width),
                "lower": release.own_units(pmf.values[0]),
                "upper": release.own_units(pmf.values[-1]),
                "protected": fine,
                "first_missing": None if first is None else release.own_units(first),
            })  # fmt: skip
        columns = [
            "wanted_lower", "wanted_upper", "wanted_width", "lower", "upper", "protected", "first_missing"
        ]  # fmt: skip
        frame = pd.DataFrame(rows, index=release.index(self.belief.keys), columns=columns)
        return frame.sort_values("protected", kind="stable")

    def _wanted(self, percent: float | None, lower: float | None, upper: float | None) -> list[tuple[int, int, int]]:
        release, n = self.release, len(self.belief.keys)
        if percent is not None and (lower is not None or upper is not None):
            raise InputError("protection(): give percent=, or lower= and upper=, not both.")
        if lower is not None or upper is not None:
            if lower is None or upper is None:
                raise InputError("protection() needs both lower= and upper=.")
            same = (scaled(lower, release.decimals, "lower="), scaled(upper, release.decimals, "upper="), 0)
            return [same] * n
        if release.truth is None:
            raise InputError("protection() around the truth needs a release that carries it; give lower= and upper=.")
        truth = self._truth()
        if percent is not None:
            if not isinstance(percent, (int, float)) or not 0 <= percent < np.inf:
                raise InputError(f"protection(percent={percent!r}): a percentage of at least 0.")
            return [
                (max(0, int(np.floor(t * (1 - percent / 100) + 1e-9))), int(np.ceil(t * (1 + percent / 100) - 1e-9)), 0)
                for t in truth.tolist()
            ]
        if release.protection is None:
            raise InputError(
                "protection() needs percent=, or lower= and upper=: the release states no protection levels."
            )
        wanted = [release.protection.get(tuple(key.tolist()), Protection()) for key in self.belief.keys]
        return [
            (max(0, int(t) - one.below), int(t) + one.above, one.width) for t, one in zip(truth, wanted, strict=True)
        ]

    def plot(self, cells: int = 6) -> Figure:
        """The distributions of the riskiest cells, and risk against uniform risk, as a matplotlib figure."""
        from .plots import audit_figure

        return audit_figure(self, cells)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a report of one self-contained page."""
        from .report import write_report

        write_report(self, path)

    def to_arviz(self, draws: int = 1000, chains: int = 4) -> Any:
        """Whole tables drawn from what the intruder believes, in ArviZ's own form, with the audit's seed.

        That is an `arviz.InferenceData` with arviz 0.23 and an `xarray.DataTree` with arviz 1.x; the draws are the variable
        `table` of its group `posterior`. `fiberwalk.sample` gives the same draws as a plain `xarray.Dataset`.
        """
        from .further_questions import arviz_draws

        return arviz_draws(self, draws, chains)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole audit to a file, from which `fiberwalk.load` makes it again; the truth, if known, is in it."""
        from .stored_audit import save_audit

        save_audit(self, path)


_COLUMNS = (
    "lower", "upper", "support", "entropy", "risk", "uniform_risk", "understatement", "mean", "modal", "p_modal",
    "ess", "rhat", "entropy_mcse", "method", "certificate",
)  # fmt: skip


def audit(
    release: Release,
    law: Any = "uniform",
    method: str = "auto",
    seed: int | None = 1,
    tolerance: float = 0.02,
    hidden_margins: Iterable[Any] = (),
    executor: Executor | None = None,
    *,
    max_draws: int = MOST_DRAWS,
    max_seconds: float | None = None,
    chains: int = 4,
    checkpoint: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    memory: int | None = None,
    progress: Callable[[str], None] | bool | None = None,
) -> Audit:
    """What an intruder learns from a release about each hidden cell.

    Parameters
    ----------
    release
        From `publish`, `suppress`, `round_to`, `merge`, `linked`, `from_crosstab` or `read_release`.
    law
        What the intruder believes beforehand: "uniform" (every feasible table alike), "hypergeometric" (the log-linear
        model of the published figures), `expected(mu)` or `prior([...])`.
    method
        "exact": every table is counted, or the release refused; "chains": Markov chains walk the tables; "auto": exactly
        where that takes seconds, chains elsewhere, block by block.
    seed
        Of the chains. The same seed gives the same answer, whatever the number of threads or processes; None: a new one
        each time.
    tolerance
        Chains go on until three standard errors of every entropy are below so many bits, every cell has 400 effective
        draws, and R-hat is below 1.01.
    executor
        Where chains run: any `concurrent.futures.Executor`, such as that of a Dask client (`client.get_executor()`). By
        default threads of this process.
    max_draws, max_seconds
        Chains are stopped after so many draws each, or so much time; the answer then says that it has not converged.
        Ctrl-C stops them too.
    chains
        How many there are.
    checkpoint
        A file to which the chains are saved now and then. If it is there already they go on from it, to the same end.
    hidden_margins
        Unpublished margins that are asked about too, such as ["I,K"]; "" is the grand total.
    limit, memory
        The most operations (some billions are a second) and bytes of exact solving, per block of cells that depend on
        each other; with "auto", where chains take over, 2e10 and 2e9 by default.
    progress
        Called now and then with a line of text on where the work stands. By default it is shown on a terminal and in a
        notebook; False: not at all.

    Raises
    ------
    TooLarge
        With method="exact", when the release cannot be solved within `limit` and `memory`, with an estimate of what it
        would take.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]), law="hypergeometric")
    >>> a.pmf(A="1", B="1").round(3).tolist()
    [0.024, 0.238, 0.476, 0.238, 0.024]
    """
    release = as_release(release)
    if method not in METHODS:
        raise InputError(f"method={method!r}: there is no such method; use {', '.join(map(repr, METHODS))}.")
    margins = margin_list(hidden_margins, "hidden_margins=")
    check_chains(
        seed=seed, tolerance=tolerance, chains=chains, max_draws=max_draws, max_seconds=max_seconds, executor=executor,
        checkpoint=checkpoint,
    )  # fmt: skip
    usual = QUICK if method == "auto" else Budget()
    budget = Budget.given(usual.operations if limit is None else limit, usual.bytes if memory is None else memory)
    settings = {"law": law, "method": method, "hidden_margins": margins, "limit": limit, "memory": memory}
    settings |= {"seed": seed, "tolerance": tolerance, "chains": chains, "max_draws": max_draws}
    settings |= {"max_seconds": max_seconds}
    known: Answers = {}
    began = time.monotonic()

    with shown(progress) as tell:

        def one(reading: Release, number: int) -> Audit:
            left = None if max_seconds is None else max(0.0, max_seconds - (time.monotonic() - began))
            where = None if checkpoint is None or not number else f"{os.fspath(checkpoint)}.{number}"
            how = Chains(seed, chains, tolerance, max_draws, left, executor, where if number else checkpoint)
            belief = believe(
                reading, law, hidden_margins=margins, method=method, budget=budget, chains=how, known=known,
                progress=tell,
            )  # fmt: skip
            return Audit(belief, settings)

        main = one(release, 0)
        readings = {}
        for number, (name, other) in enumerate(release.readings.items(), start=1):
            with suppress(Contradiction):  # a supposition that no table bears out is no reading
                readings[name] = one(other, number)
    return Audit(main.belief, settings, readings)
