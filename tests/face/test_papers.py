"""The papers' figures, recomputed (see the source of each example for what is a misprint in print)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fiberwalk as fw


def test_dot02_table1_bounds_and_uniform_risk():
    release = fw.examples.dot02_table1().release
    bounds = fw.bounds(release)
    assert bounds.to_numpy().tolist() == [[0, 406], [1131, 1537], [0, 406], [845, 1251]]
    cells = fw.audit(release).cells
    assert (cells["support"] == 407).all()
    assert cells["uniform_risk"].to_numpy() == pytest.approx(0.11536, abs=5e-6)
    assert cells["entropy"].to_numpy() == pytest.approx(math.log2(407), abs=1e-9)
    assert fw.count(release) == 407


def test_dot02_table1_under_the_hypergeometric_law():
    from scipy.stats import hypergeom

    audit = fw.audit(fw.examples.dot02_table1().release, law="hypergeometric")
    assert audit.cells.loc[("5", "5"), "entropy"] == pytest.approx(5.2589, abs=5e-5)
    pmf = audit.pmf(activity="5", size="5")
    assert pmf.to_numpy() == pytest.approx(hypergeom(2788, 406, 1537).pmf(pmf.index.to_numpy()), abs=1e-12)
    assert audit.cells["understatement"].min() > 1.6


def test_dot02_redesign_with_the_row_total_hidden_too():
    release = fw.examples.dot02_table2().release
    audit = fw.audit(release, hidden_margins=["activity"])
    bounds = fw.bounds(release, hidden_margins=["activity"])
    wanted = {"4": (649, 0.10702), "5": (406, 0.11536), "6": (1275, 0.09692), "7": (2382, 0.08914), "8": (3467, 0.08503),
              "Total": (8179, 0.07694)}  # fmt: skip
    for activity in "56":
        for size, (upper, risk) in wanted.items():
            row = audit.cells.loc[(activity, size)]
            assert (row["lower"], row["upper"]) == (0, upper)
            assert tuple(bounds.loc[(activity, size)]) == (0, upper)
            assert row["uniform_risk"] == pytest.approx(risk, abs=5e-6)
            alike = size != "Total"
            assert (row["risk"] == pytest.approx(row["uniform_risk"], rel=1e-9)) == alike
    assert audit.cells.loc[("5", "Total"), "entropy"] == pytest.approx(12.3621, abs=5e-5)
    assert audit.tables == math.prod(n + 1 for n in (649, 406, 1275, 2382, 3467)) == fw.count(release)


def test_dot02_redesign_from_a_full_table_gives_the_same_facts():
    # any completion of Table 1 merges to Table 2
    table = np.array([[80, 253, 54, 0, 0], [641, 3694, 2062, 746, 0], [592, 100, 329, 1437, 1440],
                      [57, 306, 946, 945, 2027], [78, 0, 890, 1719, 1743]])  # fmt: skip
    import xarray as xr

    labelled = xr.DataArray(
        table, dims=["activity", "size"], coords={"activity": ["2,3", "4", "5", "6", "7"], "size": list("45678")}
    )
    merged = fw.merge(labelled, {"activity": {"5,6": ["5", "6"]}})
    printed = fw.examples.dot02_table2().release
    assert fw.bounds(merged).equals(fw.bounds(printed))
    assert fw.count(merged) == fw.count(printed)


def test_dot02_redesign_with_the_row_totals_published_changes_the_entropies():
    plain = fw.examples.dot02_table2().release
    told = plain.knows({"activity": "5"}, exactly=3898)
    assert fw.bounds(told).loc[("5", "8")].tolist() == [0, 3467]
    assert len(fw.bounds(told)) == 10
    from fiberwalk.fiber.blocks.presolve import presolve

    assert len(presolve(plain).blocks) == 5
    assert len(presolve(told).blocks) == 1


def test_dot02_insider_subtracts_her_own_part():
    # the linked tables of section 4.4 leave 995..1004; the second largest contributor has 400
    release = fw.publish([[1000, 9]], margins=["A"]).knows({"A": "1", "B": "1"}, at_least=995, at_most=1004)
    outsider = fw.bounds(release).loc[("1", "1")].tolist()
    insider = fw.bounds(release.knows({"A": "1", "B": "1"}, own=400)).loc[("1", "1")].tolist()
    assert outsider == [995, 1004]
    assert insider == [595, 604]
    audit = fw.audit(release.knows({"A": "1", "B": "1"}, own=400))
    assert audit.pmf(A="1", B="1").index.tolist() == list(range(595, 605))
    assert audit.cells.loc[("1", "1"), "truth"] == 600


def test_dot02_rounding_leaves_base_values_and_fewer_at_zero():
    for base in range(1, 12):
        release = fw.round_to([[0, 7 * base]], base=base, margins=[])
        bounds = fw.bounds(release)
        if base == 1:
            assert len(bounds) == 0  # nothing is hidden
            continue
        width = (bounds["upper"] - bounds["lower"] + 1).tolist()
        assert width == [math.ceil(base / 2), base]
    # a rounded total of zero is given away to base 2, not published
    assert ("Total", "Total") in fw.bounds(fw.round_to([[0, 0]], base=2, margins=[""]), hidden_margins=[""]).index


def test_dot02_example_1_sensitivity_rules():
    passed, stopped = [59, 40, 1], [61, 20, 19]
    assert not fw.protect.sensitivity.dominance(passed, n=1, k=60)
    assert fw.protect.sensitivity.dominance(stopped, n=1, k=60)
    # the second largest contributor bounds the largest by 60 and by 80: the p% rule ranks the cells the other way round
    assert fw.protect.sensitivity.largest_known_within(passed) < fw.protect.sensitivity.largest_known_within(stopped)
    assert fw.protect.sensitivity.p_percent(passed, p=10)
    assert not fw.protect.sensitivity.p_percent(stopped, p=10)


def test_dfkpr01_margins_and_the_integer_gap():
    example = fw.examples.dfkpr01()
    table = example.table
    assert table.sum("K").values.tolist() == [[3, 87, 68, 72], [5, 8, 80, 4], [3, 4, 7, 107], [64, 6, 56, 7]]
    assert table.sum("I").values.tolist() == [[5, 2, 68], [10, 10, 85], [69, 81, 61], [7, 132, 51]]
    assert table.sum("J").values.tolist() == [[74, 75, 81], [3, 85, 9], [8, 61, 52], [6, 4, 123]]
    assert int(table.sum()) == 581
    bounds = fw.bounds(example.release)
    assert bounds.loc[("1", "3", "3"), "upper"] == 13
    linear = fw.bounds(example.release, continuous=True)
    assert linear.loc[("1", "3", "3"), "upper_in_fractions"] == pytest.approx(13.5)
    for side in ("lower", "upper"):
        gap = (linear[f"{side}_in_fractions"] - bounds[side]).abs() > 1e-6
        assert gap[gap].index.tolist() == ([("1", "3", "3")] if side == "upper" else [])


def test_dfkpr01_bounds_of_a_hidden_margin_and_its_three_disclosures():
    table = fw.examples.dfkpr01().table
    release = fw.publish(table, margins=["I,J", "J,K"])
    bounds = fw.bounds(release, hidden_margins=["I,K"]).xs("Total", level="J")
    ij, jk, j = table.sum("K").values, table.sum("I").values, table.sum(["I", "K"]).values
    disclosures = []
    for i in range(4):
        for k in range(3):
            row = bounds.loc[(str(i + 1), str(k + 1))]
            assert row["upper"] == sum(min(ij[i, m], jk[m, k]) for m in range(4))
            assert row["lower"] == sum(max(0, ij[i, m] + jk[m, k] - j[m]) for m in range(4))
            if row["upper"] < math.ceil(1.2 * int(table.sum("J").values[i, k])):
                disclosures.append((i + 1, k + 1))
    assert disclosures == [(1, 1), (2, 2), (4, 3)]


def test_dfkpr01_square():
    release = fw.examples.dfkpr01_square().release
    assert fw.audit(release).cells["entropy"].to_numpy() == pytest.approx(4.0)
    assert fw.audit(release, law="hypergeometric").cells["entropy"].to_numpy() == pytest.approx(2.41586, abs=5e-6)


# Misprints are corrected: .001, .515, .380, 008 and .002 stand for .0001, .0515, .0380, .0008 and .0002.
# A bare 0 is printed for less than .0001; the one of theta = 0.2, w = 11 should be .0001 (it is .000055).
DFKPR01_TABLE_3 = {
    0.05: (1.0115, "0 .0007 .0683 .7746 .1482 .0178 .0017 .0001 .0000 0 0 0 0 0 0 0"),
    0.1: (1.0235, "0 .0026 .1151 .6193 .2235 .0515 .0096 .0016 .0002 0 0 0 0 0 0 0"),
    0.2: (1.0490, "0 .0088 .1655 .4382 .2708 .1121 .0380 .0114 .0032 .0008 .0002 0 0 0 0 0"),
}
# Correct posteriors of w = 1 to 6 under the prior of Table 4, and the utility; the printed Table 5 slipped an index.
DFKPR01_POSTERIORS = {
    0.05: ([0.0014, 0.1342, 0.7610, 0.0971, 0.0058, 0.0005], 0.2405),
    0.1: ([0.0052, 0.2248, 0.6049, 0.1455, 0.0168, 0.0025], 0.2327),
    0.2: ([0.0174, 0.3252, 0.4306, 0.1774, 0.0367, 0.0099], 0.2181),
}


def utility(pmf, truth=1):
    """Mean squared precision."""
    return 1 / float(((pmf.index.to_numpy() - truth) ** 2 * pmf).sum())


@pytest.mark.parametrize(("theta", "printed"), DFKPR01_TABLE_3.items())
def test_dfkpr01_likelihoods_of_table_3(theta, printed):
    frame = fw.snooper.square(fw.examples.dfkpr01_square().published, theta)
    assert frame.index.tolist() == list(range(16))
    for found, text in zip(frame["likelihood"], printed[1].split(), strict=True):
        assert f"{found:.4f}".lstrip("0") == text if "." in text else found < 1e-4
    assert round(frame["likelihood"].sum(), 4) == printed[0]
    assert frame["posterior"].to_numpy() == pytest.approx((frame["likelihood"] / frame["likelihood"].sum()).to_numpy())


@pytest.mark.parametrize(("theta", "correct"), DFKPR01_POSTERIORS.items())
def test_dfkpr01_posteriors_and_utilities_of_markov_perturbation(theta, correct):
    paper = fw.examples.dfkpr01_square()
    posterior = fw.snooper.square(paper.published, theta, paper.prior)["posterior"]
    assert posterior.loc[1:6].round(4).tolist() == correct[0]
    assert utility(posterior) == pytest.approx(correct[1], abs=5e-5)
    release = fw.protect.as_protected(paper.published, "markov_perturb", theta=theta)
    audited = fw.audit(release, fw.laws.prior([({"row": "1", "column": "1"}, paper.prior)]))
    assert utility(audited.pmf(row="1", column="1")) == pytest.approx(correct[1], abs=5e-5)


def test_dfkpr01_utilities_of_suppression_and_rounding():
    """Suppression leaves the prior as it is; a cell that is rounded to 3, base 3, leaves 1 to 5 of it."""
    paper = fw.examples.dfkpr01_square()
    corner = {"row": "1", "column": "1"}
    law = fw.laws.prior([(corner, paper.prior)])
    hidden = fw.suppress(paper.table, where=paper.table >= 0)
    rounded = fw.protect.as_protected(paper.published // 3 * 3, "round_to", base=3, rounding="within")
    found = {name: fw.audit(one, law).pmf(**corner) for name, one in (("hidden", hidden), ("rounded", rounded))}
    assert found["hidden"].to_dict() == pytest.approx({w: p for w, p in paper.prior.items() if p})
    assert found["rounded"].index.tolist() == [1, 2, 3, 4, 5]
    assert utility(found["hidden"]) == pytest.approx(0.1587, abs=5e-5)
    assert utility(found["rounded"]) == pytest.approx(0.3462, abs=5e-5)


def test_dfkpr01_rounded_to_base_three_leaves_up_to_five_values():
    ij = fw.examples.dfkpr01().table.sum("K")
    bounds = fw.bounds(fw.round_to(ij, base=3, rounding="within", margins=[]))
    assert bounds.loc[("1", "1")].tolist() == [1, 5]  # published as 3
    assert ((bounds["upper"] - bounds["lower"] + 1) <= 5).all()


def test_dfkpr01_expected_harm():
    audit = fw.audit(fw.round_to([[3]], base=3, rounding="within", margins=[]))
    harm = audit.harm(lambda k: 1 / k)
    assert harm.iloc[0] == pytest.approx(sum(1 / k for k in range(1, 6)) / 5)
    assert fw.risk.expected_harm(audit.pmf(A="1", B="1"), {1: 1.0}) == pytest.approx(0.2)


def test_ase15_table_is_the_printed_one():
    table = fw.examples.ase15().table
    assert table.shape == (10, 9)
    assert int(table.sum()) == 2449
    assert int((table == 0).sum()) == 25


@pytest.mark.parametrize("name", fw.examples.names())
def test_every_example_says_where_it_is_from(name):
    example = fw.examples.load(name)
    assert "(20" in example.source
    assert example.notes
    assert len(fw.bounds(example.release)) > 0


def test_an_unknown_example_is_refused_by_name():
    with pytest.raises(fw.InputError, match="there is no example 'nope'; there are dot02_table1"):
        fw.examples.load("nope")
