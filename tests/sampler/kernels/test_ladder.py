"""Separate peaks: the ladder leaves the law as it is and crosses them; a run that did not cross has not converged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains import run
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels.ladder import kernel as ladder
from fiberwalk.sampler.kernels.ladder import rungs
from fiberwalk.sampler.kernels.ladder.kernel import Ladder

FLOOR = 1e-7
TABLE = np.array([[70, 10, 10], [10, 70, 70]])
SHARES = (0.5, 0.6, 0.3, 0.5, 0.4, 0.7)


def two_peaks(first: int, second: int, spread: float, share: float = 0.5, floor: float = FLOOR) -> dict[int, float]:
    x = np.arange(140)
    bells = [np.exp(-0.5 * ((x - one) / spread) ** 2) for one in (first, second)]
    curve = share * bells[0] + (1 - share) * bells[1] + floor
    return {int(v): float(w) for v, w in zip(x, curve, strict=True) if w > 1e-5 or floor}


def hard(floor: float = FLOOR) -> tuple[fw.Release, object, list[np.ndarray]]:
    """Two rows of three: in each column one of the two cells is high and the other low, and rows ask for one or two highs.

    So three combinations of peaks are possible, and no single line of tables leads from one to the next.
    """
    priors = [two_peaks(10, 70, 2.0, share, floor) for share in SHARES]
    cells = [{"A": a, "B": b} for a in "12" for b in "123"]
    law = fw.laws.prior(list(zip(cells, priors, strict=True)))
    curves = [np.array([one.get(x, 0.0) for x in range(141)]) for one in priors]
    return fw.publish(TABLE, margins=["A", "B"]), law, _brute(TABLE, curves)


def _brute(table: np.ndarray, weights: list[np.ndarray]) -> list[np.ndarray]:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    found = [np.zeros(columns[j] + 1) for j in range(3)]
    for a in range(columns[0] + 1):
        for b in range(columns[1] + 1):
            c = rows[0] - a - b
            if 0 <= c <= columns[2]:
                x = [a, b, c, columns[0] - a, columns[1] - b, columns[2] - c]
                p = np.prod([w[v] for w, v in zip(weights, x, strict=True)])
                for j, value in enumerate((a, b, c)):
                    found[j][value] += p
    return [one / one.sum() for one in found]


@pytest.mark.parametrize("floor", [FLOOR, 0.0], ids=["a floor", "gaps"])
@pytest.mark.parametrize("seed", [1, 2])
def test_peaks_are_crossed_on_every_seed(seed: int, floor: float) -> None:
    release, law, exact = hard(floor)
    audit = fw.audit(release, law, "chains", seed, tolerance=0.05)
    assert audit.converged
    assert "separate peaks" in audit.certificate.reason
    for j, p in enumerate(exact):
        pmf = audit._pmf({"A": "1", "B": str(j + 1)}, {})
        mean = float(np.arange(len(p)) @ p)
        bits = float(-(p[p > 0] * np.log2(p[p > 0])).sum())
        assert abs(pmf.mean - mean) < 5 * pmf.mean_error
        assert abs(pmf.entropy - bits) < min(5 * pmf.entropy_error, 0.05)


def test_without_a_ladder_chains_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: chains of the same kernels from the same peak agree, and are wrong."""
    monkeypatch.setattr(ladder, "has_separate_peaks", lambda *given: False)
    monkeypatch.setattr(run, "_starts", lambda moves, unit, number, chains: np.tile(unit.start, (chains, 1)))
    release, law, exact = hard()
    wrong = []
    for seed in (1, 2):
        audit = fw.audit(release, law, "chains", seed, max_draws=1 << 14)
        pmf = audit._pmf({"A": "1", "B": "1"}, {})
        mean = float(np.arange(len(exact[0])) @ exact[0])
        wrong.append(abs(pmf.mean - mean) > 5 * pmf.mean_error)
    assert any(wrong)


