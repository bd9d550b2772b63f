"""Tables that other programs come with: read with their hierarchies, published, suppressed, audited.

Their files are not part of the project; see `support/places.py`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.places import REFERENCE_DATA, reference

import fiberwalk as fw


def test_without_the_files_a_test_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv(REFERENCE_DATA, raising=False)
    with pytest.raises(pytest.skip.Exception, match="FIBERWALK_REFERENCE_DATA names no folder"):
        reference("a.csv")
    monkeypatch.setenv(REFERENCE_DATA, str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="without a.csv"):
        reference("a.csv")
    (tmp_path / "a.csv").touch()
    assert reference("a.csv") == tmp_path / "a.csv"


def test_the_168_cells_of_sdctable():
    """A, C and D stand beside the group B. Each of the 16 withheld cells may have 15 values or more: nothing is refused."""
    rows = pd.read_csv(reference("sdctable_complete_168cells.csv")).set_index(["V1", "V2", "V3"])["Freq"]
    assert len(rows) == 168
    within = {"V1": {"B": ["Ba", "Bb", "Bc"]}}
    cells = rows.drop(index="B", level="V1")
    for dim in ("V1", "V2", "V3"):
        cells = cells.drop(index="Tot", level=dim)

    release = fw.protect.complementary_suppress(fw.table(cells, hierarchies=within), rule="< 7")
    assert release.applied[0].own_words.startswith("of 72 cells 2 are withheld as sensitive and 14 are to protect them")
    bounds = fw.bounds(release)
    assert len(bounds) == 16
    assert (bounds["upper"] - bounds["lower"]).min() >= 14  # which of equally cheap patterns it is may change
    assert ((bounds["lower"] <= cells[bounds.index]) & (cells[bounds.index] <= bounds["upper"])).all()

    shown = release.crosstab().rename(index={"All": "Tot"}, columns={"All": "Tot"})
    for (first, second, third), value in rows.items():
        if (first, second, third) not in bounds.index:
            assert shown.loc[(first, second), third] == value


def test_the_turnover_of_rtauargus():
    """Three levels as columns; every printed number of enterprises, subtotals too, is what is published."""
    levels = pd.read_csv(reference("rtauargus_activity_corr_table.csv"), dtype=str)
    rows = pd.read_csv(reference("rtauargus_turnover_act_size.csv"), dtype={"ACTIVITY": str})
    printed = rows.set_index(["ACTIVITY", "SIZE"])["N_OBS"]
    finest = printed[printed.index.isin(levels["A88"], level=0) & (printed.index.get_level_values(1) != "Total")]
    cells = finest.rename_axis(["A88", "SIZE"])
    release = fw.suppress(fw.table(cells, hierarchies={"A88": levels}), rule="< 3")
    shown = release.crosstab().rename(index={"All": "Total"}, columns={"All": "Total"})
    seen = 0
    for (activity, size), value in printed.items():
        if activity in shown.index and not pd.isna(shown.loc[activity, size]):
            assert shown.loc[activity, size] == value, (activity, size)
            seen += 1
    assert seen > 300
    bounds = fw.bounds(release)
    assert ((bounds["lower"] <= cells[bounds.index]) & (cells[bounds.index] <= bounds["upper"])).all()


def test_the_hierarchy_and_the_table_of_tau_argus():
    """Regions in a .hrc file; every subtotal that tau-ARGUS prints is the sum of its regions."""
    hierarchy = reference("tauargus_region2.hrc")
    path, names = reference("tauargus_simple2d_expected.txt"), ["size", "region", "value", "status"]
    rows = pd.read_csv(path, header=None, names=names, na_values="-").fillna(0)  # cells that are empty
    printed = rows.assign(size=rows["size"].str.strip(), region=rows["region"].str.strip())
    printed = printed.set_index(["region", "size"])["value"]
    groups = ["Nr", "Os", "Ws", "Zd", "Total"]
    cells = printed[~printed.index.isin(groups, level="region") & ~printed.index.isin(["Total"], level="size")]
    release = fw.publish(
        fw.table(cells, hierarchies={"region": hierarchy}, decimals=2), ["region,size", "region:1,size", "region:1"]
    )
    shown = release.crosstab()
    for group in groups[:-1]:
        assert shown.loc[group, "All"] == pytest.approx(printed[group, "Total"])


def test_the_census_of_gausssuppression():
    """Levels as columns of a long frame."""
    rows = pd.read_csv(reference("census_like_hypercube.csv"), dtype={"age_h": str, "hst_h": str})
    frame = rows.groupby(["age_l", "age_m", "lms_l", "lms_h"], as_index=False)["freq"].sum()
    levels = {"age_m": "age_l", "lms_h": "lms_l"}
    release = fw.suppress(fw.table(frame, hierarchies=levels, count="freq"), rule="< 3")
    assert release.truth.sum() == 10_000
    bounds = fw.bounds(release)
    true = frame.set_index(["age_m", "lms_h"])["freq"].reindex(bounds.index, fill_value=0)
    assert ((bounds["lower"] <= true) & (true <= bounds["upper"])).all()
    assert np.isin(true, [1, 2]).all()
