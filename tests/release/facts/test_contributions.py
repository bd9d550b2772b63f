"""Who stands behind a cell, and what she can work out: contributors in files and tables, audits as respondents see it."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import fiberwalk as fw
from fiberwalk.release.facts.facts import NO_VALUE

LONG = """row,col,value,status,N_OBS,Max
a,x,12.5,u,1,12.5
a,y,30,x,4,20
a,z,4,s,,
b,x,20,x,3,9
b,y,15,u,2,11
b,z,6,s,5,2
a,Total,46.5,s,,
b,Total,41,s,10,11
Total,x,32.5,s,4,12.5
Total,y,45,s,6,20
Total,z,10,s,5,2
"""


@pytest.fixture
def long_file(tmp_path):
    def write(text: str):
        path = tmp_path / "turnover.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_columns_of_contributors_are_no_dims(long_file):
    release = fw.read_release(long_file(LONG), decimals=1)
    assert [dim.name for dim in release.dims] == ["row", "col"]
    assert release.contributors.tolist() == [1, 4, NO_VALUE, 3, 2, 5]
    assert release.largest.tolist() == [125, 200, NO_VALUE, 90, 110, 20]
    renamed = long_file(LONG.replace("N_OBS,Max", "firms,top"))
    again = fw.read_release(renamed, decimals=1, contributors="firms", largest="top")
    assert again.contributors.tolist() == release.contributors.tolist()
    assert [dim.name for dim in again.dims] == ["row", "col"]


def test_the_second_largest_contribution_is_read_beside_the_largest(long_file):
    lines = [line + rest for line, rest in zip(LONG.splitlines(), [",max2", ",", ",8", *[","] * 9], strict=True)]
    text = "\n".join(lines) + "\n"
    release = fw.read_release(long_file(text), decimals=1)
    assert [dim.name for dim in release.dims] == ["row", "col"]
    assert release.second.tolist() == [NO_VALUE, 80, *[NO_VALUE] * 4]
    named = fw.read_release(long_file(text.replace("max2", "next")), decimals=1, second="next")
    assert named.second.tolist() == release.second.tolist()
    audit = fw.audit(release, intruders="respondents", magnitudes=True)
    assert "second" in audit.respondents["kind"].to_list()
    assert release.without_truth().second is None
    with pytest.raises(fw.InputError, match="none of the largest; name it with largest="):
        fw.read_release(long_file("row,value,next\na,2,1\nb,3,1\n"), second="next")
    with pytest.raises(fw.InputError, match="cell row=a, col=y has a second largest contribution that is greater"):
        fw.read_release(long_file(text.replace("20,8", "20,21")), decimals=1)


def test_contributors_follow_the_release_and_never_leave_the_house(long_file, tmp_path):
    release = fw.read_release(long_file(LONG), decimals=1)
    known = release.knows({"row": "a", "col": "x"}, own=12.5).knows_rule("< 16", flags=False)
    assert known.contributors is release.contributors
    assert all(one.largest is release.largest for one in known.readings.values())
    outside = release.without_truth()
    assert outside.contributors is None
    assert outside.largest is None
    both = fw.linked(
        [release, fw.publish(fw.table(xr.DataArray([32.5, 45, 10], [("col", list("xyz"))]), decimals=1), ["col"])]
    )
    behind = dict(zip(map(tuple, both.index(both.keys)), both.contributors.tolist(), strict=True))
    assert behind["a", "x"] == 1
    assert behind["Total", "x"] == NO_VALUE
    release.to_file(tmp_path / "public.csv")
    assert fw.read_release(tmp_path / "public.csv", decimals=1).contributors is None
    assert "12.5" not in (tmp_path / "public.csv").read_text()


def test_a_file_that_only_counts_contributors_is_a_table_of_counts(long_file):
    release = fw.read_release(long_file("row,N_OBS\na,\nb,\nTotal,3\n"))
    assert release.contributors is None
    assert release.sums.value.tolist() == [3]


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (("20,x,3,9", "20,x,3,21"), {}, "cell row=b, col=x is less than the largest contribution to it"),
        (("20,x,3,9", "20,x,0,9"), {}, "cell row=b, col=x is not zero, but nobody contributes to it"),
        (("20,x,3,9", "20,x,-3,9"), {}, "row 5: column 'N_OBS' says -3; it cannot be negative"),
        (("20,x,3,9", "20,x,few,9"), {}, "column 'N_OBS': 'few' is not a number"),
        (("", ""), {"contributors": "firms"}, "there is no column 'firms'"),
    ],
)
def test_wrong_contributors(long_file, change, options, words):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(long_file(LONG.replace(*change)), decimals=1, **options)


def test_wrong_tables_of_contributors():
    table = [[1, 5], [7, 2]]
    with pytest.raises(fw.InputError, match=r"contributors= has the shape \(2,\), but the table has \(2, 2\)"):
        fw.publish(fw.table(table, contributors=[1, 2]), ["A"])
    with pytest.raises(fw.InputError, match="less than the largest contribution to it"):
        fw.suppress(fw.table(table, largest=[[1, 5], [6, 6]]), where=np.array(table) < 3)
    with pytest.raises(fw.InputError, match="contributors= must be a table of numbers"):
        fw.publish(fw.table(table, contributors=[["x", "y"], ["z", "w"]]), ["A"])


# --- as respondents see it -------------------------------------------------------------------------------------

PEOPLE = xr.DataArray(
    [[1, 1, 4], [2, 5, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]


def test_two_people_alone_in_a_row_find_each_other():
    """The classic: to everybody four cells are open, to either of the two none is."""
    audit = fw.audit(fw.suppress(PEOPLE, where=SQUARE), intruders="respondents")
    assert len(audit.disclosed) == 0
    frame = audit.respondents
    assert frame.index.tolist() == [("a", "x"), ("a", "y")]
    assert (frame["kind"] == "single").all()
    assert (frame["own"] == 1).all()
    assert (frame["newly_known"] == 3).all()
    assert (frame["risk"] == np.inf).all()
    assert (frame["p_modal"] == 1).all()
    assert frame["p_modal_before"].tolist() == pytest.approx([1 / 3, 1 / 3])
    hers = audit.seen_by(row="a", col="x")
    assert hers.cells.loc[("a", "y"), "modal"] == 1
    assert len(hers.disclosed) == 4
    with pytest.raises(fw.InputError, match="row=b, col=y has no single or dominant contributor"):
        audit.seen_by(row="b", col="y")


def test_respondents_against_audits_one_by_one():
    """Two blocks: what one respondent knows leaves the other block as it was, the same objects even."""
    table = xr.DataArray(
        [[1, 5, 0, 0], [7, 2, 0, 0], [0, 0, 3, 4], [0, 0, 6, 1]], dims=["A", "B"],
        coords={"A": list("abcd"), "B": list("wxyz")},
    )  # fmt: skip
    release = fw.suppress(table, where=table > 0)
    audit = fw.audit(release, law="hypergeometric", intruders="respondents")
    assert audit.respondents.index.tolist() == [("a", "w"), ("d", "z")]
    for labels, row in audit.respondents.iterrows():
        cell = dict(zip("AB", labels, strict=True))
        alone = fw.audit(release.knows(cell, exactly=1), law="hypergeometric").cells
        assert alone["entropy"].to_dict() == pytest.approx(audit.seen_by(cell).cells["entropy"].to_dict())
        newly = (alone["support"] == 1) & (audit.cells["support"].reindex(alone.index) > 1)
        assert row["newly_known"] == newly.sum() - 1 == 3
    seen = audit.seen_by(A="a", B="w")
    assert seen.belief.pmfs[7] is audit.belief.pmfs[7]


def test_the_dominant_and_the_single_of_a_file(long_file):
    release = fw.read_release(long_file(LONG), decimals=1)
    audit = fw.audit(release, intruders="respondents")
    assert audit.magnitude
    frame = audit.respondents
    people = {(cell, row["kind"]): (row["own"], row["newly_known"]) for cell, row in frame.iterrows()}
    assert people == {
        (("a", "x"), "single"): (12.5, 3),
        (("a", "y"), "dominant"): (20.0, 0),
        (("b", "x"), "largest"): (9.0, 0),
        (("b", "y"), "dominant"): (11.0, 0),
        (("b", "y"), "second"): (4.0, 0),  # of two, she has what the largest leaves
    }
    hers = audit.seen_by(row="a", col="y")
    assert hers.cells.loc[("a", "y"), ["own", "truth"]].tolist() == [20.0, 10.0]
    # at least 20 of the row's 42.5 is hers: a, x is at most 22.5, one of 226 values instead of 326
    assert hers.cells.loc[("a", "x"), "upper"] == 22.5
    row = frame.loc[("a", "y")]
    assert row["risk"] == pytest.approx(1 / np.log2(226))
    assert row["times"] == pytest.approx(np.log2(326) / np.log2(226))
    assert row["p_near"] > row["p_near_before"]


def test_respondents_where_there_are_none_and_where_none_can_be_told():
    release = fw.suppress(PEOPLE + 2, where=SQUARE)
    empty = fw.audit(release, intruders="respondents").respondents
    assert len(empty) == 0
    assert {"kind", "own", "newly_known", "worst_cell", "risk", "times"} <= set(empty.columns)
    for asked, words in (
        (
            lambda: fw.audit(release, intruders="respondents").seen_by(SQUARE[0]),
            "has no single or dominant contributor",
        ),
        (lambda: fw.audit(release).respondents, "was not asked: say audit"),
        (lambda: fw.audit(release, intruders="hackers"), "intruders='hackers': 'respondents', or leave it out"),
        (lambda: fw.audit(release.without_truth(), intruders="respondents"), "needs a release that carries the truth"),
        (lambda: fw.audit(release, intruders="respondents", magnitudes=True), "give the columns N_OBS or MAX"),
    ):
        with pytest.raises(fw.InputError, match=words):
            asked()


def test_who_learns_nothing_is_listed_with_nothing():
    table = xr.DataArray([[1, 3], [2, 4]], dims=["A", "B"])
    audit = fw.audit(fw.suppress(table, where=table == 1, margins=[]).knows({"A": "1", "B": "1"}, at_most=9),
                     intruders="respondents")  # fmt: skip
    row = audit.respondents.iloc[0]
    assert (row["newly_known"], row["worst_cell"], row["times"]) == (0, "", 1.0)
    assert np.isnan(row["risk"])


# --- on the command line ---------------------------------------------------------------------------------------


def run(*arguments):
    from click.testing import CliRunner

    from fiberwalk.commands.main import main

    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_a_script_can_fail_because_a_respondent_learns_a_cell(long_file):
    path = long_file(LONG)
    plain = run("audit", path, "--decimals", 1, "--fail-on-disclosure")
    assert plain.exit_code == 0, plain.output
    assert "How near an intruder comes to the truth (within 10%)" in plain.output
    result = run("audit", path, "--decimals", 1, "--fail-on-disclosure", "--intruders", "respondents", "--percent", 30)
    assert result.exit_code == 1
    assert "1 respondent learns another cell exactly." in result.output
    assert "row=a, col=x: single, own part 12.5, learns row=a, col=y and 2 more exactly" in result.output
    assert "row=a, col=y: dominant, own part 20, learns most about" in result.output
    assert "1 cell looks safe by the interval and not by the distribution:\n  row=a, col=y: within 30%" in result.output
    counts = run("audit", path, "--decimals", 1, "--counts")
    assert "How near" not in counts.output


def test_a_script_can_fail_because_a_cell_is_known(long_file):
    path = long_file("row,value\na,\nb,9\nTotal,12\n")
    assert run("audit", path).exit_code == 0
    failed = run("audit", path, "--fail-on-disclosure", "--fail-above", "0.5")
    assert failed.exit_code == 1
    assert "1 cell is riskier than 0.5.\n1 hidden cell is known exactly." in failed.output
    refused = run("audit", path, "--intruders", "respondents")
    assert refused.exit_code == 2
    assert "needs a release that carries the truth" in refused.output
    nobody = run("audit", long_file("row,value,status\na,3,u\nb,9,s\nTotal,12,s\n"), "--intruders", "respondents")
    assert "No respondent is alone in a hidden cell or has most of one." in nobody.output
