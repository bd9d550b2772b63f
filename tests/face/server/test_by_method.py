"""What other methods would make of a table: as servers with these methods make it."""

from __future__ import annotations

import pytest
from support.web.town import served

import fiberwalk as fw
from fiberwalk.server.by_method import MECHANISMS


@pytest.mark.parametrize("risk", ["split", "r1"])
def test_each_row_is_what_a_server_with_that_method_answers(risk):
    rules = fw.server.ServerRules(max_small_share=0.1)
    found = served(risk=risk, rules=rules).by_method("age,job", {"region": "Ä"})
    assert found.index.tolist() == ["unprotected", "this server", *MECHANISMS]
    assert found.loc["this server"].tolist() == found.loc["random rounding to base 3"].tolist()
    for row, (mechanism, parameters) in zip(found.iloc[2:].itertuples(), MECHANISMS.values(), strict=True):
        answer = served(risk=risk, mechanism=mechanism, parameters=parameters).look("age,job", {"region": "Ä"})
        assert row[1:3] == (answer.risk_after, answer.utility)
        assert row.changed == float((answer.table != answer.original).mean())
    plain = served(mechanism=None, parameters=None, risk=risk).look("age,job", {"region": "Ä"})
    assert found.loc["unprotected"].tolist() == [plain.risk_before, 1.0, 0.0]


def test_a_server_without_a_method_has_no_row_of_its_own():
    plain = served(mechanism=None, parameters=None).by_method("age", mechanisms={})
    assert plain.index.tolist() == ["unprotected"]


def test_nothing_is_written_down():
    server = served()
    server.by_method("age,job")
    assert len(server.log) == 0


@pytest.mark.parametrize(
    ("mechanisms", "words"),
    [
        ([("random_round", {"base": 3})], "mechanisms= is a dict of name to method, such as {'rounded'"),
        (
            {"mine": "random_round"},
            "mechanisms= is a dict of name to method, such as .*; one of them is 'random_round'",
        ),
        ({"mine": ("controlled_round", {"base": 3})}, "controlled_round treats a table as a whole"),
        ({"mine": ("random_rnd", {})}, "did you mean 'random_round'"),
    ],
)
def test_methods_that_are_none_are_refused(mechanisms, words):
    with pytest.raises(fw.InputError, match=words):
        served().by_method("age", mechanisms=mechanisms)
