"""Several intruders side by side: what is compared, how cells are ranked, and the command."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.commands.main import main

TABLE = [[4, 0, 1], [1, 2, 6], [3, 8, 2]]
HIDDEN = [{"A": a, "B": b} for a in "12" for b in "123"]


@pytest.fixture(scope="module")
def release() -> fw.Release:
    return fw.suppress(TABLE, where=[*HIDDEN, {"A": "3", "B": "3"}])


@pytest.fixture(scope="module")
def comparison(release) -> fw.Comparison:
    return fw.compare(release, ["uniform", "hypergeometric", fw.laws.expected(np.array(TABLE) + 0.1)])


def test_each_law_is_its_own_audit(release, comparison):
    assert list(comparison.audits) == ["uniform", "hypergeometric", "expected counts"]
    assert repr(comparison) == "<Comparison of 'uniform', 'hypergeometric', 'expected counts' on 7 hidden cells>"
    cells = comparison.cells
    for name, one in comparison.audits.items():
        alone = one.cells.loc[cells.index]
        for measure in ("entropy", "risk", "p_modal"):
            pd.testing.assert_series_equal(cells[name, measure], alone[measure], check_names=False)
        better = [(alone["risk"] > risk + 1e-9).sum() for risk in alone["risk"]]
        assert cells[name, "rank"].tolist() == [1 + n for n in better]
    uniform = fw.audit(release).cells.loc[cells.index]
    for measure in ("lower", "upper", "support", "uniform_risk"):
        pd.testing.assert_series_equal(cells["interval", measure], uniform[measure], check_names=False)
    assert cells["all laws", "worst_risk"].round(12).is_monotonic_decreasing
    assert cells.index[0] == ("3", "3")  # known exactly
    assert math.isinf(cells["all laws", "worst_risk"].iloc[0])


def test_the_cells_in_short(comparison):
    cells, risks = comparison.cells, comparison.risks
    assert list(risks.columns) == ["lowest", "highest", "interval", "uniform", "hypergeometric", "expected counts"]
    assert risks.index.equals(cells.index)
    for name, measure in {"lowest": "lower", "highest": "upper", "interval": "uniform_risk"}.items():
        assert risks[name].tolist() == cells["interval", measure].tolist()
    for name in comparison.audits:
        assert risks[name].tolist() == cells[name, "risk"].tolist()
    assert np.isinf(risks.loc[("3", "3"), "interval":]).all()  # known exactly
    assert pd.api.types.is_integer_dtype(risks["highest"])


def test_changes_of_rank(comparison):
    cells = comparison.cells
    changes = []
    for name in ("hypergeometric", "expected counts"):
        expected = cells["uniform", "rank"] - cells[name, "rank"]
        assert cells[name, "rank_change"].tolist() == expected.tolist()
        changes.append(expected.abs())
    assert cells["all laws", "largest_change"].tolist() == np.max(changes, axis=0).tolist()
    assert cells["all laws", "largest_change"].max() > 0
    assert ("uniform", "rank_change") not in cells.columns
    found = comparison.rank_correlation
    for one in comparison.audits:
        told = spearmanr(cells[one, "risk"].round(12), cells["interval", "uniform_risk"]).statistic
        assert found.loc[one, "interval"] == pytest.approx(told)
    assert "'expected counts' ranks" in comparison.sentence
    assert "(rank correlation 0." in comparison.sentence


def test_what_a_law_excludes_is_still_in_the_interval(release):
    narrow = fw.laws.prior([(HIDDEN[0], {4: 1.0, 5: 1.0})])
    cells = fw.compare(release, [narrow, "uniform"]).cells.loc[("1", "1")]
    assert cells["uniform", "risk"] < cells["prior", "risk"]
    whole = fw.audit(release).cells.loc[("1", "1")]
    assert cells["interval"][["lower", "upper", "support"]].tolist() == whole[["lower", "upper", "support"]].tolist()


def test_names_of_laws(release):
    means = fw.laws.expected(np.ones((3, 3)))
    assert list(fw.compare(release, [means, "uniform", means]).audits) == [
        "expected counts 1", "uniform", "expected counts 2"
    ]  # fmt: skip
    assert list(fw.compare(release, {"naive": "uniform", "insider": means}).audits) == ["naive", "insider"]
    alone = fw.compare(release, "uniform", hidden_margins=["A"])
    assert alone.sentence.startswith("The interval alone ranks")
    same = fw.compare(release, {"one": "uniform", "two": "uniform"})
    assert same.sentence == "'two' ranks all 7 cells as 'one' does."


def test_what_is_refused(release):
    for laws, words in (
        ([], "needs at least one law"),
        (["uniform", "hypergeometrc"], "there is no law 'hypergeometrc'; did you mean 'hypergeometric'"),
        ({"interval": "uniform"}, "'interval' is the name of other columns"),
        ({"lowest": "uniform"}, "'lowest' is the name of other columns"),
        (3, "law= must be"),
    ):
        with pytest.raises(fw.InputError, match=words):
            fw.compare(release, laws)
    with pytest.raises(fw.InputError, match="laws=.* not law="):
        fw.compare(release, law="uniform")


def test_nothing_hidden():
    nothing = fw.compare(fw.publish(TABLE, ["A,B"]))
    assert len(nothing.cells) == len(nothing.risks) == 0
    assert nothing.sentence == "Nothing is hidden: every cell is published."
    with pytest.raises(fw.InputError, match="nothing to plot"):
        nothing.plot()


def test_chains_that_did_not_converge_are_told(comparison):
    def doubtful(one):
        belief = one.belief
        pmfs = tuple(replace(pmf, converged=False, method="chains") for pmf in belief.pmfs)
        unproven = Certificate("unproven", "nothing is known")
        return replace(one, belief=replace(belief, pmfs=pmfs, certificate=unproven))

    told = fw.Comparison({name: doubtful(one) for name, one in comparison.audits.items()})
    assert "Not all chains have converged" in told.sentence
    assert "unproven that the chains reach every table (under 'uniform'," in told.sentence
    assert told.plot()._suptitle.get_text() == "NOT CONVERGED, unproven"
    assert "converged" not in comparison.sentence
    assert "not converged" in told.readable().to_string()
    assert comparison.plot()._suptitle is None


def test_what_is_unproven_is_never_shown_without_the_word(comparison):
    name, audit = next(iter(comparison.audits.items()))
    word = fw.Certificate("unproven", "nobody knows")
    pmfs = tuple(replace(pmf, certificate=word, method="chains") for pmf in audit.belief.pmfs)
    told = fw.Comparison(
        {**comparison.audits, name: replace(audit, belief=replace(audit.belief, pmfs=pmfs, certificate=word))}
    )
    assert f"unproven that the chains reach every table (under {name!r}" in told.sentence
    assert (told.cells[name, "certificate"] == "unproven").all()
    assert "unproven" in told.readable()[f"{name} risk (rank)"].iloc[0]
    assert "unproven" not in comparison.readable().to_string()


def test_the_plot_shows_every_law(comparison):
    (axis,) = comparison.plot(top=3).axes
    assert len(axis.get_yticklabels()) == 3
    assert axis.get_yticklabels()[-1].get_text() == "A={}, B={}".format(*comparison.cells.index[1])  # known: not shown
    shown = [text.get_text() for text in axis.get_legend().get_texts()]
    assert shown == ["the interval alone", "uniform", "hypergeometric", "expected counts"]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("risk 1 / H (1/bits)", "hidden cell, riskiest first")
    with pytest.raises(fw.InputError, match="at least one cell"):
        comparison.plot(top=0)


def test_the_command(release, comparison, tmp_path):
    path, out = tmp_path / "table.csv", tmp_path / "laws.csv"
    release.to_file(path)
    done = CliRunner().invoke(main, ["compare", str(path), "--top", "2", "--csv", str(out)])
    assert done.exit_code == 0, done.output
    assert "'hypergeometric' ranks" in done.output
    assert "uniform risk (rank)" in done.output
    assert "known (1)" in done.output
    assert "... and 5 more" in done.output
    frame = pd.read_csv(out, dtype={"A": str, "B": str}).set_index(["A", "B"])
    expected = comparison.cells.loc[frame.index, ("hypergeometric", "risk")]
    assert frame["hypergeometric risk"].to_numpy() == pytest.approx(expected.to_numpy())
    wrong = CliRunner().invoke(main, ["compare", str(path), "--law", "flat"])
    assert wrong.exit_code == 2
