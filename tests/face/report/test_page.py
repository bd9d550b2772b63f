"""The report and its pieces: what it says first, what it never leaves out, and pictures that do not mislead."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.numbers import number_of_tables
from fiberwalk.posterior.parts.pmf import Pmf, bits_of
from fiberwalk.report.page import report_page
from fiberwalk.report.plots.heat_map import KNOWN, OPEN, PUBLISHED, UNASKED, heat_map_figure, riskiest_slice
from fiberwalk.report.plots.value_bars import bars_of
from fiberwalk.report.words import doubts, probability, readable, short_cell_name, shortened, verdict

UNPROVEN = Certificate("unproven", "sums of lattice vectors", ("chains started at 9 tables", "R-hat below 1.05"))


@pytest.fixture(scope="module")
def deceptive():
    """An intruder with good expected counts: wide intervals, and hardly a doubt."""
    return fw.audit(fw.publish([[30, 1], [2, 40]], ["A", "B"]), law=fw.laws.expected([[3e4, 1e-3], [1e-3, 4e4]]))


@pytest.fixture(scope="module")
def stopped():
    """An audit as chains that were stopped too early would leave it, one cell in bins."""
    whole = fw.audit(fw.publish([[60, 11], [12, 80]], ["A", "B"]))

    def sampled(pmf: Pmf, k: int) -> Pmf:
        width, p = (10, np.add.reduceat(pmf.p, np.arange(0, len(pmf.p), 10))) if k == 0 else (1, pmf.p)
        return replace(
            pmf, p=p, possible=np.ones(len(p), dtype=bool), width=width, method="chains", certificate=UNPROVEN, sharp=k > 0,
            ess=400.0 + k, rhat=1.02 + k / 1000, entropy_error=0.03 - k / 1000, p_error=np.full(len(p), 0.01),
            converged=False,
        )  # fmt: skip

    pmfs = tuple(sampled(pmf, k) for k, pmf in enumerate(whole.belief.pmfs))
    belief = replace(whole.belief, pmfs=pmfs, tables=None, certificate=UNPROVEN, stopped="60 seconds were over")
    return replace(whole, belief=belief, settings={**whole.settings, "method": "chains", "seed": 7})


@pytest.fixture(scope="module")
def stopped_page(stopped):
    return report_page(stopped)


@pytest.fixture
def no_pictures(monkeypatch):
    """For tests of words: drawing takes most of the time."""
    monkeypatch.setattr("fiberwalk.report.page._pictures", lambda audit: {})
    monkeypatch.setattr("fiberwalk.report.page.sparkline", lambda pmf, decimals, truth: ("", ""))


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.split("</style>")[1]))


# --- words ---------------------------------------------------------------------------------------------------------


def test_the_verdict_is_one_sentence_that_leads_with_cells_that_look_safe(deceptive):
    sentence = verdict(deceptive)
    assert sentence.startswith(
        "4 of the 4 hidden cells look safe by their interval and are not (A=1, B=1 may be 0 to 31, "
    )
    assert "none is known exactly" in sentence
    assert sentence.count(". ") == 0


def test_one_hidden_cell_and_all_known():
    assert verdict(fw.audit(fw.publish([5], [""]))) == "The only hidden cell is known exactly."
    half_open = fw.publish([5], []).knows({"A": "1"}, at_most=6)
    assert verdict(fw.audit(half_open)).startswith("The only hidden cell, A=1, has 2.81 bits left")
    both = fw.audit(fw.publish([[5, 0], [0, 0]], ["A", "B"]))
    assert verdict(both) == "All 4 hidden cells are known exactly."


def test_magnitudes_are_told_by_the_range_that_holds_most_of_the_probability(no_pictures):
    audit = fw.audit(fw.publish(fw.table([[30.5, 1.2], [2.4, 40.1]], decimals=1), ["A", "B"]).without_truth())
    assert verdict(audit).endswith("A=1, B=1, is between 0 and 28.6 with probability 0.9, of the 0 to 31.7 it may be.")
    page = text_of(report_page(audit))
    assert "90% range" in page
    assert "its probability" not in page
    assert "Here values are counted in steps of 0.1" in page


def test_magnitudes_whose_truth_is_known_are_told_by_how_near_a_guess_comes(no_pictures):
    audit = fw.audit(fw.publish(fw.table([[30.5, 1.2], [2.4, 40.1]], decimals=1), ["A", "B"]))
    near = audit.cells.assign(p_near=[0.1, 0.2, 0.75, 0.3]).drop(columns=["p0", "p1"], errors="ignore")
    object.__setattr__(audit, "cells", near)
    named = "A={}, B={}".format(*near.index[2])
    assert f"the riskiest, {named}, is within 10% of its truth with probability 0.750" in verdict(audit)
    rows = re.findall(r"<td>(0\.\d00|0\.750)</td>", report_page(audit).split("All hidden cells, riskiest first")[1])
    assert rows[:4] == ["0.750", "0.300", "0.200", "0.100"]


def test_a_number_of_tables_that_nobody_reads_is_rounded():
    assert number_of_tables(2_789_726_137_255_200) == "2,789,726,137,255,200"
    assert number_of_tables(3 * 10**163) == "about 10^163"
    assert number_of_tables(10**9000) == "about 10^9000"  # Python itself refuses to write these digits


def test_a_probability_is_one_only_where_nothing_else_is_possible():
    assert [probability(p) for p in (0.25, 0.9994, 0.99951, 1.0)] == ["0.250", "0.999", "> 0.999", "> 0.999"]
    assert probability(1.0, sure=True) == "1"


def test_not_converged_and_unproven_are_never_left_out(stopped, stopped_page):
    assert [word for word, _ in doubts(stopped)] == ["NOT CONVERGED", "unproven"]
    boxes = re.findall(r'class="doubt" role="note"><strong>(.*?)</strong> (.*?)</p>', stopped_page)
    assert boxes[0][0] == "NOT CONVERGED"
    assert boxes[0][1].startswith("60 seconds were over.")
    assert boxes[1][0] == "unproven"
    assert stopped_page.index("NOT CONVERGED") < stopped_page.index("<h2>")
    assert (readable(stopped.cells)["certificate"] == "unproven").all()
    assert "±" in readable(stopped.cells)["bits left"].iloc[0]


def test_the_evidence_names_the_worst_cells(stopped_page):
    page = text_of(stopped_page)
    assert "Fewest effective draws 400 (A=1, B=1)" in page
    assert "Largest R-hat 1.0230 (A=2, B=2)" in page
    assert "Largest error of an entropy 0.0300 bits (A=1, B=1); wanted: three times it below 0.02" in page
    assert "0 exact, 4 sampled" in page
    assert "chains started at 9 tables R-hat below 1.05" in page
    assert "The bounds of one cell hold but may be wider than need be" in page
    assert "seed 7" in page


def test_an_exact_answer_says_so(no_pictures):
    page = text_of(report_page(fw.audit(fw.examples.ase15().release)))
    assert "Nothing was sampled" in page
    assert "All bounds are sharp" in page
    assert "NOT CONVERGED" not in page
    assert "unproven" not in page
    assert "true values of hidden cells: it is not for publication" in page


# --- the page ------------------------------------------------------------------------------------------------------


def test_the_same_audit_gives_the_same_bytes(stopped, stopped_page):
    import matplotlib

    with matplotlib.rc_context({"axes.facecolor": "black", "font.size": 20}):  # a user's own style is for her own plots
        assert report_page(stopped) == stopped_page


def test_many_cells_and_long_labels_make_a_page_of_fifty_rows():
    table = pd.DataFrame([[1, 2]] * 60, index=[f"a label that goes on and on, number {k}" for k in range(60)])
    page = report_page(fw.audit(fw.publish(table, ["A"])))
    assert len(page) < 2_000_000
    assert "(the first 50 of 120)" in page
    assert "70 further rows are not shown" in page


def test_what_respondents_can_see_is_shown_where_it_was_asked(no_pictures):
    audit = fw.audit(fw.publish([[3, 1], [2, 4]], ["A", "B"]))
    assert "What respondents can see" not in report_page(audit)
    frame = pd.DataFrame(
        {"kind": ["single", "dominant"], "newly_known": [1, 0], "risk": [np.inf, np.nan], "converged": [True, False]},
        index=pd.MultiIndex.from_tuples([("1", "<a>"), ("2", "b")], names=["A", "B"]),
    )
    for name, value in (("insiders", {}), ("respondents", frame)):
        object.__setattr__(audit, name, value)
    assert "1 respondent learns another cell exactly" in verdict(audit)
    page = report_page(audit)
    told = "2 respondents are alone in a hidden cell, or have most of it, and can subtract their part; 1 of them learns"
    assert told in text_of(page)
    assert re.search(r"&lt;a&gt;.*<td>single</td><td>1</td><td>known</td><td>yes</td>", page)
    object.__setattr__(audit, "respondents", frame.head(0))
    assert "No respondent is alone in a hidden cell" in text_of(report_page(audit))


# --- the heat map --------------------------------------------------------------------------------------------------


def test_the_map_of_a_two_way_table():
    part = riskiest_slice(fw.audit(fw.examples.ase15().release))
    assert (part.row_dim, part.column_dim, part.words) == ("area", "religion", "")
    assert part.state.shape == (10, 9)
    assert (part.state == KNOWN).sum() == 4
    assert (part.state == OPEN).sum() == 17
    assert part.state[part.rows.index("10"), part.columns.index("3")] == KNOWN
    assert np.isnan(part.risk[part.state == PUBLISHED]).all()
    heat_map_figure(part).canvas.draw()


def test_the_slice_with_the_riskiest_cell_is_chosen_and_said():
    table = np.array([[[9, 9], [9, 9]], [[9, 9], [9, 9]], [[0, 0], [0, 1]]])
    part = riskiest_slice(fw.audit(fw.publish(table, ["A,B", "A,C"])))
    assert (part.row_dim, part.column_dim) == ("A", "B")
    assert part.words == "the slice C=1, which has the riskiest hidden cell, of 2 slices"
    assert (part.state[2] == KNOWN).all()


def test_totals_that_are_asked_about_stand_at_the_end_of_the_map():
    part = riskiest_slice(fw.audit(fw.publish([[3, 1], [2, 4]], ["A"]), hidden_margins=["B"]))
    assert part.rows == ("1", "2", "Total")
    assert part.columns == ("1", "2")
    assert (part.state == OPEN).all()
    both = riskiest_slice(fw.audit(fw.publish([[3, 1], [2, 4]], ["A"]), hidden_margins=["B", ""]))
    assert both.columns == ("1", "2", "Total")
    assert both.state[0, 2] == PUBLISHED
    assert both.state[2, 2] == KNOWN
    heat_map_figure(both).canvas.draw()
    assert UNASKED not in both.state


def test_a_line_a_single_cell_and_linked_tables_have_maps():
    line = riskiest_slice(fw.audit(fw.publish([3, 1, 2], [""])))
    assert (line.row_dim, line.columns, line.state.shape) == ("", ("1", "2", "3"), (1, 3))
    one = riskiest_slice(fw.audit(fw.publish([5], [""])))
    assert one.state.tolist() == [[KNOWN]]
    wide = fw.publish(pd.DataFrame([[3, 4], [4, 3]], columns=pd.Index(["x", "y"], name="size")), ["A", "size"])
    small = fw.publish(pd.DataFrame([[7, 0], [7, 0]], columns=pd.Index(["u", "v"], name="kind")), ["A", "kind"])
    part = riskiest_slice(fw.audit(fw.linked([wide, small])))
    assert part.column_dim == "kind"
    assert "(2 of 2 linked ones)" in part.words
    for some in (line, one, part):
        heat_map_figure(some, "steps of 0.1").canvas.draw()


def test_of_large_tables_the_riskiest_lines_are_drawn_and_not_every_label():
    hidden = np.zeros((100, 3), dtype=bool)
    hidden[[5, 97]] = [[True, True, False]] * 2
    part = riskiest_slice(fw.audit(fw.suppress(np.full((100, 3), 4), where=hidden)))
    assert part.words == "the 80 of 100 rows with the riskiest cells"
    assert {"6", "98"} < set(part.rows)
    labels = heat_map_figure(part).axes[0].get_yticklabels()
    assert len(labels) == 40


def test_nothing_hidden_has_no_map():
    audit = fw.audit(fw.publish([[3, 1], [2, 4]], ["A,B"]))
    assert riskiest_slice(audit) is None
    assert "<img" not in report_page(audit)


# --- bars ----------------------------------------------------------------------------------------------------------


@given(
    first=st.integers(-5, 50),
    weights=st.lists(st.integers(0, 9), min_size=1, max_size=90).filter(any),
    width=st.sampled_from([1, 1, 4]),
    stretch=st.sampled_from([1, 3]),
    slack=st.tuples(st.integers(0, 30), st.integers(0, 30)),
    most=st.integers(1, 40),
)
def test_bars_hold_the_probability_of_their_values(first, weights, width, stretch, slack, most):
    """Against a list of every value with its probability."""
    p = np.zeros((len(weights) - 1) * stretch + 1)
    p[::stretch] = np.array(weights) / sum(weights)
    possible = np.zeros(len(p), dtype=bool)
    possible[::stretch] = True
    last = first + width * len(p) - 1
    if width > 1:
        slack, possible = (0, 0), np.ones(len(p), dtype=bool)
    pmf = Pmf(
        first, p, possible, lower=first - slack[0], upper=last + slack[1], support=int(possible.sum()),
        entropy=bits_of(p, width), width=width,
    )  # fmt: skip
    bars = bars_of(pmf, most)
    assert len(bars.height) <= most
    assert bars.edges[0] <= pmf.values[0]
    assert bars.edges[-1] > pmf.values[-1]
    assert (np.diff(bars.edges) > 0).all()
    probability = bars.height * np.diff(bars.edges) / bars.each
    assert probability.sum() == pytest.approx(1)
    for left, right, bar in zip(bars.edges, bars.edges[1:], probability, strict=False):
        inside = sum(one for value, one in zip(pmf.values, pmf.probabilities, strict=True) if left <= value < right)
        assert bar == pytest.approx(inside)


def test_equal_probabilities_give_level_bars_whatever_the_last_one_holds():
    pmf = Pmf.exact(0, np.full(487, 1 / 487), np.ones(487, dtype=bool))
    assert np.ptp(bars_of(pmf, 60).height) < 1e-12
    even = np.zeros(401)
    even[::2] = 1 / 201
    assert np.ptp(bars_of(Pmf.exact(0, even, even > 0), 60).height) < 1e-12


def test_distributions_of_every_kind_can_be_drawn(stopped):
    figure = stopped.plot()
    figure.canvas.draw()
    assert "NOT CONVERGED" in figure._suptitle.get_text()
    wide = np.zeros(5_000_001)
    wide[[0, 4_000_000, 5_000_000]] = 0.01, 0.98, 0.01
    peak = bars_of(Pmf.exact(0, wide, wide > 0), 60)
    assert len(peak.height) <= 60
    assert peak.height.max() == pytest.approx(0.98)


def test_long_labels_that_differ_at_their_ends_can_be_told_apart():
    labels = [f"manufacture of machinery and equipment, part {k}" for k in range(3)]
    assert len({shortened(label, 20) for label in labels}) == 3
    assert all(len(shortened(label, 20)) <= 20 for label in labels)
    assert short_cell_name(("a", "b"), ("I", "J"), 44) == "I=a, J=b"
    names = {short_cell_name((label, "b"), ("branch of economic activity", "J"), 44) for label in labels}
    assert len(names) == 3
    assert max(map(len, names)) <= 44
