"""Insiders who are after another contributor: what the second largest knows of the largest, and the other way round."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.frames.largest_other import largest_other
from fiberwalk.release.facts.facts import NO_VALUE
from fiberwalk.report.page import report_page
from fiberwalk.report.respondent_rows import what_they_learn


def splits(total: int, parts: int):
    """Every way to share an amount among so many."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in splits(total - first, parts - 1))


def possible_amounts(lower: int, upper: int, own: int, second: bool, contributors: int) -> list[int]:
    """Of the largest other contributor, by every way to share every possible amount."""
    return [
        max(one)
        for others in range(lower, upper + 1)
        for one in splits(others, contributors - 1)
        if not second or (max(one) >= own and sorted(one)[-2:-1] <= [own])
    ]


@examples(150)
@given(st.integers(2, 4), st.integers(1, 9), st.integers(0, 9), st.integers(0, 4), st.booleans())
def test_the_interval_against_every_way_to_share_the_rest(contributors, own, lower, width, second):
    lower += own if second else 0  # another has no less than she
    found = largest_other(lower, lower + width, own, second=second, contributors=contributors)
    amounts = possible_amounts(lower, lower + width, own, second, contributors)
    assert found == (min(amounts), max(amounts))
    unknown = largest_other(lower, lower + width, own, second=second, contributors=NO_VALUE)
    assert unknown.lower <= found.lower
    assert unknown.upper == found.upper


def records(*cells: tuple[str, str, list[int]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(town, size, amount) for town, size, amounts in cells for amount in amounts],
        columns=["town", "size", "turnover"],
    )


FIRMS = records(
    ("a", "s", [5, 4, 1]), ("a", "m", [3, 3]), ("a", "l", [9]), ("b", "s", [2, 2, 2, 1]), ("b", "m", [6, 1]),
    ("b", "l", [8, 8]),
)  # fmt: skip
SQUARE = [{"town": town, "size": size} for town in "ab" for size in "sm"]


@pytest.fixture(scope="module")
def audit():
    behind = fw.protect.sensitivity.contributions_of(FIRMS, ["town", "size"], "turnover")
    return fw.audit(fw.suppress(fw.table(**behind), where=SQUARE), intruders="respondents", percent=25)


def test_every_contributor_who_is_known_against_every_table_and_every_split(audit):
    """Row totals 16 and 14 of the open square, column totals 17 and 13: one number tells the table."""
    by_cell = {cell: sorted(part["turnover"], reverse=True) for cell, part in FIRMS.groupby(["town", "size"])}
    tables = [{("a", "s"): x, ("a", "m"): 16 - x, ("b", "s"): 17 - x, ("b", "m"): x - 3} for x in range(3, 17)]
    asked = {(tuple(cell), row["kind"]) for cell, row in audit.respondents.iterrows()}
    wanted = set()
    for _, row in audit.respondents.iterrows():
        cell, own, second = row.name, row["own"], row["kind"] == "second"
        amounts = by_cell[cell]
        wanted |= {(row.name, "second"), (row.name, "dominant" if 2 * amounts[0] > sum(amounts) else "largest")}
        assert own == amounts[1 if second else 0]
        others = [table[cell] - own for table in tables if table[cell] >= (2 * own if second else own)]
        possible = possible_amounts(min(others), max(others), own, second, len(amounts))
        assert (row["other_lower"], row["other_upper"]) == (min(possible), max(possible))
        other = amounts[0 if second else 1]
        assert row["other"] == other
        assert row["other_within"] == pytest.approx(100 * (max(others) - other) / other)
        near = np.mean([abs(y - other) <= 0.25 * other for y in others])
        assert row["p_near_other"] == pytest.approx(near)
    assert asked == wanted
    assert len(asked) == 8
    best = audit.respondents.groupby(level=[0, 1])["p_near_other"].max()
    assert audit.exposure()["other"].to_dict() == pytest.approx(best.to_dict())


def test_what_the_second_knows_of_the_other_cells_is_what_an_audit_of_hers_says(audit):
    cell = {"town": "b", "size": "m"}
    alone = fw.audit(audit.release.knows(cell, own=1, at_least=2))
    seen = audit.seen_by(cell, by_second=True)
    assert seen.cells["entropy"].to_dict() == pytest.approx(alone.cells["entropy"].to_dict())
    assert seen.cells.loc[("b", "m"), ["own", "truth"]].tolist() == [1, 6]
    assert audit.seen_by(cell).cells.loc[("b", "m"), "own"] == 6


