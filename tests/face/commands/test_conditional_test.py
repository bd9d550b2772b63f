"""fiberwalk test: what it prints, and what it refuses."""

from __future__ import annotations

import pytest
from support.terminal import fiberwalk

import fiberwalk as fw


@pytest.fixture
def counts(tmp_path):
    """A table of counts in a file."""
    path = tmp_path / "counts.csv"
    path.write_text("sex,answer,n\nm,yes,3\nm,no,1\nf,yes,1\nf,no,3\n")
    return path


def test_the_finding_is_told_and_saved(counts, tmp_path):
    saved = tmp_path / "test.fw"
    done = fiberwalk(
        "test", counts, "--hypothesis", "sex", "--hypothesis", "answer", "--statistic", "probability", "--save", saved
    )
    assert done.exit_code == 0
    assert "If the model sex + answer holds, a table with these sums has a probability of at least" in done.output
    assert "with probability 0.4857." in done.output
    assert "1 degrees of freedom; all 5 tables with these sums." in done.output
    assert fw.load(saved).p == pytest.approx(17 / 35)


def test_drawn_tables_come_with_an_interval(counts):
    done = fiberwalk("test", counts, "--hypothesis", "symmetry", "--method", "chains", "--max-error", "0.02")
    assert "drawn tables; 95% interval" in done.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--hypothesis", "sex", "--impossible", "m"],
            "--impossible m: write it as DIM=LABEL for every dim, joined by commas.",
        ),
        (["--hypothesis", "sex", "--impossible", "sex=m,answer=yes"], "is not empty in the table"),
        (["--hypothesis", "sex", "--rule", "< 3"], "--rule says nothing about a table of counts."),
        (["--hypothesis", "age"], "age"),
        ([], "Missing option '--hypothesis'"),
    ],
)
def test_bad_input_ends_in_a_sentence(counts, options, words):
    done = fiberwalk("test", counts, *options)
    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output


def test_a_table_with_holes_is_refused(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("A,B,value\n1,1,\n1,2,3\n1,Total,5\n")
    done = fiberwalk("test", path, "--hypothesis", "B")
    assert done.exit_code == 2
    assert "every cell needs its count; some have no figure." in done.output
