"""Studies take long; that each can still be begun does not."""

from __future__ import annotations

import pytest
from support.places import BENCH

STUDIES = sorted(path.stem for path in (BENCH / "studies").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_can_be_begun(bench, name):
    assert bench(f"studies.{name}").__doc__


def test_every_gap_has_a_test_that_measures_it(bench):
    gaps = bench("studies.likelihood_gaps")
    assert all(callable(gaps.measured(name)) for name in gaps.GAPS)
