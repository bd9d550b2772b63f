"""What notebooks show: whole, escaped, short, without any truth, and never an error. And the crosstab of a release."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from support.effort import cases

import fiberwalk as fw
from fiberwalk.base.certificate import certificate_html
from fiberwalk.base.html import in_notebook
from fiberwalk.moves.chooser import moves_html
from fiberwalk.moves.reach import reach_html
from fiberwalk.report import notebook_form as forms

CORNERS = [{"A": "1", "B": "2"}, {"A": "2", "B": "1"}]
THREE = [[1, 5, 4], [7, 2, 6], [3, 8, 9]]


class Page(HTMLParser):
    """The fields of every table as texts, labels included, and whether tags are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables: list[dict[tuple[int, int], str]] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        assert not {"src", "href", "onclick"} & set(said), "nothing is loaded from elsewhere"
        assert tag not in ("script", "style", "img")
        self.open.append(tag)
        if tag == "table":
            self.tables.append({})
            self.row = -1
        elif tag == "tr":
            self.row += 1
        elif tag in ("td", "th"):
            table = self.tables[-1]
            first = next(j for j in range(1000) if (self.row, j) not in table)
            self.at = [
                (self.row + i, first + j)
                for i in range(int(said.get("rowspan", 1)))
                for j in range(int(said.get("colspan", 1)))
            ]
            for place in self.at:
                assert place not in table, "two fields lie upon each other"
                table[place] = ""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            for place in self.at:
                self.tables[-1][place] += data

    def fields(self, k: int = 0) -> list[list[str]]:
        """A table as rows of texts; it has no holes."""
        table = self.tables[k]
        rows, columns = (max(place[axis] for place in table) + 1 for axis in (0, 1))
        assert len(table) == rows * columns
        return [[table[i, j].replace("\u00a0", " ") for j in range(columns)] for i in range(rows)]


def test_a_release_shows_its_published_table():
    release = fw.suppress(THREE, rule="< 3", where=CORNERS).knows({"A": "1", "B": "1"}, at_least=1)
    release = release.knows({"A": "2", "B": "2"}, exactly=2).knows({"A": "1", "B": "2"}, at_most=6)
    html = release._repr_html_()
    assert Page(html).fields() == [
        ["B", "1", "2", "3", "Total"],
        ["A", "", "", "", ""],
        ["1", "× ≥ 1", "× 0–6", "4", "10"],
        ["2", "×", "× = 2", "6", "15"],
        ["3", "3", "8", "9", "20"],
        ["Total", "11", "15", "19", "45"],
    ]
    assert "A by B: 9 cells; 5 published as they are, 4 hidden (×); 7 known sums; likelihood: support only" in html


@pytest.mark.parametrize("seed", range(cases(4)))
def test_a_release_never_shows_its_truth(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 9, rng.integers(2, 4, rng.integers(2, 4)))
    hidden = rng.random(table.shape) < 0.4
    hidden.flat[0] = True
    for release in (fw.suppress(table, where=hidden), fw.protect.random_round(table, base=3, seed=seed)):
        other = replace(release, truth=release.truth + 1000)
        assert other._repr_html_() == release._repr_html_()
        assert other.crosstab().equals(release.crosstab())


def test_rounded_figures_stand_as_published_in_italics():
    release = fw.protect.random_round(THREE, base=3, exact=["A"], seed=1)
    html = release._repr_html_()
    assert "9 published otherwise (in italics: random rounding)" in html
    fields = Page(html).fields()[2:]
    assert [[int(one) for one in row[1:4]] for row in fields] == release.published.values.tolist()
    assert [row[4] for row in fields] == ["10", "15", "20"]
    assert html.count("<i>") == 9
    rounded = Page(fw.round_to(THREE, base=3)._repr_html_()).fields()
    assert rounded[-1] == ["Total", "12", "15", "18", "45"]


