"""plot_cell: what one picture shows of a cell, and what is no distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw


def test_audits_and_series_are_drawn_as_they_are():
    audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    draws = pd.Series([0.75, 0.25], index=[3, 1])
    axis = fw.plot_cell({"exact": audit, "draws": draws}, A="1", B="1").axes[0]
    words = [text.get_text() for text in axis.get_legend().get_texts()]
    assert words[:2] == ["exact", "draws"]
    bars = [bar.get_height() for bar in axis.patches]
    np.testing.assert_allclose(bars, audit.pmf(A="1", B="1"))
    line = next(one for one in axis.lines if len(one.get_xdata()) == 2)
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 3], [0.25, 0.75])
    fw.plot_cell({"part of one": draws.loc[[3]]})


def test_what_is_no_distribution_is_refused():
    counts = pd.Series([3, 1], index=[0, 1])
    with pytest.raises(fw.InputError, match=r"'draws' has a value twice, or .* add up to 4; .*normalize=True"):
        fw.plot_cell({"draws": counts})
    with pytest.raises(fw.InputError, match="'draws' has a value twice"):
        fw.plot_cell({"draws": pd.Series([0.5, 0.5], index=[1, 1])})
    for wrong in (pd.Series([-0.5, 1.5]), pd.Series([np.nan]), pd.Series([], dtype=float), [0.5, 0.5]):
        with pytest.raises(fw.InputError, match="'x' is neither an audit nor a Series of value -> probability"):
            fw.plot_cell({"x": wrong})
    with pytest.raises(fw.InputError, match="at least one audit"):
        fw.plot_cell({})
    with pytest.raises(fw.InputError, match="a cell is named by its labels, .* or as a dict; this is 'A'"):
        fw.plot_cell({"draws": counts}, "A")
