"""What tau-ARGUS, sdcTable, GaussSuppression and rtauargus write is read without being edited by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.places import reference
from support.small_releases import groups

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN, NO_VALUE, PRIMARY, PUBLISHED


def by_labels(release):
    """The true value of every cell, by its labels."""
    keys = [tuple(dim.node_labels[node] for dim, node in zip(release.dims, key, strict=True)) for key in release.keys]
    return dict(zip(keys, release.truth.tolist(), strict=True))


def test_what_tau_argus_writes_after_it_has_protected_a_table():
    path, hierarchy = reference("tauargus_simple2d_expected.txt"), reference("tauargus_region2.hrc")
    with pytest.raises(fw.InputError, match=r"\('16847646.84' is among them\); if it is one, say header=False"):
        fw.read_release(path)
    with pytest.raises(fw.InputError, match="looks like statuses.* say status='status'"):
        fw.read_release(path, header=False)
    release = fw.read_release(
        path, ["Size", "Region"], status="status", header=False, decimals=2, hierarchies={"Region": hierarchy}
    )
    rows = pd.read_csv(path, header=None, names=["size", "region", "value", "status"], dtype=str)
    wanted = {}
    for size, region, value, status in rows.itertuples(index=False, name=None):
        meaning = {"3": PRIMARY, "11": HIDDEN}.get(status, PUBLISHED)
        wanted[size.strip(), region.strip()] = (0 if value == "-" else round(float(value) * 100), meaning)
    truth = by_labels(release)
    assert len(truth) == 104
    assert {key: (truth[key], status) for key, status in zip(truth, release.status.tolist(), strict=True)} == {
        key: wanted[key] for key in truth
    }
    withheld = {key for key, (_, status) in wanted.items() if status != PUBLISHED}
    assert len(release.hidden) + len(release.asked) == len(withheld)


def test_the_table_of_sdctable():
    path = reference("sdctable_complete_168cells.csv")
    with pytest.raises(fw.InputError, match="say total='Tot'"):
        fw.read_release(path, ["V1", "V2", "V3"], value="Freq")
    tree = {"V1": {"B": ["Ba", "Bb", "Bc"]}}
    frame = pd.read_csv(path)
    for value, decimals in (("Freq", 0), ("numVal1", 2), ("numVal2", 2)):
        release = fw.read_release(
            path, ["V1", "V2", "V3"], value=value, total="Tot", hierarchies=tree, decimals=decimals
        )
        finest = frame[~frame["V1"].isin(["Tot", "B"]) & (frame["V2"] != "Tot") & (frame["V3"] != "Tot")]
        wanted = {
            (a, b, c): round(number * 10**decimals) for a, b, c, number in finest[["V1", "V2", "V3", value]].to_numpy()
        }
        assert by_labels(release) == wanted
        assert len(release.sums) == len(frame) - len(finest)


def test_the_microdata_of_sdctable():
    path = reference("sdctable_microdata1.csv")
    with pytest.raises(fw.InputError, match="is given twice .* if these are records of people .* count them first"):
        fw.read_release(path)
    table = fw.table(pd.read_csv(path), dims="region,gender")
    assert table.values.sum() == 100


@pytest.mark.parametrize(("name", "dim"), [("act_cj", "CJ"), ("act_size", "SIZE")])
def test_the_turnover_of_rtauargus(name, dim):
    path, levels = reference(f"rtauargus_turnover_{name}.csv"), reference("rtauargus_activity_corr_table.csv")
    with pytest.raises(fw.InputError, match="say missing='zero' if empty cells are left out"):
        fw.read_release(path, value="TOT", decimals=4, hierarchies={"ACTIVITY": levels})
    release = fw.read_release(path, value="TOT", decimals=4, hierarchies={"ACTIVITY": levels}, missing="zero")
    assert [one.name for one in release.dims] == ["ACTIVITY", dim]
    table = pd.read_csv(levels, dtype=str)
    assert groups(release)["ACTIVITY"]["BE"] == set(table.loc[table["A10"] == "BE", "A88"])
    rows = pd.read_csv(path, dtype={"ACTIVITY": str}).set_index(["ACTIVITY", dim])
    for key, value in by_labels(release).items():
        assert value == (round(rows.loc[key, "TOT"] * 10**4) if key in rows.index else 0)
    known = release.contributors != NO_VALUE
    assert release.contributors[known].sum() == rows.loc[("Total", "Total"), "N_OBS"]
    as_frame = fw.read_release(path, value="TOT", decimals=4, hierarchies={"ACTIVITY": table}, missing="zero")
    assert by_labels(as_frame) == by_labels(release)


def test_two_hierarchies_that_cross():
    path = reference("ssbtools_z3.csv")
    release = fw.read_release(
        path, ["region", "hovedint", "mnd"], value="ant", hierarchies={"region": ["fylke", "kostragr"]}
    )
    frame = pd.read_csv(path, dtype={"fylke": str, "kostragr": str})
    found = groups(release)["region"]
    for column in ("fylke", "kostragr"):
        assert {group: set(part["region"]) for group, part in frame.groupby(column)}.items() <= found.items()
    assert by_labels(release) == {
        tuple(row[:-1]): row[-1] for row in frame[["region", "hovedint", "mnd", "ant"]].to_numpy()
    }


def test_the_census_of_gausssuppression():
    path = reference("census_like_hypercube.csv")
    hierarchies = {
        "age_h": ["age_l", "age_m"],
        "lms_h": "lms_l",
        "hst_h": ["hst_l", "hst_m"],
        "fst_h": ["fst_l", "fst_m"],
    }
    release = fw.read_release(
        path, ["sex", "age_h", "lms_h", "hst_h", "fst_h"], hierarchies=hierarchies, missing="zero"
    )
    assert release.n_cells == 35_000
    assert release.truth.sum() == 10_000
    assert np.count_nonzero(release.truth) == 1_241
