"""What an auditor decides follows from its rules, the labels, the requests and the answers before; never from the data."""

from __future__ import annotations

from itertools import combinations, islice, product

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.protect.rounding.random_rounding import RandomRounding
from fiberwalk.release.tables.dims import Dim
from fiberwalk.server.auditor.auditor import REFUSED
from fiberwalk.server.auditor.watch import watch
from fiberwalk.server.rules import TOO_THIN

SHAPE = (3, 2, 2)
LABELS = {"A": ("1", "2", "3"), "B": ("1", "2"), "C": ("1", "2")}
REQUESTS = [
    (dims, filters)
    for number in (1, 2, 3)
    for dims in combinations(LABELS, number)
    for filters in [{}] + [{dim: label} for dim in LABELS if dim not in dims for label in LABELS[dim]]
]


def auditor(**options):
    rules = {"mu": 1.5, "at_most": 8, "least_ratio": 0.2, "breach_share": 0.8, "draws": 1000, "imagined": 80, "seed": 3}
    return fw.server.Auditor(**{**rules, **options})


def data(seed, mean=1.5):
    return np.random.default_rng(seed).poisson(mean, SHAPE)


def served(table, seed=4711, **options):
    options = {"auditor": auditor(), **options}
    return fw.server.TableServer(table, mechanism="random_round", parameters={"base": 3}, seed=seed, **options)


def groups_by_hand(dims, filters):
    """The cells of every figure of a table, by its labels."""
    cells = list(product(*LABELS.values()))
    groups = []
    for shown in product(*(LABELS[dim] for dim in dims)):
        wanted = {**dict(zip(dims, shown, strict=True)), **filters}
        groups.append(
            [all(dict(zip(LABELS, cell, strict=True))[d] == of for d, of in wanted.items()) for cell in cells]
        )
    return np.array(groups)


class Twin:
    """Anybody who has the rules of the auditor and the answers: no data, no secret seed."""

    def __init__(self, rules):
        dims = tuple(Dim(name, labels) for name, labels in LABELS.items())
        self.state = watch(rules, dims, np.ones(SHAPE, dtype=bool), RandomRounding(3))

    def decides(self, dims, filters):
        return self.state.allows(groups_by_hand(dims, filters))

    def learns(self, dims, filters, answer):
        table = np.zeros([len(LABELS[dim]) for dim in dims]) if answer.table is None else answer.table.values
        self.state = self.state.after(groups_by_hand(dims, filters), table.ravel())


@pytest.mark.parametrize("seed", range(3))
def test_anybody_can_work_out_the_decisions(seed):
    server, twin = served(data(seed)), Twin(auditor())
    decided = []
    for place in np.random.default_rng(seed).integers(len(REQUESTS), size=30):
        dims, filters = REQUESTS[place]
        expected = twin.decides(dims, filters)
        answer = server.tabulate(dims, filters)
        assert expected == (answer.released or answer.notice == TOO_THIN)
        assert expected or answer.notice == REFUSED
        if expected:
            twin.learns(dims, filters, answer)
        decided.append(expected)
    assert {True, False} == set(decided)
    assert (server._guard.watch.pool.tables == twin.state.pool.tables).all()


def pairs_with_the_same_answer():
    """Two data sets and seeds, of which one request is answered alike."""
    plain = {}
    for seed in range(60):
        table = data(seed)
        figures = served(table, seed, auditor=None).tabulate("C").table.values
        other = plain.setdefault(figures.tobytes(), (table, seed))
        if other[1] != seed and (other[0] != table).any():
            yield other, (table, seed)


def test_two_data_sets_with_the_same_past_answers_are_decided_alike():
    pairs = list(islice(pairs_with_the_same_answer(), 4))
    assert len(pairs) == 4
    for pair in pairs:
        servers = [served(*of, auditor=auditor(least_ratio=0.1, breach_share=0.9)) for of in pair]
        assert all(server.tabulate("C").released for _ in range(2) for server in servers)
        assert [server._guard.watch.answers for server in servers] == [1, 1]
        decided = [[server._guard.allows(_request(server, *asked)) for asked in REQUESTS] for server in servers]
        assert decided[0] == decided[1]
        assert {True, False} == set(decided[0])


def _request(server, dims, filters):
    from fiberwalk.server.cube.request import as_request

    return as_request(dims, filters, server.offered)


def first(server, answered):
    """A request that the auditor allows, or one that it refuses."""
    return next(asked for asked in REQUESTS if server._guard.allows(_request(server, *asked)) == answered)


def test_what_was_answered_is_answered_again_and_what_was_refused_is_refused_again():
    server = served(data(1), auditor=auditor(breach_share=0.9))
    dims, filters = first(server, answered=True)
    answer = server.tabulate(dims, filters)
    again = server.tabulate(dims[::-1], filters)
    assert answer.released == again.released
    assert server.tabulate(dims, {**filters, dims[0]: LABELS[dims[0]]}).notice == answer.notice  # all labels: no filter
    refused = first(server, answered=False)
    for _ in range(3):
        assert server.tabulate(*refused).notice == REFUSED
    server.tabulate(dims, filters)
    assert server._guard.watch.answers == 1
    assert server._guard.watch.spent == len(groups_by_hand(dims, filters)) * 1000 * 2 * 12
    assert len(server.log) == 7


@pytest.mark.parametrize("options", [{"budget": 1000 * 2 * 12 * 3}, {"imagined": 3}])
def test_a_budget_that_is_used_up_refuses_what_is_new(options):
    """Of steps, or of breaches: where 3 answers are imagined, each that is given costs a quarter at least."""
    rules = {"least_ratio": 0.01, "breach_share": 0.9}
    server = served(data(1), auditor=auditor(**rules, **options))
    assert server.tabulate("B").released
    assert served(data(1), auditor=auditor(**rules)).tabulate("C").released
    assert server.tabulate("C").notice == REFUSED
    assert server.tabulate("B").released