def test_figures_published_as_they_are_beside_perturbed_ones_are_seen(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("a,b,value,status\nx,p,3,p\nx,q,4,s\ny,p,5,s\ny,q,6,p\nTotal,p,9,s\n")
    release = fw.read_release(path)
    assert release.published.values.tolist() == [[3, 4], [5, 6]]
    assert release._repr_html_().count("<i>") == 2
    assert release.crosstab().iloc[2, 0] == 9


def test_groups_follow_their_members():
    towns = pd.DataFrame(
        [[1, 5], [7, 2], [3, 8]], index=pd.Index(["a", "b", "c"], name="town"), columns=pd.Index(["x", "y"], name="t")
    )
    tree = {"town": {"North": ["a", "c"], "South": ["b"]}}
    release = fw.suppress(fw.table(towns, hierarchies=tree), rule="< 3", where=[{"town": "North"}])
    assert Page(release._repr_html_()).fields()[2:] == [
        ["a", "×", "5", "6"],
        ["c", "3", "8", "11"],
        ["North", "4", "13", "×"],
        ["b", "7", "× = 2", "9"],
        ["South", "7", "2", "9"],
        ["Total", "11", "15", "26"],
    ]  # South is one town: its total gives the hidden cell away


def test_linked_tables_are_shown_one_after_the_other():
    other = pd.DataFrame(
        [[4, 6], [9, 6], [5, 15]], index=pd.Index(list("123"), name="A"), columns=pd.Index(["u", "v"], name="C")
    )
    linked = fw.linked([fw.suppress(THREE, rule="< 3"), fw.suppress(other, rule="< 5")])
    html = linked._repr_html_()
    page = Page(html)
    assert "2 linked tables" in html
    assert "Table 2 of 2: A by C" in html
    assert page.fields(1)[2:] == [
        ["1", "×", "6", "10"],
        ["2", "9", "6", "15"],
        ["3", "5", "15", "20"],
        ["Total", "18", "27", "45"],
    ]
    with pytest.raises(fw.InputError, match="linked tables have no one crosstab"):
        linked.crosstab()


def test_several_dims_are_stacked_and_one_dim_is_a_column():
    release = fw.publish(np.arange(24).reshape(2, 2, 3, 2), margins=["A,B", "A,C,D"])
    fields = Page(release._repr_html_()).fields()
    assert fields[0] == ["C", "C", "1", "1", "2", "2", "3", "3", "Total"]
    assert fields[3] == ["1", "1", *["×"] * 6, "15"]
    assert fields[5] == ["1", "Total", "6", "8", "10", "12", "14", "16", ""]
    assert Page(fw.suppress([1, 5, 9, 2], rule="< 3")._repr_html_()).fields() == [
        ["A", ""], ["1", "×"], ["2", "5"], ["3", "9"], ["4", "×"], ["Total", "17"],
    ]  # fmt: skip
    magnitudes = fw.suppress(
        fw.table([[1200.5, 30.25], [2.75, 100]], decimals=2), where=[[False, True], [False, False]]
    )
    assert Page(magnitudes._repr_html_()).fields()[2] == ["1", "1,200.50", "×", "1,230.75"]


def test_large_tables_are_cut_and_say_so():
    table = np.random.default_rng(1).integers(0, 50, (60, 50))
    html = fw.suppress(table, where=table < 10)._repr_html_()
    assert "… stands for 49 more rows and 39 more columns." in html
    assert len(html) < 12_000
    assert Page(html).fields()[-1][-1] == f"{table.sum():,}"
    array = fw.examples.hypercube(1000)
    html = forms.array_html(array)
    assert "more rows" in html
    assert Page(html).fields()[-1][-1] == str(array.values.ravel()[-1])


def test_labels_are_escaped():
    label = '<img src=x onerror="alert(1)">'
    table = pd.DataFrame([[1, 5], [7, 2]], index=[label, "b"], columns=["x", "`y`"])
    release = fw.suppress(table, rule="< 3")
    for html in (
        release._repr_html_(),
        forms.audit_html(fw.audit(release)),
        forms.comparison_html(fw.compare(release)),
    ):
        assert any(label in row for row in Page(html).fields())


def test_a_form_that_fails_leaves_the_plain_text(monkeypatch):
    release = fw.suppress(THREE, rule="< 3")
    assert "<table" in release._repr_html_()
    assert in_notebook(lambda item: 1 / 0, release) is None
    assert replace(release, dims=())._repr_html_() is None


# --- the crosstab -------------------------------------------------------------------------------------------------


def _facts(release: fw.Release) -> list:
    sums = release.sums
    rows = {
        (tuple(np.sort(sums.matrix[[i]].indices).tolist()), int(sums.lower[i]), int(sums.upper[i]), int(sums.value[i]))
        for i in range(len(sums))
    }
    cells = [release.lower.tolist(), release.upper.tolist(), release.value.tolist(), (release.status == 0).tolist()]
    return [*cells, rows, {tuple(key) for key in release.asked.tolist()}, [(d.name, d.labels) for d in release.dims]]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (THREE, {"where": CORNERS}),
        (THREE, {"rule": "< 3", "where": [{"A": "1"}, {}]}),
        (fw.table([[1200.5, 30.25], [2.75, 100]], decimals=2), {"where": [[True, True], [True, True]]}),
        (np.arange(12).reshape(2, 3, 2), {"rule": "< 4"}),
        (np.arange(16).reshape(2, 2, 2, 2), {"rule": "< 4"}),
    ],
)
def test_from_crosstab_makes_the_release_again(table, options):
    release = fw.suppress(table, **options)
    decimals = release.decimals
    assert _facts(fw.from_crosstab(release.crosstab(), decimals=decimals)) == _facts(release)
    named = release.crosstab(across=release.dims[0].name, total="Sum")
    again = fw.from_crosstab(named, total="Sum", decimals=decimals)
    assert len(again.hidden) == len(release.hidden)
    assert len(again.sums) == len(release.sums)


