"""Sets of margins: which there are, what each row says, which may be published, the picture, the file and the errors."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw
from fiberwalk import comparing_margins
from fiberwalk.results.margin_sets import independent_figures, tells_more

TABLE = xr.DataArray([[[3, 1], [0, 2]], [[1, 4], [5, 0]]], dims=["A", "B", "C"])
EVERY = ["C", "B", "A", "B + C", "A + C", "A + B", "B,C", "A,C", "A,B", "A + B + C", "A + B,C", "A,C + B", "A,B + C",
         "A,C + B,C", "A,B + B,C", "A,B + A,C", "A,B + A,C + B,C"]  # fmt: skip


@pytest.fixture(scope="module")
def found() -> fw.studies.MarginSets:
    return fw.studies.compare_margins(TABLE, law="hypergeometric")


def test_every_set_of_margins_is_there_once(found):
    assert sorted(found.frame.index) == sorted(EVERY)
    assert found.frame["independent"].is_monotonic_increasing
    # as a list of all choices of margins has it
    subsets = [frozenset(one) for k in (1, 2) for one in combinations("ABC", k)]
    choices = chain.from_iterable(combinations(subsets, k) for k in range(1, len(subsets) + 1))
    naive = {frozenset(one) for one in choices if not any(a < b for a in one for b in one)}
    assert {frozenset(map(frozenset, one)) for one in found.sets.values()} == naive


def test_a_row_is_what_the_audit_of_these_margins_says(found):
    for name in ("A + C", "A,B + B,C"):
        release = fw.publish(TABLE, name.split(" + "))
        audit, row = fw.audit(release, law="hypergeometric"), found.frame.loc[name]
        cells = audit.cells
        assert row["figures"] == len(release.sums)
        assert row["independent"] == np.linalg.matrix_rank(release.sums.matrix.toarray())
        assert row["tables"] == fw.count(release)
        assert row["known"] == (cells["lower"] == cells["upper"]).sum()
        assert row["narrow"] == (cells["support"] < 5).sum()
        assert row["narrowest"] == (cells["upper"] - cells["lower"]).min()
        for measure in ("risk", "uniform_risk", "p_modal"):
            assert row[measure] == cells[measure].max()
        assert row["deceptive"] == len(audit.deceptive())
        assert (row["method"], row["certificate"], row["converged"]) == ("exact", "exact", True)
        pd.testing.assert_frame_equal(found.audits[name].cells, cells)
    sampled = fw.studies.compare_margins(TABLE, [["A", "B"]], tolerance=0.5, method="chains").frame.iloc[0]
    assert sampled["tables"] is None
    assert sampled["certificate"] == "connected"
    assert 0 < sampled["risk_mcse"] < 0.1


def test_the_best_sets_are_allowed_and_cannot_be_extended(found):
    frame = found.frame
    limits = [*sorted(set(frame["risk"]))[:-1:3], 0.0001]
    for limit in limits:
        best = found.best(limit).index
        for name in frame.index:
            further = [one for one in frame.index if tells_more(found.sets[one], found.sets[name])]
            ends = frame["risk"][name] <= limit and not (frame["risk"][further] <= limit).any()
            assert (name in best) == ends
    assert len(found.best(0.0001)) == 0
    assert found.best(5, column="uniform_risk")["uniform_risk"].max() <= 5
    assert tells_more((("A", "B"),), (("A",), ("B",)))
    assert not tells_more((("A", "B"),), (("A",), ("C",)))


def test_what_is_sampled_near_the_threshold_is_not_settled(found):
    assert found.best(0.6)["settled"].all()  # exact
    more = "A,B + B,C"
    how = {"law": "hypergeometric", "tolerance": 0.3, "method": "chains"}
    sampled = fw.studies.compare_margins(TABLE, [more.split(" + "), "A,B"], **how)
    risk, error = sampled.frame.loc[more, ["risk", "risk_mcse"]].astype(float)
    for limit, best, settled in (
        (risk + 9 * error, more, True),
        (risk + error, more, False),
        (risk - error, "A,B", False),  # more may be allowed after all
        (risk - 9 * error, "A,B", True),
    ):
        row = sampled.best(limit).iloc[0]
        assert (row.name, row["settled"]) == (best, settled)
    assert sampled.best(risk + error, column="uniform_risk")["settled"].all()
    assert not sampled.best(sampled.frame["p_modal"][more], column="p_modal")["settled"].any()
    assert sampled.best(0.99, column="p_modal")["settled"].all()
    open_ = fw.studies.compare_margins(TABLE, [["A", "B"]], method="chains", tolerance=1e-4, max_draws=1024)
    assert not open_.best(99)["settled"].any()


def test_independent_figures_are_a_rank():
    sizes = {"A": 2, "B": 3, "C": 4}
    table = np.ones((2, 3, 4), dtype=int)
    for margins in ((("A", "B"), ("B", "C"), ("A", "C")), (("A",), ("B", "C")), ((),)):
        matrix = fw.publish(table, [list(one) for one in margins]).sums.matrix.toarray()
        assert independent_figures(margins, sizes) == np.linalg.matrix_rank(matrix)


def test_sets_are_named_by_what_does_not_follow():
    found = fw.studies.compare_margins(TABLE, [["B", "C,B", "A"], ["A", ("B", "C")], "", "A"])
    assert found.frame.index.tolist() == ["grand total", "A", "A + B,C"]
    assert found.frame["figures"].tolist() == [1, 2, 6]


def test_a_known_cell_is_never_allowed():
    table = [[3, 0], [2, 0]]
    found = fw.studies.compare_margins(table)
    assert math.isinf(found.frame["risk"]["A + B"])
    assert found.frame["known"]["B"] == 2
    assert found.best(99).index.tolist() == ["A"]
    assert "known" in {text.get_text() for text in found.plot().axes[0].texts}


def test_order_and_too_many_dims():
    assert set(fw.studies.compare_margins(TABLE, ways=1).frame.index) == {
        "A",
        "B",
        "C",
        "A + B",
        "A + C",
        "B + C",
        "A + B + C",
    }
    cube = np.ones((2, 2, 2, 2), dtype=int)
    assert len(comparing_margins._all_sets(comparing_margins.as_table(cube), None)) == 165
    with pytest.raises(fw.InputError, match="5 dims has more than 200 sets of margins of up to 4 dims.* lower ways="):
        fw.studies.compare_margins(np.ones((2,) * 5, dtype=int))


def test_the_picture(found):
    other = fw.studies.compare_margins(TABLE)
    axis = found.plot(max_risk=1, beside=other, title="both").axes[0]
    names = [label.get_text() for label in axis.get_yticklabels()]
    assert names == [f"{name}   ({n})" for name, n in found.frame["independent"].items()]
    words = [text.get_text() for text in axis.get_legend().get_texts()]
    assert words == ["what intervals alone suggest", "law: hypergeometric", "law: uniform", "highest allowed: 1"]
    few = found.plot(top=3).axes[0]
    assert few.get_title() == "the 3 sets that tell most; 14 others are not shown"
    open_ = fw.studies.compare_margins(TABLE, [["A", "B"]], method="chains", tolerance=1e-4, max_draws=1024)
    assert not open_.converged
    assert "NOT CONVERGED" in open_.plot()._suptitle.get_text()
    assert open_.doubts == {"A + B": "NOT CONVERGED"}


def test_it_is_kept_in_a_file(tmp_path, found):
    found.save(tmp_path / "sets.fw")
    again = fw.load(tmp_path / "sets.fw")
    pd.testing.assert_frame_equal(again.frame, found.frame)
    assert repr(again) == "<MarginSets: 17 sets of margins, law 'hypergeometric'>"
    again.plot(beside=found)


def test_ctrl_c_leaves_what_there_is(monkeypatch):
    real, asked = comparing_margins.audit, []

    def stop(release, law, **options):
        asked.append(options["progress"])
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(release, law, **options)

    monkeypatch.setattr(comparing_margins, "audit", stop)
    lines: list[str] = []
    some = fw.studies.compare_margins(TABLE, progress=lines.append)
    assert len(some.audits) == 2
    assert len(some.left_out) == 15
    assert not some.converged
    assert lines[0] == "1 of 17 sets, A"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.studies.compare_margins(TABLE, "A"), "a list of sets of margins such as"),
        (lambda: fw.studies.compare_margins(TABLE, []), "at least one set"),
        (lambda: fw.studies.compare_margins(TABLE, [[]]), r"\[\] names no margin"),
        (lambda: fw.studies.compare_margins(TABLE, [["A", "D"]]), "names 'D', which is no dim"),
        (lambda: fw.studies.compare_margins(TABLE, [["A,B,C"]]), "publishes the table itself"),
        (lambda: fw.studies.compare_margins(TABLE, [["A"]], ways=1), "ways= is for when sets= is left out"),
        (lambda: fw.studies.compare_margins(TABLE, ways=3), "ways=3: of how many dims a margin may be, 1 to 2"),
        (lambda: fw.studies.compare_margins([1, 2]), "two or more dims; this has one, 'A'"),
        (lambda: fw.studies.compare_margins(TABLE, tolerence=1), "no option 'tolerence'.*tolerance"),
        (lambda: fw.studies.compare_margins(TABLE, [["A"]], method="guess"), "margins A: method='guess'"),
        (
            lambda: fw.studies.compare_margins(TABLE, [["A", "B"]], method="exact", limit=1),
            "margins A [+] B: .*cannot be solved",
        ),
        (
            lambda: fw.studies.compare_margins(TABLE, [["A"]]).best(1, column="width"),
            "'risk', 'uniform_risk', 'p_modal'",
        ),
        (lambda: fw.studies.compare_margins(TABLE, [["A"]]).best(-1), "a number above 0"),
        (lambda: fw.studies.compare_margins(TABLE, [["A"]]).plot(top=0), "at least one set must be shown"),
        (
            lambda: fw.studies.compare_margins(TABLE, [["A"]]).plot(beside=fw.studies.compare_margins(TABLE, [["B"]])),
            "the same sets",
        ),
    ],
)
def test_errors_are_told(call, words):
    with pytest.raises(fw.FiberwalkError, match=words):
        call()
