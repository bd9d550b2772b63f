"""Nothing withheld leaves by an answer: it is the same for every truth that was published alike, and has no seed in it."""

from __future__ import annotations

import pickle
import re
from itertools import count, islice

import numpy as np
import pytest
import xarray as xr

import fiberwalk as fw
from fiberwalk.server.answer import Answer

SECRET = 987_654_321
LABELS = {"sex": ["f", "m"], "age": ["0-4", "5-9"]}
TRUTH = np.array([[31, 22], [22, 44]])
OTHERS = tuple(TRUTH + change for change in ([[1, 0], [0, 0]], [[0, 1], [0, 0]], [[1, 0], [1, 0]], [[-1, 1], [1, -1]]))
METHODS = {
    "random_round": {"base": 3},
    "round_lattice": {"base": 3},
    "add_noise": {"noise": fw.protect.uniform_noise(2)},
    "perturb": {"matrix": [[1, 0, 0], [0.3, 0.4, 0.3], [0, 0.4, 0.6]]},
}


def public(answer, folder):
    """Whatever of the public view can be looked at, written and sent."""
    seen = answer.public()
    if seen.released:
        seen.to_csv(folder / "out.csv")
        seen.to_parquet(folder / "out.parquet")
        seen.to_json_stat(folder / "out.json")
    files = b"".join(path.read_bytes() for path in sorted(folder.glob("out.*")))
    words = f"{seen!r}{seen.words}{seen.notice}{seen._repr_html_()}{seen.protected_by}"
    return pickle.dumps(seen) + files + words.encode() + (seen.to_frame().to_string() if seen.released else "").encode()


FOR_READERS = {
    "table": lambda answer, _: repr(answer.table).encode(),
    "notice": lambda answer, _: answer.notice.encode(),
    "released": lambda answer, _: str(answer.released).encode(),
    "__repr__": lambda answer, _: repr(answer).encode(),
    "_repr_html_": lambda answer, _: (answer._repr_html_() or "").encode(),
    "shows": lambda answer, _: answer.shows.encode(),
    "public": public,
}
FOR_THE_AGENCY = {
    "request", "reason", "size", "risk_before", "risk_after", "rises", "utility", "max_risk", "before", "after",
    "risk_by_before", "risk_by_after", "tables", "original", "protected", "population", "cells", "small_share", "mean_cell",
    "summary", "release", "view", "withheld", "needs_protection", "too_risky",
}  # fmt: skip
"""Whoever has these has figures of the true table; the class says so."""


def shown(answer, folder):
    """All that whoever asked may see; a refusal is told, too."""
    found = {}
    for name, show in FOR_READERS.items():
        try:
            found[name] = show(answer, folder)
        except fw.InputError as refusal:
            found[name] = str(refusal).encode()
    return found


def served(counts, seed, **options):
    cube = xr.DataArray(counts, dims=list(LABELS), coords=LABELS)
    return fw.server.TableServer(
        cube, seed=seed, rules=options.pop("rules", fw.server.ServerRules(max_filters=None)), **options
    )


def test_a_new_member_of_answers_is_for_readers_or_for_the_agency():
    own = {name for name in [*vars(Answer), *Answer.__dataclass_fields__] if not name.startswith("_")}
    assert own == FOR_THE_AGENCY | {name for name in FOR_READERS if not name.startswith("_")}


@pytest.mark.parametrize("method", METHODS)
def test_two_truths_that_are_answered_alike_give_the_same_bytes(method, tmp_path):
    def ask(counts, seed):
        return served(counts, seed, mechanism=method, parameters=METHODS[method]).tabulate("sex,age")

    seen = {}
    for seed in islice(count(), 60):
        answer = ask(TRUTH, seed)
        seen.setdefault(answer.public().to_frame().to_string(), answer)
    alike = (
        (seen[table], other)
        for seed in islice(count(1000), 300)
        for other in (ask(counts, seed) for counts in OTHERS)
        for table in [other.public().to_frame().to_string()]
        if table in seen
    )
    first, second = next(alike)
    assert (first.original != second.original).any()
    assert shown(first, tmp_path) == shown(second, tmp_path)


@pytest.mark.parametrize(
    "rules",
    [
        fw.server.ServerRules(min_population=10**6),
        fw.server.ServerRules(min_mean_cell=10**6),
        fw.server.ServerRules(max_small_share=0.0),
    ],
    ids=["population", "mean", "small"],
)
def test_refusals_are_the_same_for_every_truth(rules, tmp_path):
    small = TRUTH * 0 + np.array([[1, 2], [2, 1]])
    answers = [served(counts, 1, rules=rules).tabulate("sex,age") for counts in (small, small + [[0, 0], [1, 2]])]
    assert not any(one.released for one in answers)
    first, second = (shown(one, tmp_path) for one in answers)
    assert first == second


def test_neither_a_true_count_nor_the_seed_is_in_an_answer(tmp_path):
    rng = np.random.default_rng(3)
    for number in range(10):
        counts = rng.integers(10**6, 10**7, (2, 2)) // 3 * 3 + 1  # no multiple of the base
        server = served(counts, SECRET, mechanism="random_round", parameters={"base": 3})
        for asked in ("sex,age", "sex", "age"):
            answer = server.tabulate(asked)
            markers = {str(one) for one in answer.original.values.ravel()} | {str(SECRET)}
            for name, output in shown(answer, tmp_path).items():
                text = output.decode("latin-1").replace(",", "") if name != "to_csv" else output.decode()
                assert not set(re.findall(r"\d+", text)) & markers, (number, name)
        assert str(SECRET) not in repr(server)


def test_an_answer_does_not_tell_whether_it_was_asked_for_before(tmp_path):
    server = served(TRUTH, 1, mechanism="random_round", parameters={"base": 3})
    first = shown(server.tabulate("sex,age"), tmp_path)
    server.tabulate("sex,age").table["age"] = ["mine", "too"]  # whoever changes hers changes nobody else's
    assert shown(server.tabulate("sex,age"), tmp_path) == first