def test_the_crosstab_has_what_readers_see():
    release = fw.publish(THREE, margins=["A", "B"])
    marked = release.crosstab(mark="×")
    assert marked.loc["1"].tolist() == ["×", "×", "×", 10]
    assert marked.loc["All"].tolist() == [11, 15, 19, ""]
    frame = release.crosstab()
    assert frame.isna().sum().sum() == 10
    assert str(frame.dtypes.iloc[0]) == "Int64"
    with pytest.raises(fw.InputError, match="no dim 'D'; known: 'A', 'B'"):
        release.crosstab(across="D")
    with pytest.raises(fw.InputError, match="names every dim"):
        release.crosstab(across=["A", "B"])
    with pytest.raises(fw.InputError, match="has a label '2'; choose another total="):
        release.crosstab(total="2")


# --- results ------------------------------------------------------------------------------------------------------


def test_an_audit_shows_its_verdict_and_its_riskiest_cells():
    audit = fw.audit(fw.examples.ase15().release)
    html = forms.audit_html(audit)
    rows = Page(html).fields()
    assert "<b>4 hidden cells are known exactly, of 21; the riskiest of the others, area=8, religion=6" in html
    assert rows[0][:4] == ["area", "religion", "interval", "distribution"]
    assert [row[3] for row in rows[4:6]] == ["█", "▅██"]
    assert len(rows) == 11
    assert "… and 11 more in <code>.cells</code>" in html
    assert "2,714 tables agree with the release" in html
    assert audit._repr_html_() == html


def test_known_cells_do_not_crowd_out_the_others():
    table = np.full((9, 3), 1)
    hidden = np.zeros((9, 3), dtype=bool)
    hidden[:7, 0] = hidden[7:, 1:] = True
    audit = fw.audit(fw.suppress(table, where=hidden))
    heads, *rows = Page(forms.audit_html(audit)).fields()
    risk = [row[heads.index("risk")] for row in rows]
    assert risk.count("known") == 6
    assert len(risk) == 10


def test_equal_bars_are_half_high():
    audit = fw.audit(fw.publish([[1, 2], [2, 1]], margins=["A", "B"]))
    assert forms.bars_in_line(audit.belief.pmfs[0]) == "▄▄▄▄"


def test_doubts_are_not_to_be_overlooked():
    release = fw.publish(np.arange(16).reshape(4, 4), margins=["A", "B"])
    short = {"method": "chains", "max_draws": 1024, "seed": 1, "tolerance": 1e-4}
    found = fw.compare(release, ["uniform"], **short)
    for html in (forms.audit_html(found.audits["uniform"]), forms.comparison_html(found)):
        assert "<b>NOT CONVERGED</b>: chains reached the most draws" in html
    unproven = fw.Certificate("unproven", "nobody <knows>", ("one reason", "another"), "support only")
    assert certificate_html(unproven).count("border-left") == 2
    assert "<b>unproven</b>: nobody &lt;knows&gt;" in certificate_html(unproven)
    assert "<li>another</li>" in unproven._repr_html_()


def test_moves_and_what_they_reach():
    release = fw.suppress(THREE, rule="< 3", where=CORNERS)
    moves = fw.moves.choose_moves(release)
    assert Page(moves_html(moves)).fields()[1][:2] == ["1", "4"]
    assert moves._repr_html_() == moves_html(moves)
    assert (
        reach_html(fw.moves.check_connected(release))
        == "<p>Checked by walking through all tables (7): every one is reached.</p>"
    )
    assert "NOT all are reached: they fall into 7 parts" in fw.moves.check_connected(release, [])._repr_html_()


def test_a_map_a_study_and_the_risk_of_a_sample():
    found = fw.ru_map(
        [[1, 14], [17, 83]],
        {"rounded": (fw.protect.random_round, {"base": [3]}), "controlled": fw.protect.controlled_round},
        where="< 3",
        seeds=2,
    )
    html = forms.map_html(found)
    assert Page(html).fields()[0][:3] == ["method", "setting", "risk"]
    assert "<b>likelihood: support only</b>: controlled" in html
    assert found._repr_html_() == html
    cube = np.random.default_rng(1).poisson(2, (4, 5, 6))
    study = fw.studies.table_study(
        cube, {"T": ("A,B", {"C": "1"})}, {"RR": ("after", "random_round", {"base": 3})}, seeds=2
    )
    assert Page(study._repr_html_()).fields()[1][:2] == ["T", "RR"]
    risk = fw.survey.sample_risk([[3, 0], [1, 2]], people=20, model="urn", draws=50, seed=1)
    html = risk._repr_html_()
    assert "A sample of 6 of 20 people" in html
    assert Page(html).fields()[2][0] == "R2, of the sample"


