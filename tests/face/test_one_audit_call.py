"""What the snooper believes after each kind of protection, in one call, against enumeration with the plain formulas."""

import itertools
import math

import numpy as np
import pytest
from support.naive import tables as naive

import fiberwalk as fw

TRUTH = np.array([[4, 1, 2], [2, 5, 0]])
ROWS, COLUMNS = TRUTH.sum(axis=1), TRUTH.sum(axis=0)
MATRIX = np.array([[0.8, 0.2, 0, 0], [0.3, 0.4, 0.3, 0], [0, 0.3, 0.4, 0.3], [0, 0, 0.4, 0.6]])


def tables():
    """Every table with the row and column totals of the truth."""
    margins = [[list("ab"), [""] * 3], [["", ""], list("xyz")]]
    return naive.tables(6, [fact for groups in margins for fact in naive.margin_facts(TRUTH, groups)])


def up(figure, true):
    """Random rounding to base 3."""
    return max(0.0, 1 - abs(figure - true) / 3)


def moved(figure, true):
    """The transition matrix; a count above it moves like its last row."""
    row = min(true, 3)
    column = figure - (true - row)
    return MATRIX[row, column] if 0 <= column <= 3 else 0.0


def drawn(figure, true):
    """How many samples have this count."""
    return math.comb(true, figure)


def each(p, published):
    return lambda table: math.prod(p(y, x) for y, x in zip(published, table, strict=True))


CASES = {
    "random rounding, exact totals": (lambda: fw.protect.random_round(TRUTH, 3, seed=2, exact=["A", "B"]), up),
    "perturbation, exact totals": (lambda: fw.protect.perturb(TRUTH, MATRIX, seed=2, exact=["A", "B"]), moved),
    "a sample, population margins known": (lambda: fw.protect.draw_sample(TRUTH, 0.4, seed=2, exact=["A", "B"]), drawn),
}


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
@pytest.mark.parametrize("name", CASES)
def test_one_call_answers(name, law):
    release, likelihood = CASES[name][0](), CASES[name][1]
    assert release.likelihood == "exact"
    weight = {"uniform": naive.uniform, "hypergeometric": naive.hypergeometric}[law]
    said = each(likelihood, release.published.values.ravel().tolist())
    audit = fw.audit(release, law)
    for number, (a, b) in enumerate(itertools.product("12", "123")):
        expected = naive.pmf(tables(), [number], lambda table: weight(table) * said(table))
        found = audit.pmf(A=a, B=b)
        assert found[found > 0].to_dict() == pytest.approx({x: p for x, p in expected.items() if p > 0})
        assert audit.cells.loc[(a, b), "truth"] == TRUTH.ravel()[number]


def test_one_call_answers_what_follows_from_a_known_rule():
    table = np.array([[1, 3, 1], [3, 2, 3], [1, 3, 2]])
    release = fw.suppress(table, rule="< 3", where=table > 2, rule_known=True, flags=True)
    margins = [[list("abc"), [""] * 3], [[""] * 3, list("xyz")]]
    everything = naive.tables(9, [fact for groups in margins for fact in naive.margin_facts(table, groups)])
    hidden_by_rule = (table < 3).ravel()
    possible = [
        one
        for one in everything
        if all(1 <= x <= 2 if primary else x >= 3 for x, primary in zip(one, hidden_by_rule, strict=True))
    ]
    assert 1 < len(possible) < len(everything)
    audit = fw.audit(release)
    for number, (a, b) in enumerate(itertools.product("123", "123")):
        assert audit.pmf(A=a, B=b).to_dict() == pytest.approx(naive.pmf(possible, [number], naive.uniform))
    assert audit.certificate.likelihood == "support only"


def test_sensitive_cells_from_records():
    import pandas as pd

    firms = pd.DataFrame({"town": list("aabbbb"), "size": list("slssss"), "turnover": [90, 9, 5, 4, 7, 6]})
    where = fw.protect.sensitivity.sensitive_cells(
        firms, ["town", "size"], "turnover", lambda c: fw.protect.sensitivity.p_percent(c, 10)
    )
    assert where.sel(town="a").values.all()
    assert not where.sel(town="b").values.any()
    with pytest.raises(fw.InputError, match="there is no column 'twon'; did you mean 'town'"):
        fw.protect.sensitivity.sensitive_cells(firms, ["twon"], "turnover", bool)
