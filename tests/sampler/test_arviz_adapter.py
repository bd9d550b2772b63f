"""Draws as ArviZ reads them: the same call works on 0.23 (Python 3.11) and on 1.x."""

from __future__ import annotations

import subprocess
import sys

import arviz as az
import numpy as np
import pytest
import xarray

from fiberwalk.sampler.arviz_adapter import to_arviz

LABELS = {"sex": ["f", "m"], "age": ["young", "middle", "old"]}


@pytest.fixture
def tables() -> np.ndarray:
    return np.random.default_rng(1).poisson(4, size=(4, 200, 2, 3))


def test_dims_labels_and_attributes(tables):
    draws = to_arviz(tables, ["sex", "age"], LABELS, {"seed": 1, "certificate": "connected"})
    assert type(draws) is xarray.Dataset
    assert draws["table"].dims == ("chain", "draw", "sex", "age")
    assert draws["table"].dtype == tables.dtype
    assert draws["age"].values.tolist() == ["young", "middle", "old"]
    assert draws.attrs == {"seed": 1, "certificate": "connected"}
    np.testing.assert_array_equal(draws["table"].sel(sex="m", age="old").values, tables[:, :, 1, 2])
    xarray.testing.assert_identical(to_arviz(tables, ["sex", "age"], list(LABELS.values()), draws.attrs), draws)


def test_summary_names_every_cell(tables):
    summary = az.summary(to_arviz(tables, ["sex", "age"], LABELS), round_to="none")
    assert list(summary.index)[:2] == ["table[f, young]", "table[f, middle]"]
    assert len(summary) == 6
    np.testing.assert_allclose(summary["mean"].astype(float), tables.mean(axis=(0, 1)).ravel())


@pytest.mark.parametrize("name", ["rhat", "ess"])
def test_diagnostics_keep_the_labels(tables, name):
    function = getattr(az, name)
    found = function(to_arviz(tables, ["sex", "age"], LABELS))["table"]
    assert found.dims == ("sex", "age")
    assert float(found.sel(sex="m", age="old")) == pytest.approx(float(function(tables[:, :, 1, 2])))


# arviz 0.23 calls matplotlib in a way that 3.11 deprecates
@pytest.mark.filterwarnings("ignore:Passing a dict or None as alias_mapping:matplotlib.MatplotlibDeprecationWarning")
def test_trace_plot(tables):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    az.plot_trace(to_arviz(tables, ["sex", "age"], LABELS))
    lines = sum(len(ax.lines) for number in plt.get_fignums() for ax in plt.figure(number).axes)
    plt.close("all")
    assert lines >= 4 * 6  # a line for each chain and cell


def test_the_group_posterior_can_be_had(tables):
    draws = to_arviz(tables, ["sex", "age"], LABELS)
    convert = getattr(az, "convert_to_datatree", None) or az.convert_to_inference_data
    np.testing.assert_array_equal(convert(draws)["posterior"]["table"].values, tables)


def test_names_that_arviz_needs_get_an_underscore(tables):
    draws = to_arviz(tables, ["chain", "variable"], [["a", "b"], ["x", "y", "z"]])
    assert draws["table"].dims == ("chain", "draw", "chain_", "variable_")
    assert len(az.summary(draws)) == 6
    assert to_arviz(tables, ["draw", "draw_"], [["a", "b"], ["x", "y", "z"]])["table"].dims[2:] == ("draw__", "draw_")


def test_a_wrong_shape_is_said(tables):
    with pytest.raises(ValueError, match="are not \\[chain, draw\\] of tables"):
        to_arviz(tables, ["sex", "age"], [["f", "m"], ["young"]])


def test_arviz_is_not_loaded():
    code = (
        "import sys, numpy as np; from fiberwalk.sampler.arviz_adapter import to_arviz;"
        "to_arviz(np.ones((1, 4, 1), int), ['a'], [['x']]); print('arviz' in sys.modules, 'xarray' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"]


def test_an_audit_gives_draws_in_the_form_of_the_installed_arviz():
    import fiberwalk as fw

    release = fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"])
    audit = fw.audit(release, "hypergeometric", seed=5)
    found = audit.to_arviz(draws=50, chains=2)
    modern = int(az.__version__.split(".")[0]) >= 1
    assert type(found).__name__ == ("DataTree" if modern else "InferenceData")
    table = found["posterior"]["table"]
    assert table.dims == ("chain", "draw", "A", "B")
    assert (table.sum("A").values == [5, 5, 3]).all()
    same = fw.sample(release, "hypergeometric", draws=50, chains=2, seed=5)
    np.testing.assert_array_equal(table.values, same["table"].values)
    assert found["posterior"].attrs["law"] == "hypergeometric"
    summary = az.summary(found, round_to="none")
    np.testing.assert_allclose(summary["mean"].astype(float), table.mean(["chain", "draw"]).values.ravel())
    rhat = az.rhat(found)
    rhat = rhat.get("posterior", rhat)
    assert (rhat["table"] < 1.2).all()
    cells = audit.to_arviz(draws=5, chains=2, which="hidden")["posterior"]["table"]
    assert cells.dims == ("chain", "draw", "cell")
    with pytest.raises(fw.InputError, match="draws=0"):
        audit.to_arviz(draws=0)