def test_every_answer_costs_what_it_risked_and_half_of_what_is_left_stays():
    for seed in range(3):
        server = served(data(seed), auditor=auditor(least_ratio=0.1, breach_share=0.5, imagined=200))
        for asked in REQUESTS:
            before = server._guard.watch
            server.tabulate(*asked)
            after = server._guard.watch
            cost = after.risked - before.risked
            assert cost == 0 if after.answers == before.answers else 1 / 201 <= cost <= (0.5 - before.risked) / 2
        server.tabulate("A,B,C")  # what was answered last is taken in
        groups = groups_by_hand(*first(server, answered=False))
        assert 0 < server._guard.watch.risked < 0.5
        pool, judged = server._guard.watch.pool, server._guard.watch.judged
        breaches = pool.telling_too_much(np.unique(groups, axis=0)[::1], judged, 200, 200)
        assert (breaches + 1) / 201 > (0.5 - server._guard.watch.risked) / 2 or server._guard.watch.blind


def test_a_server_that_is_set_up_anew_decides_alike(tmp_path):
    for seed in range(2):
        whole, parts = served(data(seed)), None
        path = tmp_path / f"log{seed}.sqlite"
        for number, place in enumerate(np.random.default_rng(seed).integers(len(REQUESTS), size=20)):
            if number % 5 == 0:
                parts = served(data(seed), log=path)
            answers = [server.tabulate(*REQUESTS[place]) for server in (whole, parts)]
            assert answers[0].released == answers[1].released
            assert answers[0].notice == answers[1].notice
        assert whole._guard.watch.answers > 0
        again = served(data(seed), log=path)
        whole.tabulate("A,B,C")
        assert (again._guard.watch.pool.tables == whole._guard.watch.pool.tables).all()
        assert again._guard.watch.known == whole._guard.watch.known


def test_two_servers_with_one_log_know_each_other_s_answers(tmp_path):
    one, other = (served(data(1), log=tmp_path / "log", auditor=auditor(breach_share=0.9)) for _ in range(2))
    dims, filters = first(one, answered=True)
    one.tabulate(dims, filters)
    other.tabulate("A,B,C")
    assert other._guard.watch.answers == 1


def test_a_refusal_by_the_auditor_has_no_table_and_one_notice():
    server = served(data(1))
    answer = server.tabulate("A,B,C")
    assert (answer.released, answer.notice, answer.reason) == (False, REFUSED, REFUSED)
    assert answer.table is answer.withheld is answer.original is answer.risk_before is None
    entry = server.log.entries()[0]
    assert (entry.released, entry.by_figures, entry.digest) == (False, False, "")


def test_a_table_of_nobody_is_known_to_be_empty():
    table = data(1)
    table[0] = 0
    server = served(table, auditor=auditor(least_ratio=0.001, breach_share=0.99))
    assert server.tabulate("B", {"A": "1"}).notice == TOO_THIN
    server.tabulate("A")
    assert server._guard.watch.answers >= 1
    assert server._guard.watch.pool.figures[:2] == (0, 0)


def test_answers_of_other_data_blind_it(tmp_path):
    for change in ({"table": data(2)}, {"seed": 5}):
        path = tmp_path / f"{next(iter(change))}.sqlite"
        served(data(1), log=path, auditor=None).tabulate("B")
        server = served(change.get("table", data(1)), change.get("seed", 4711), log=path)
        assert server.tabulate("C").notice == REFUSED
        assert server.notes[-1] == (
            "the auditor refuses all that is new: the log has an answer by other data or another method, request 1"
        )


def test_answers_that_no_auditor_would_have_allowed_blind_it(tmp_path):
    served(data(1), log=tmp_path / "chosen", auditor=None).tabulate("A", {"A": ["1", "2"]})
    server = served(data(1), log=tmp_path / "chosen")
    assert server.tabulate("C").notice == REFUSED
    assert server.notes[-1].endswith("the log has an answer that no auditor would have allowed, request 1")
    rules = fw.server.ServerRules(min_population=1000)
    served(data(1), log=tmp_path / "withheld", auditor=None, rules=rules).tabulate("B")
    server = served(data(1), log=tmp_path / "withheld")
    assert server.notes[-1].endswith("the log has an answer that was withheld by its figures, request 1")


def test_a_figure_that_the_prior_rules_out_blinds_it():
    server = served(data(1, mean=40.0))
    asked = first(server, answered=True)
    server.tabulate(*asked)
    assert server.tabulate("A,B,C").notice == REFUSED
    assert server.notes[-1].endswith("too few draws speak for what was answered")
    assert server.tabulate(*asked).released


def test_who_does_not_know_the_past_answers_cannot_work_them_out():
    """The control: decisions follow from figures that were answered, and a twin without them is wrong now and then."""
    differ = 0
    for seed in range(3):
        server, deaf = served(data(seed)), Twin(auditor())
        for dims, filters in REQUESTS:
            answer = server.tabulate(dims, filters)
            differ += deaf.decides(dims, filters) != (answer.released or answer.notice == TOO_THIN)
    assert differ > 0


def test_the_log_is_audited_as_without_an_auditor():
    """Its answers are made again without asking the auditor, who may refuse by now, or not know the last one yet."""
    asked = [("A",), ("A,B",)]
    rules = auditor(least_ratio=1e-6, breach_share=0.99, draws=5000)
    servers = [served(data(3), auditor=one) for one in (rules, None)]
    for server in servers:
        assert all(server.tabulate(*one).released for one in asked)
    first, second = (server.audit(sure=0.1).cells for server in servers)
    assert len(first) > 0
    assert first.equals(second)
