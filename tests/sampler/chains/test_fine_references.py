"""What is surprising is told by bins fine enough to show it: in wide ones errors of entropies would seem far too small."""

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.sampler.chains import unit_run
from fiberwalk.sampler.chains.unit_run import BATCHES, COARSEST, UnitRun
from fiberwalk.sampler.tallies.resolution import PARTS


@pytest.fixture
def looks(monkeypatch):
    """Of each look with known errors: how wide bins of the reference are in standard deviations, and the true deviation of
    entropies over the stated one."""
    seen = []
    judged = UnitRun._judged

    def noted(self, pooled, batches):
        diagnosis = judged(self, pooled, batches)
        told = self.chains[0].batch - (self.untold // self.chains[0].length)
        if self.reference is not None and told >= unit_run.FEWEST_BATCHES:
            _, deviation = self._moments(batches.sums, batches.squares)
            seen.append(np.ldexp(1.0, self.reference.windows.shift.astype(int)) / deviation)
        return diagnosis

    monkeypatch.setattr(UnitRun, "_judged", noted)
    return seen


@pytest.mark.parametrize("scale", [10**5, 10**7, 10**9])
def test_no_error_is_told_by_wide_bins(looks, scale):
    counts = scale * np.array([[3, 1, 5, 2], [2, 6, 1, 4], [7, 2, 3, 1]])
    audit = fw.audit(fw.publish(counts, margins=["A", "B"]), "hypergeometric", "chains", max_draws=8 * BATCHES * 32)
    assert looks
    assert all(widths.max() <= COARSEST / PARTS for widths in looks)
    assert np.isfinite(audit.cells["entropy_mcse"]).all()


def test_small_counts_keep_their_first_reference(looks):
    fw.audit(fw.publish([[3, 1, 5], [2, 6, 1]], margins=["A", "B"]), "hypergeometric", "chains")
    assert looks
