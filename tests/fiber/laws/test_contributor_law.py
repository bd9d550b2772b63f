"""Magnitudes whose contributors are counted: which are sensitive, what a reader makes of it, who knows best."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

TURNOVER = pd.DataFrame([[6, 20, 40], [9, 14, 70], [4, 18, 33]], index=list("abc"), columns=["s", "m", "l"])
FIRMS = pd.DataFrame([[7, 4, 1], [9, 3, 2], [5, 4, 3]], index=list("abc"), columns=["s", "m", "l"])
SQUARE = [{"A": a, "B": b} for a in "ab" for b in "ml"]


def released():
    return fw.suppress(TURNOVER.rename_axis(index="A", columns="B"), where=SQUARE)


def log_normal_mass(x, median, spread):
    """The probability of what rounds to x, by the error function."""

    def below(edge):
        return 0.5 * math.erfc(-(math.log(edge / median)) / spread / math.sqrt(2)) if edge > 0 else 0.0

    return below(x + 0.5) - below(x - 0.5)


@pytest.mark.parametrize("by", [None, "B"])
def test_a_hidden_cell_is_its_contributors_times_what_one_has(by):
    """Every table of the square weighed one by one: one number says it all."""
    table = pd.concat([TURNOVER, pd.DataFrame([[5, 9, 80]], index=["d"], columns=["s", "m", "l"])])
    firms = pd.concat([FIRMS, pd.DataFrame([[4, 4, 3]], index=["d"], columns=["s", "m", "l"])])
    release = fw.suppress(table.rename_axis(index="A", columns="B"), where=SQUARE)
    hidden = np.zeros(table.shape, dtype=bool)
    hidden[:2, 1:] = True
    fits = []
    for column in range(3):
        chosen = ~hidden if by is None else ~hidden & (np.arange(3) == column)
        logs = np.log(table.to_numpy()[chosen] / firms.to_numpy()[chosen])
        fits.append((math.exp(logs.mean()), logs.std(ddof=1)))

    def weight(x):
        values = [[x, 60 - x], [34 - x, 50 + x]]
        parts = [
            log_normal_mass(values[i][j], fits[j + 1][0] * firms.iloc[i, j + 1], fits[j + 1][1])
            for i in range(2)
            for j in range(2)
        ]
        return math.prod(parts)

    weights = np.array([weight(x) for x in range(35)])
    law = fw.laws.per_contributor(firms.rename_axis(index="A", columns="B"), by=by)
    found = fw.audit(release, law=law).pmf(A="a", B="m")
    assert found.index.tolist() == list(range(35))
    assert found.to_numpy() == pytest.approx(weights / weights.sum(), rel=1e-9)
    shown = law.fitted(release)
    assert shown["median"].iloc[-1] == pytest.approx(fits[-1][0])
    assert shown["spread"].iloc[-1] == pytest.approx(fits[-1][1])


def test_nobody_has_nothing_and_the_unit_hardly_matters(tmp_path):
    table, firms = TURNOVER.copy(), FIRMS.copy()
    table.loc["a", "m"], firms.loc["a", "m"] = 0, 0
    named, counted = (one.rename_axis(index="A", columns="B") for one in (table, firms))
    law = fw.laws.per_contributor(counted)
    release = fw.suppress(named, where=SQUARE)
    assert fw.audit(release, law=law).pmf(A="a", B="m").to_dict() == {0: 1.0}
    audit = fw.audit(released(), law=fw.laws.per_contributor(FIRMS))
    finer = fw.audit(
        fw.suppress(fw.table(TURNOVER / 1.0, decimals=1), where=SQUARE), law=fw.laws.per_contributor(FIRMS)
    )
    near = [one.probability(A="a", B="m", at_least=10, at_most=20) for one in (audit, finer)]
    assert near[0] == pytest.approx(near[1], abs=0.03)
    audit.save(tmp_path / "audit.fw")
    loaded = fw.load(tmp_path / "audit.fw")
    again = fw.audit(loaded.release, law=loaded.belief.law)
    assert again.pmf(A="a", B="m").equals(audit.pmf(A="a", B="m"))


def test_a_wider_reader_is_a_prior_of_the_wider_spread():
    release, law = released(), fw.laws.per_contributor(FIRMS, widen=2)
    median, spread = law.fitted(release).loc["all", ["median", "spread"]]
    prior = fw.laws.prior(
        [(cell, fw.laws.log_normal(median * FIRMS.loc[cell["A"], cell["B"]], 2 * spread)) for cell in SQUARE]
    )
    found = [fw.audit(release, law=one).pmf(A="a", B="m") for one in (law, prior)]
    assert found[0].to_numpy() == pytest.approx(found[1].to_numpy(), rel=1e-9)
    assert law.words.endswith("as among the published cells, with 2 times their spread")
    assert law.call == "fw.laws.per_contributor(contributors, widen=2)"


def test_a_law_that_counts_units_warns_of_magnitudes_without_decimals():
    release = fw.suppress(fw.table(TURNOVER.rename_axis(index="A", columns="B"), contributors=FIRMS), where=SQUARE)
    with pytest.warns(UserWarning, match=r"its answer depends on the unit \(here 1\)"):
        fw.audit(release, law="hypergeometric")


def test_dense_values_are_weighed_by_their_density():
    """Where the two forms meet, and far out on either side, they agree; no value is impossible."""
    prior = fw.laws.log_normal(5000, 0.3)
    values = np.array([0, 1, 999, 1000, 1001, 1002, 5000, 10**6, 10**12])
    found = prior.log_weights(values, (0, 0), 0)
    assert np.isfinite(found).all()
    for value, weight in zip(values[2:7].tolist(), found[2:7].tolist(), strict=True):
        assert weight == pytest.approx(math.log(log_normal_mass(value, 5000, 0.3)), rel=1e-5)


def test_what_a_law_per_contributor_cannot_use():
    release = released()
    with pytest.raises(fw.InputError, match=r"of B=m only 1 of its cells is published as it is; give a coarser by="):
        fw.audit(release, law=fw.laws.per_contributor(FIRMS, by="B"))
    with pytest.raises(fw.InputError, match=r"by='C'\): there is no such dim"):
        fw.audit(release, law=fw.laws.per_contributor(FIRMS, by="C"))
    with pytest.raises(fw.InputError, match=r"contributors have the shape \(2, 3\); the table has \(3, 3\)"):
        fw.audit(release, law=fw.laws.per_contributor(FIRMS.iloc[:2]))
    with pytest.raises(fw.InputError, match="contributors must be numbers of at least 0"):
        fw.audit(release, law=fw.laws.per_contributor(-FIRMS))
    with pytest.raises(fw.InputError, match=r"of the table none of its cells is published as it is; use fw.laws.prior"):
        fw.audit(fw.publish(TURNOVER, ["A", "B"]), law=fw.laws.per_contributor(FIRMS))
    for swapped in (FIRMS.replace(4, 0), FIRMS.replace(5, 0)):  # hidden cells, a published one
        with pytest.raises(fw.InputError, match=r"cell A=., B=. is above 0, but nobody contributes to it"):
            fw.audit(release, law=fw.laws.per_contributor(swapped))
    with pytest.raises(fw.InputError, match=r"cell A=c, B=s is above 0, but nobody contributes to it"):
        fw.audit(release.without_truth(), law=fw.laws.per_contributor(FIRMS.replace(5, 0)))
    for widen in (0, "2", float("inf")):
        with pytest.raises(fw.InputError, match=r"per_contributor\(widen=.*\): a number above 0, such as 2"):
            fw.laws.per_contributor(FIRMS, widen=widen)
    with pytest.raises(fw.InputError, match=r"fw.laws.prior\(\[...\]\), fw.laws.per_contributor\(contributors\)"):
        fw.audit(release, law="per contributor")
    law = fw.laws.per_contributor(FIRMS)
    with pytest.raises(fw.InputError, match="one table, and these are 2 linked ones"):
        fw.audit(fw.linked([release, fw.publish(xr.DataArray([19, 52, 143], [("B", ["s", "m", "l"])]), ["B"])]), law)
    with pytest.raises(fw.InputError, match=r"log_normal\(spread=0\): a number above 0"):
        fw.laws.log_normal(3, 0)


LARGEST = pd.DataFrame([[2, 8, 40], [8, 5, 50], [1, 8, 30]], index=list("abc"), columns=["s", "m", "l"])


def test_sensitive_magnitudes_at_their_edges():
    found = fw.protect.sensitivity.sensitive_magnitudes(TURNOVER, FIRMS, LARGEST, fewer_than=3, dominance=85)
    assert found.to_pandas().to_numpy().tolist() == [[False, False, True], [True, False, True], [False, False, True]]
    only = fw.protect.sensitivity.sensitive_magnitudes(TURNOVER, FIRMS, fewer_than=3)
    assert int(only.sum()) == 2
    exactly = fw.protect.sensitivity.sensitive_magnitudes([[100, 0]], [[3, 0]], [[85, 0]])
    assert not exactly.any()  # at the limit, and nobody: neither is too much


def test_a_table_knows_who_stands_behind_its_cells():
    table = fw.table(TURNOVER, contributors=FIRMS, largest=LARGEST)
    for rule in (fw.protect.sensitivity.sensitive_magnitudes, fw.protect.sensitivity.sensitive_totals):
        assert rule(table).equals(rule(TURNOVER, FIRMS, LARGEST))
    with pytest.raises(fw.InputError, match=r"how many contribute to each cell\? Give contributors="):
        fw.protect.sensitivity.sensitive_magnitudes(fw.table(TURNOVER))


def test_sensitive_totals_of_every_level():
    tree = {"A": {"ab": ["a", "b"]}}
    table, firms, largest = (one.rename_axis(index="A", columns="B") for one in (TURNOVER, FIRMS, LARGEST))
    found = fw.protect.sensitivity.sensitive_totals(
        fw.table(table, hierarchies=tree), firms, largest, fewer_than=4, dominance=65
    )
    assert found.loc[("ab", "l")].tolist() == [110, 3, 50, pytest.approx(100 * 50 / 110)]
    naive = set()
    for rows, name in (("a", "a"), ("b", "b"), ("c", "c"), ("ab", "ab"), ("abc", "Total")):
        for columns, other in (("s", "s"), ("m", "m"), ("l", "l"), ("sml", "Total")):
            part = [one.loc[list(rows), list(columns)].to_numpy() for one in (table, firms, largest)]
            is_cell = len(rows) == 1 and len(columns) == 1
            if not is_cell and (part[1].sum() < 4 or part[2].max() > 0.65 * part[0].sum()):
                naive.add((name, other))
    assert set(found.index) == naive


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(fewer_than=0), "fewer_than=0: a whole number of at least 1"),
        (dict(dominance=101), "dominance=101: a percentage above 0"),
        (dict(largest=LARGEST.where(LARGEST > 4)), "cell A=., B=. is not zero, but largest= has no number for it"),
        (dict(largest=LARGEST * 9), "cell A=a, B=s is less than the largest contribution to it"),
        (dict(contributors=FIRMS * 0), "cell A=a, B=s is not zero, but nobody contributes to it"),
        (dict(table=-TURNOVER), "the table must hold numbers of at least 0"),
        (dict(largest=[[1, 2]]), r"largest= has the shape \(1, 2\), but contributors= has \(3, 3\)"),
    ],
)
def test_summaries_that_cannot_be(given, words):
    with pytest.raises(fw.InputError, match=words):
        fw.protect.sensitivity.sensitive_magnitudes(
            **{"table": TURNOVER, "contributors": FIRMS, "largest": LARGEST} | given
        )


def test_exposure_names_who_comes_nearest():
    table, firms, largest = (one.rename_axis(index="A", columns="B") for one in (TURNOVER, FIRMS, LARGEST))
    where = fw.protect.sensitivity.sensitive_magnitudes(table, firms, largest, dominance=95)
    release = fw.protect.complementary_suppress(fw.table(table, contributors=firms, largest=largest), where)
    plain = fw.audit(release).exposure()
    assert plain["respondent"].isna().all()
    assert plain["worst"].equals(plain["everybody"])
    audit = fw.audit(release, intruders="respondents")
    found = audit.exposure()
    assert found["sensitive"].tolist() == sorted(found["sensitive"].tolist(), reverse=True)
    assert set(found.index[found["sensitive"]]) == {("a", "l"), ("b", "l")}
    assert found["everybody"].to_dict() == pytest.approx(audit.cells["p_near"].to_dict())
    for cell, row in found.iterrows():
        hers = {
            who: audit.seen_by(A=who[0], B=who[1]).cells.loc[cell, "p_near"]
            for who, kind in audit.respondents["kind"].items()
            if not (kind == "single" and who == cell)
        }
        assert row["respondent"] == pytest.approx(max(hers.values()))
        assert row["worst"] == max(row["everybody"], row["respondent"])
    # alone in (a, l), she knows the square, but of her own cell there is nothing to learn
    assert found.loc[("b", "l"), ["respondent", "who"]].tolist() == [1.0, "A=a, B=l"]
    assert found.loc[("a", "l"), "who"] != "A=a, B=l"
    with pytest.raises(fw.InputError, match=r"exposure\(\) needs a release that carries the truth"):
        fw.audit(release.without_truth()).exposure()
