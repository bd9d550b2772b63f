"""A Markov-perturbed table as an outsider reads it: she says of it what the agency does, less the truth and the seed."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.commands.main import main

TABLE = np.array([[1, 14, 4, 0], [17, 83, 2, 3], [5, 6, 7, 9]])
APART = [({"A": "1", "B": "1"}, {"A": "2", "B": "2"}), ({"A": "1", "B": "3"}, {"A": "3", "B": "4"})]


def facts(release: fw.Release) -> dict[bytes, tuple[int, int]]:
    sums = release.sums
    return {
        np.sort(row.indices).tobytes(): (int(low), int(high))
        for row, low, high in zip(sums.matrix, sums.lower, sums.upper, strict=True)
    }


def evidence(release: fw.Release) -> dict[int, tuple[int, int, bytes]]:
    return {int(one.cells[0]): (one.figure, one.first, one.log_weights.tobytes()) for one in release.evidence}


def check_same(read: fw.Release, made: fw.Release) -> None:
    outside = made.without_truth()
    for part in ("lower", "upper", "value", "status", "figures", "keys"):
        assert (getattr(read, part) == getattr(outside, part)).all(), part
    assert facts(read) == facts(outside)
    assert evidence(read) == evidence(outside)
    assert read.applied == outside.applied
    assert read.notes == outside.notes
    mine, theirs = read.applied[-1].mechanism, outside.applied[-1].mechanism
    assert (mine.theta, mine.order_known) == (theirs.theta, theirs.order_known)
    assert (mine.squares.cells == theirs.squares.cells).all()
    assert (mine.squares.dims == theirs.squares.dims).all()
    assert read.truth is None
    assert read.applied[-1].seed is None


@pytest.mark.parametrize("order", ["given", "secret"])
@pytest.mark.parametrize("squares", ["adjacent", "all", APART])
def test_an_outsider_reads_what_the_agency_made(order, squares):
    made = fw.protect.markov_perturb(TABLE, 0.3, squares=squares, order=order, seed=2)
    check_same(
        fw.protect.as_protected(made.published, "markov_perturb", theta=0.3, squares=squares, order=order),
        made,
    )


@examples(15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["A,B", ["A,C", "B,C"], None]))
def test_a_published_random_order_is_handed_in_as_squares(seed, dims):
    table = np.random.default_rng(seed).integers(0, 6, (3, 2, 2))
    made = fw.protect.markov_perturb(table, 0.3, dims=dims, seed=seed)
    squares = made.applied[-1].mechanism.squares
    check_same(
        fw.protect.as_protected(made.published, "markov-perturb", theta=0.3, squares=squares, order="given"),
        made,
    )
    unknown = fw.protect.as_protected(made.published, "markov_perturb", theta=0.3, dims=dims)
    assert not unknown.applied[-1].mechanism.order_known
    assert facts(unknown) == facts(made)


def test_exact_margins_that_are_published_besides_change_nothing_or_contradict():
    made = fw.protect.markov_perturb(TABLE, 0.1, seed=1)
    rows, columns = made.published.sum("B"), made.published.sum("A")
    read = fw.protect.as_protected(made.published, "markov_perturb", theta=0.1, exact=[rows, columns], order="given")
    assert facts(read) == facts(made)
    with pytest.raises(fw.Contradiction, match="two facts contradict each other: A=1, B=Total is 20, and"):
        fw.protect.as_protected(made.published, "markov_perturb", theta=0.1, exact=[rows + 1])


def test_from_a_file_by_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = fw.protect.markov_perturb(TABLE, 0.1, squares=APART[:1], seed=3)
    made.to_file("safe.csv")  # with cells that no square touches
    again = fw.protect.as_protected(
        fw.read_release("safe.csv", perturbed=True), "markov_perturb", theta=0.1, squares=APART[:1], order="given"
    )
    assert (again.figures == made.figures).all()
    assert facts(again) == facts(made)
    assert evidence(again) == evidence(made)
    (tmp_path / "square.csv").write_text("row,column,count\n1,1,3\n1,2,12\n2,1,15\n2,2,85\n")
    done = CliRunner().invoke(main, ["audit", "square.csv", "--protected-by", "markov_perturb theta=0.1"])
    assert done.exit_code == 0, done.output
    assert "row=1, column=1: 3, one of 15 possible values, has probability 0.61" in done.output
    assert "Likelihood exact: how probable Markov perturbation makes what was published" in done.output
    wrong = CliRunner().invoke(main, ["audit", "square.csv", "--protected-by", "markov-perturb theta=2"])
    assert wrong.exit_code == 2
    assert "theta=2: the probability of moving out" in wrong.output


def read(figures, **parameters):
    return fw.protect.as_protected(figures, "markov_perturb", **{"theta": 0.1, **parameters})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.as_protected(TABLE, "markov_perturb"), "markov_perturb needs its theta="),
        (lambda: read(TABLE, theta=1.2), "theta=1.2: the probability of moving out, from 0 (nothing moves) to 1"),
        (lambda: read(TABLE, theta=np.nan), "theta=nan: the probability of moving out"),
        (
            lambda: read(TABLE, order="last"),
            "order='last': 'given' where the squares are listed in the order of the steps",
        ),
        (lambda: read(TABLE, base=3), "markov_perturb has no parameter 'base'"),
        (lambda: read(TABLE, keyed=True), "keyed=True: markov_perturb has no random numbers that belong to cells"),
        (lambda: read(fw.table(TABLE, decimals=1)), "markov_perturb is for counts, and this table has decimals"),
        (
            lambda: read([[1, -1], [2, 3]]),
            "A=1, B=2, published as -1: markov_perturb moves units, and leaves no cell below",
        ),
        (
            lambda: read([[5, 0], [1, 20]], theta=1),
            "A=1, B=1, published as 5: with theta=1 no step within the square of this corner ends there",
        ),
        (
            lambda: read(
                [[1, 2], [3, 4]], squares=fw.protect.markov_perturb(TABLE, 0.1, seed=1).applied[0].mechanism.squares
            ),
            "squares= are those of a larger table",
        ),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(fw.InputError) as refused:
        call()
    assert words in str(refused.value)


def test_files_with_cells_that_are_withheld_or_totals_that_do_not_add_up(tmp_path):
    lines = "row,column,count,status\n1,1,3,p\n1,2,12,p\n2,1,15,p\n2,2,85,p\n"
    (tmp_path / "hidden.csv").write_text(lines.replace("2,2,85,p", "2,2,,x"))
    with pytest.raises(fw.InputError, match="row=2, column=2 is not published: markov_perturb publishes every cell"):
        read(fw.read_release(tmp_path / "hidden.csv"))
    (tmp_path / "total.csv").write_text(lines + "1,Total,16,p\n")
    with pytest.raises(fw.InputError, match="row=1, column=Total is published as 16, and its cells add up to 15"):
        read(fw.read_release(tmp_path / "total.csv"))
