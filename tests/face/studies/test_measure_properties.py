"""What R1 and R2 do when a table is changed: every rule over many tables, and what is shown of them."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.studies.table_edits import edits

PEOPLE = fw.examples.ase15().table
WEIGHTS = (0.1, 0.8, 0.1)


def naive_r1(F):
    """ASE15, formula 3."""
    n, cells = sum(F), len(F)
    entropy = -sum(x / n * math.log(x / n) for x in F if x)
    spread = entropy / math.log(cells) if cells > 1 else 0.0
    return 0.1 * F.count(0) / cells + 0.8 * (1 - spread) - 0.1 / math.sqrt(n) * math.log(1 / (math.e * math.sqrt(n)))


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), min_size=1, max_size=8), st.data())
@examples(150)
def test_every_rule_holds_of_every_table(cells, data):
    F = np.array([count for count, _ in cells])
    G = np.array([int(count * share) for count, share in cells])
    if not F.any():
        F[0] = 1
    if not G.any():
        G[F.argmax()] = 1
    weights = data.draw(st.sampled_from([WEIGHTS, (0.2, 0.3, 0.5), (1, 0, 0), (0, 1, 0), (0, 0, 1)]))
    frame = fw.studies.risk_properties(F, G, weights).frame
    assert frame["holds"].dropna().all(), frame[frame["holds"] == False]  # noqa: E712
    assert len(frame["holds"].dropna()) >= 6


def test_the_changes_are_what_they_are_called():
    found = {
        one.name: (one.F.tolist(), one.G.tolist()) for one in edits(np.array([4, 0, 1, 7]), np.array([2, 0, 0, 3]))
    }
    assert found == {
        "as it is": ([4, 0, 1, 7], [2, 0, 0, 3]),
        "all of it published": ([4, 0, 1, 7], [4, 0, 1, 7]),
        "everybody in one cell": ([0, 0, 0, 12], [0, 0, 0, 5]),
        "everybody spread evenly": ([3, 3, 3, 3], [2, 1, 1, 1]),
        "ten times the counts": ([40, 0, 10, 70], [20, 0, 0, 30]),
        "a cell more that is empty": ([4, 0, 1, 7, 0], [2, 0, 0, 3, 0]),
        "smallest cell emptied into the largest": ([4, 0, 0, 8], [2, 0, 0, 3]),
        "two smallest cells merged": ([0, 5, 7], [0, 2, 3]),
        "largest cell split in two": ([4, 0, 1, 4, 3], [2, 0, 0, 2, 1]),
        "an empty cell merged into the largest": ([4, 1, 7], [2, 0, 3]),
    }


def test_the_risks_are_those_of_the_changed_tables():
    F = np.array([4, 0, 1, 7])
    frame = fw.studies.risk_properties(F, F // 2).frame
    for edit in edits(F, F // 2):
        assert frame.loc[edit.name, "r1"] == pytest.approx(naive_r1(edit.F.tolist()))
        assert frame.loc[edit.name, "r2"] == pytest.approx(fw.risk.r2(edit.F, edit.G))
        assert frame.loc[edit.name, "r1_change"] == pytest.approx(
            frame.loc[edit.name, "r1"] - frame.loc["as it is", "r1"]
        )


def test_a_split_may_go_either_way():
    """So that no rule is claimed of it."""
    even, uneven = (fw.studies.risk_properties(one, one).frame for one in ([6, 6, 6], [30, 1, 0, 0]))
    change = "largest cell split in two"
    assert even.loc[change, "r1_change"] > 0 > uneven.loc[change, "r1_change"]
    assert even.loc[change, "rule"] == ""


def test_a_measure_that_breaks_a_rule_would_be_seen():
    rules = {one.name: one.holds for one in edits(np.array([4, 0, 1]), np.array([2, 0, 1])) if one.holds}
    assert not rules["as it is"](0.2, 0.3, 0.2, 0.3)
    assert not rules["all of it published"](0.2, 0.1, 0.2, 0.1)
    assert not rules["everybody in one cell"](0.5, 0.4, 0.4, 0.4)
    assert not rules["everybody spread evenly"](0.2, 0.1, 0.3, 0.1)
    assert not rules["ten times the counts"](0.2, 0.1, 0.2, 0.2)
    assert not rules["a cell more that is empty"](0.2, 0.1, 0.1, 0.1)
    assert not rules["smallest cell emptied into the largest"](0.2, 0.1, 0.1, 0.1)
    assert not rules["an empty cell merged into the largest"](0.2, 0.1, 0.2, 0.3)


def test_it_is_shown():
    found = fw.studies.risk_properties(PEOPLE)
    first = found.frame.iloc[0]
    assert first["r1"] == pytest.approx(0.231461, abs=1e-6)
    assert first["r2"] == pytest.approx(fw.risk.r2(PEOPLE, fw.protect.draw_sample(PEOPLE, 0.1, seed=1).published))
    assert repr(found) == f"<RiskProperties: R1 0.2315, R2 {first['r2']:.4f}, and 9 changes of the table>"
    axis = found.plot(title="Religion").axes[0]
    assert [text.get_text() for text in axis.get_yticklabels()] == list(found.frame.index)
    said = [text.get_text().replace("\n", " ") for text in axis.texts]
    assert [one.split(" R1 -")[0].split(" R1 +")[0] for one in said] == [
        rule or "either way" for rule in found.frame["rule"]
    ]
    assert said[-1].endswith("R1 -0.002, R2 -0.002")
    broken = fw.studies.RiskProperties(found.frame.assign(holds=False)).plot().axes[0].texts
    assert broken[0].get_text() == "0 <= R2 <= R1 <= 1: NOT HERE"
    dots = axis.collections[0].get_offsets()
    assert np.asarray(dots)[:, 0] == pytest.approx(found.frame["r1"].to_numpy())
    assert "largest cell split" in found._repr_html_()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (([[0, 0]],), "the table sums to 0; nobody is in it"),
        (([[3, 1]], [[1, 2]]), "sample= has people, and in no cell more than the table"),
        (([[3, 1]], [[0, 0]]), "sample= has people"),
        (([[3, 1]], [[1, 0, 0]]), "the table and sample= are not the same table"),
        (([[3, 1]], None), "of 4 units that is a sample of nobody"),
        (([[3, 1]], [[1, 0]], (1, 2, 3)), "weights sum to 1"),
    ],
)
def test_errors(asked, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.studies.risk_properties(*asked)