def test_a_run_that_did_not_cross_has_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever R-hat says: a ladder of one rung, on which nothing is ever traded."""
    monkeypatch.setattr(rungs, "choose_powers", lambda *given: np.ones(1))
    release, law, _ = hard()
    audit = fw.audit(release, law, "chains", 1, max_draws=1 << 13)
    assert not audit.converged
    assert "chains went 0 times" in audit.certificate.reason


def test_what_is_only_not_concave_has_no_ladder() -> None:
    """A slope that flattens, a valley that is shallow, and a law of counts do not ask for one; a deep valley does."""
    release, _, _ = hard()
    one = {"A": "1", "B": "1"}

    def asks(prior: object) -> bool:
        return isinstance(_unit(release, fw.laws.prior([(one, prior)])).kernels[0], Ladder)

    assert not asks({x: 1.0 / (1 + x) ** 3 for x in range(80)})
    assert not asks({x: 1.0 + 0.5 * (-1) ** x for x in range(80)})
    assert not asks(fw.laws.log_normal(20, 1.5))
    assert asks(two_peaks(10, 70, 2.0))
    assert asks({0: 1.0, 40: 1.0, 80: 1.0})


def _unit(release: fw.Release, law: object) -> Unit:
    (unit,) = units_of(choose(support(release, law)), np.zeros((0, 6), dtype=np.int64))
    return unit


def test_a_ladder_leaves_the_law_of_every_rung_as_it_is() -> None:
    """Cells far apart in time, of the lowest rung and of the highest, against their laws."""
    release, law, exact = hard()
    unit = _unit(release, law)
    kernel = unit.kernels[0].learned(unit, unit.start, streams(3, 1)[0])
    assert isinstance(kernel, Ladder)
    assert kernel.powers[0] == 1.0
    assert (np.diff(kernel.powers) < 0).all()
    unit = replace(unit, kernels=(kernel,))
    chain = Chain(unit, unit.start, streams(4, 1)[0])
    chain.counts = False
    chain.advance(unit, 2000)
    column = int(np.flatnonzero(unit.columns == 0)[0])
    n = 2000
    low, high = np.empty(n), np.empty(n)
    for k in range(n):
        chain.advance(unit, 100)
        low[k], high[k] = chain.place.table[column], chain.rooms[0].tables[-1][column]
    seen = float((low > 40).mean())
    wanted = float(exact[0][41:].sum())
    assert abs(seen - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / (n / 8))
    # on the highest rung nothing is left of the peaks but a tendency
    priors = [two_peaks(10, 70, 2.0, share) for share in SHARES]
    warm = _brute(TABLE, [np.array([one.get(x, 1e-12) for x in range(141)]) ** kernel.powers[-1] for one in priors])
    assert abs(float((high > 40).mean()) - float(warm[0][41:].sum())) < 5 * np.sqrt(0.25 / (n / 4))
    assert np.std(high) > 10
    assert chain.rooms[0].trips > 200


def test_a_checkpoint_goes_on_to_the_same_end(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of all rungs, and how often they came and went, are part of it."""
    release, law, _ = hard()
    whole = fw.audit(release, law, "chains", 5, max_draws=1 << 12)
    begin = run.Run._to_next_look
    looks = []

    def interrupted(self, *given):
        looks.append(1)
        if len(looks) == 2:
            raise KeyboardInterrupt
        begin(self, *given)

    monkeypatch.setattr(run.Run, "_to_next_look", interrupted)
    path = tmp_path / "chains"
    fw.audit(release, law, "chains", 5, max_draws=1 << 12, checkpoint=path)
    monkeypatch.setattr(run.Run, "_to_next_look", begin)
    again = fw.audit(release, law, "chains", 5, max_draws=1 << 12, checkpoint=path)
    for one, other in zip(whole.belief.pmfs, again.belief.pmfs, strict=True):
        np.testing.assert_array_equal(one.p, other.p)
    assert whole.certificate.reason == again.certificate.reason