def test_a_study_of_samples_tells_how_far_off_its_models_are():
    study = fw.survey.sample_study([[30, 4, 0], [12, 25, 3]], [0.5, 0.2], ["urn", "shrunk"], seeds=2, draws=20)
    html = study._repr_html_()
    assert "<b>Samples of 74 people in 6 cells, 1 of them empty: what 2 models of the population made" in html
    heads, first, *_ = Page(html).fields()
    row = study.frame.loc[(0.5, "urn")]
    assert first[:2] == ["0.5", "urn"]
    assert first[heads.index("rms error")] == f"{row['rms']:.4f}"
    assert first[heads.index("truth in the 95%")] == f"{100 * row['inside']:.3g}%"
    assert "border-left" not in html
    runs = study.runs.assign(doubt=["", "NOT CONVERGED", *[""] * 6])
    assert "<b>NOT CONVERGED</b>: urn at 0.5 (1 sample)" in replace(study, runs=runs)._repr_html_()
    assert forms.sample_study_html(replace(study, models={"urn": "<b>"})).count("<b>") == 1


def test_sets_of_margins_show_what_each_risks():
    found = fw.studies.compare_margins([[3, 1, 1], [0, 2, 4]])
    html = found._repr_html_()
    heads, *rows = Page(html).fields()
    assert [row[0] for row in rows] == list(found.frame.index[::-1])
    risk = found.frame.iloc[-1]["risk"]
    assert rows[0][heads.index("risk")] == f"{risk:.3f}"
    assert rows[0][heads.index("tables")] == str(fw.count(fw.publish([[3, 1, 1], [0, 2, 4]], ["A", "B"])))
    assert "doubts" not in heads
    assert "<b>STOPPED EARLY</b>: left out: A,B" in replace(found, left_out=("A,B",))._repr_html_()
    sampled = fw.studies.compare_margins([[3, 1, 1], [0, 2, 4]], [["A", "B"]], tolerance=0.5, method="chains")
    assert Page(sampled._repr_html_()).fields()[1][heads.index("tables")] == "not counted"
    known = fw.studies.compare_margins([[1, 0], [0, 0]], [["A", "B"]])
    assert Page(known._repr_html_()).fields()[1][heads.index("risk")] == "known"


def test_an_answer_shows_only_what_whoever_asked_may_see():
    labels = pd.MultiIndex.from_product([list("abc"), list("wxyz")], names=["sex", "age"])
    counts = pd.Series(np.random.default_rng(1).poisson(20, 12), index=labels, name="count")
    server = fw.server.TableServer(counts, mechanism="random_round")
    answer = server.tabulate("sex,age")
    html = answer._repr_html_()
    assert [[int(one) for one in row[1:]] for row in Page(html).fields()[2:]] == answer.table.values.tolist()
    other = replace(
        answer,
        tables=replace(answer.tables, true=answer.tables.true + 1000),
        view=None,
        reason="SECRET",
    )
    assert other._repr_html_() == html
    assert repr(other) == repr(answer)
    refused = replace(answer, released=False, reason="it has 17 people", notice="it has too few people")
    assert "because it has too few people." in refused._repr_html_()
    assert "17" not in refused._repr_html_()
    assert repr(refused) == "<Answer to sex x age: refused, because it has too few people>"


@pytest.mark.parametrize("name", fw.examples.names())
def test_examples_tell_their_source(name):
    example = fw.examples.load(name)
    html = example._repr_html_()
    assert f"<b>{example.title}</b>" in html
    assert len(Page(html).tables) == 1 + (example.table is not None) + (example.published is not None)


def test_the_heat_map_of_an_audit():
    audit = fw.audit(fw.publish(np.arange(12).reshape(2, 3, 2), margins=["A,B", "C"]))
    whole, chosen = audit.heat_map(), audit.heat_map(C="2")
    assert isinstance(whole, Figure)
    assert "which has the riskiest hidden cell" in whole.axes[0].get_title()
    assert chosen.axes[0].get_title() == "the slice C=2, of 2 slices"
    assert audit.heat_map(A="1").axes[0].get_ylabel() == "B"
    with pytest.raises(fw.InputError, match="no cell with B=1 is hidden"):
        fw.audit(fw.suppress(THREE, where=[{"A": "1", "B": "2"}])).heat_map(B="1")
    with pytest.raises(fw.InputError, match="names the dim 'Z'"):
        audit.heat_map(Z="1")