def known_cell(amounts: list[int], percent: float) -> pd.DataFrame:
    """The respondents of a cell that everybody can work out."""
    behind = fw.protect.sensitivity.contributions_of(
        records(("a", "s", amounts), ("a", "l", [7]), ("b", "s", [5, 4]), ("b", "l", [3, 2])),
        ["town", "size"],
        "turnover",
    )
    release = fw.suppress(fw.table(**behind), where=[{"town": "a", "size": "s"}])
    return fw.audit(release, intruders="respondents", percent=percent).respondents.set_index("kind")


@pytest.mark.parametrize("amounts", [[59, 40, 1], [61, 20, 19], [50, 30, 10, 10], [30, 30, 30]])
def test_of_a_known_cell_it_is_the_p_percent_rule(amounts):
    """The 40 of DOT02's Example 1 comes within 1.7 percent of the 59; the dominance rule lets the cell pass."""
    for percent in (1, 5, 41, 99):
        row = known_cell(amounts, percent).loc["second"]
        assert round(row["other_within"], 1) == fw.protect.sensitivity.largest_known_within(amounts)
        assert (row["p_near_other"] == 1) == fw.protect.sensitivity.p_percent(amounts, percent)
    assert row["other_lower"] <= amounts[0] <= row["other_upper"]


def test_the_company_of_the_paper():
    """DOT02, 4.4: a cell known to be 995 to 1004, of which 400 are the second contributor's: 595 to 604."""
    behind = dict(contributors=[2, 1], largest=[600, 50], second=[400, 0])
    release = fw.publish(fw.table([1000, 50], **behind), [""]).knows({"A": "1"}, at_least=995, at_most=1004)
    row = fw.audit(release, intruders="respondents").respondents.set_index("kind").loc["second"]
    assert (row["other_lower"], row["other_upper"]) == (595, 604)
    assert row["other_within"] < 1
    assert row["p_near_other"] == 1


def test_counts_have_no_largest_contributor_but_the_single():
    table = [[1, 5, 4], [7, 2, 6], [3, 8, 9]]
    where = [{"A": a, "B": b} for a in "12" for b in "12"]
    release = fw.suppress(fw.table(table, contributors=table, largest=np.ones((3, 3))), where=where)
    frame = fw.audit(release, intruders="respondents").respondents
    assert frame["kind"].tolist() == ["single"]
    assert not any("other" in column for column in frame)


def test_reports_say_what_is_known_of_the_other(audit):
    page = report_page(audit)
    for words in ("largest other has at least", "too much by %"):
        assert words in page
    told = what_they_learn(audit.respondents)
    nearest = audit.respondents["other_within"].astype(float).min()
    assert "or have most of it or are first or second in it, and can subtract" in told
    assert f"is no more than {nearest:.3g}% above the largest other's amount" in told


def test_who_stands_behind_the_cells_by_hand():
    behind = fw.protect.sensitivity.contributions_of(FIRMS, ["town", "size"], "turnover")
    for name, town, size in itertools.product(behind, "ab", "sml"):
        amounts = sorted(FIRMS.query("town == @town and size == @size")["turnover"], reverse=True)
        figure = dict(data=sum(amounts), contributors=len(amounts), largest=amounts[0], second=[*amounts, 0][1])
        assert behind[name].sel(town=town, size=size) == figure[name]


def test_wrong_second_contributions(audit):
    table = dict(data=[10, 7], contributors=[3, 3])
    for given_, words in (
        (dict(second=[4, 2]), "second=, the second largest contributions, needs largest= with it"),
        (
            dict(largest=[5, 3], second=[4, 4]),
            "cell A=2 has a second largest contribution that is greater than its largest",
        ),
        (dict(largest=[6, 3], second=[5, 2]), "cell A=1 is less than its two largest contributions together"),
        (dict(largest=[6, 3], second=[1]), r"second= has the shape \(1,\), but the table has \(2,\)"),
    ):
        with pytest.raises(fw.InputError, match=words):
            fw.table(**table, **given_)
    turnover = fw.table(FIRMS.groupby(["town", "size"])["turnover"].sum(), contributors=[[1, 1, 1]] * 2)
    audit = fw.audit(
        fw.suppress(turnover, where=[{"town": "a", "size": "l"}]), intruders="respondents", magnitudes=True
    )
    with pytest.raises(fw.InputError, match="town=a, size=l has no second largest contributor who is known"):
        audit.seen_by(town="a", size="l", by_second=True)
    with pytest.raises(fw.InputError, match=r"contributions_of\(\): there is no column 'turnovr'"):
        fw.protect.sensitivity.contributions_of(FIRMS, ["town"], "turnovr")
    with pytest.raises(fw.InputError, match="contributions must be numbers of at least 0"):
        fw.protect.sensitivity.contributions_of(FIRMS.assign(turnover=-FIRMS["turnover"]), ["town"], "turnover")
