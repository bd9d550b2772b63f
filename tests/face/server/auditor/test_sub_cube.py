"""Which cells an auditor watches, which requests touch them, and what is refused where it is set up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw
from fiberwalk.server.auditor.auditor import REFUSED
from fiberwalk.server.auditor.sub_cube import sub_cube
from fiberwalk.server.cube.request import as_request

ROUNDING = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
EASY = {"mu": 3.0, "least_ratio": 0.001, "breach_share": 0.9, "draws": 5000, "imagined": 50}


def people():
    random = np.random.default_rng(1)
    ages = random.integers(0, 4, 300)
    return pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], 300),
            "age": np.array(["a", "b", "c", "d"])[ages],
            "region": random.choice(["N", "S"], 300),
        }
    )


def served(**options):
    frame = people()
    auditor = options.pop("auditor", fw.server.Auditor(**{**EASY, **options.pop("rules_of_auditor", {})}))
    hierarchies = {"age": {"young": ["a", "b"], "old": ["c", "d"]}}
    return fw.server.TableServer(frame, auditor=auditor, hierarchies=hierarchies, **{**ROUNDING, **options})


def by_labels(cube, watched, dims, filters):
    """The groups by hand: of every figure the labels of the cells that it sums."""
    request = as_request(dims, filters, cube.labels)
    found = watched.groups(cube, request)
    if found is None:
        return None
    cells = pd.MultiIndex.from_product([dim.labels for dim in watched.dims])
    return {place: {"".join(cell) for cell in cells[group]} for group, place in zip(*found, strict=True)}


def test_groups_are_those_cells_whose_labels_a_figure_shows():
    cube = served().cube
    whole = sub_cube(cube, list(cube.labels), None)
    assert [dim.name for dim in whole.dims] == ["sex", "age", "region"]
    assert by_labels(cube, whole, "region", {"sex": "f"}) == {
        0: {"faN", "fbN", "fcN", "fdN"},
        1: {"faS", "fbS", "fcS", "fdS"},
    }
    level = next(name for name in cube.labels if name not in ("sex", "age", "region"))
    groups = by_labels(cube, whole, level, {"sex": "m", "region": "S"})
    assert sorted(map(sorted, groups.values())) == [["maS", "mbS"], ["mcS", "mdS"]]
    meeting = by_labels(cube, whole, f"{level},age", {"sex": "m", "region": "S"})  # of the eight cells half can be
    assert sorted(map(sorted, meeting.values())) == [["maS"], ["mbS"], ["mcS"], ["mdS"]]


def test_of_a_sub_cube_a_request_is_inside_outside_or_partly_both():
    cube = served().cube
    part = sub_cube(cube, list(cube.labels), {"region": "N"})
    assert part.possible.shape == (2, 4, 1)
    assert by_labels(cube, part, "sex", {"region": "N"})[0] == {"faN", "fbN", "fcN", "fdN"}
    assert by_labels(cube, part, "sex,region", {})[0] == {"faN", "fbN", "fcN", "fdN"}
    assert len(by_labels(cube, part, "sex,region", {})) == 2
    assert by_labels(cube, part, "sex", {"region": "S"}) == {}
    assert by_labels(cube, part, "sex", {}) is None
    two = sub_cube(cube, list(cube.labels), {"region": "N", "age": ["a", "b"]})
    assert by_labels(cube, two, "sex,age,region", {})[0] == {"faN"}
    assert by_labels(cube, two, "sex,region", {}) is None
    assert by_labels(cube, two, "sex", {"age": "c"}) == {}


def test_requests_that_touch_it_in_part_are_refused_and_others_are_none_of_its_concern():
    server = served(rules_of_auditor={"filters": {"region": "N"}})
    assert server.tabulate("sex").notice == REFUSED
    assert server.tabulate("sex,age", {"region": "S"}).released
    assert server.tabulate("sex", {"region": "S", "sex": "f"}).released
    assert server._guard.watch.answers == 0
    assert server.tabulate("sex", {"region": "N", "sex": "f"}).notice == REFUSED  # a choice of labels
    assert server.tabulate("sex,region").released
    assert server.tabulate("sex,region", totals="consistent").notice == REFUSED  # totals of both regions
    assert server.tabulate("sex,region", totals="added").released
    assert server._guard.watch.answers == 1  # the table with and without added totals is one


def test_consistent_totals_are_answers_too():
    server = served(rules_of_auditor={"draws": 20_000, "least_ratio": 1e-6})
    assert server.tabulate("region", totals="consistent").released
    assert server.tabulate("region").released
    assert server._guard.watch.answers == 1
    assert len(server._guard.watch.known) == 2 + 1


def test_impossible_cells_are_known_to_be_empty():
    frame = people()
    frame = frame[(frame.sex != "f") | (frame.age != "a")]
    auditor = fw.server.Auditor(**EASY)
    server = fw.server.TableServer(frame, auditor=auditor, impossible=[{"sex": "f", "age": "a"}], **ROUNDING)
    assert not server._guard.watched.possible[0, 0].any()
    assert server._guard.watched.possible.sum() == 14
    assert not server._guard.watch.pool.tables[:, :2].any()


def test_dims_that_are_not_offered_are_not_watched():
    server = served(rules=fw.server.ServerRules(dims=["sex", "age"]))
    assert [dim.name for dim in server._guard.watched.dims] == ["sex", "age"]


def test_expected_counts_by_labels():
    table = pd.DataFrame({"N": [1.0, 2.0], "S": [3.0, 4.0]}, index=pd.Index(["f", "m"], name="sex")).rename_axis(
        columns="region"
    )
    rules = fw.server.ServerRules(dims=["sex", "region"])
    server = served(rules=rules, rules_of_auditor={"mu": table.T})
    law = server._guard.watch.pool.law
    means = (law.probabilities * np.arange(law.logs.shape[1])).sum(axis=1)
    assert means == pytest.approx([1, 2, 3, 4][:1] + [3, 2, 4], rel=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mechanism": None, "parameters": None}, "auditor= goes with counts that are protected by"),
        ({"mechanism": "round_to"}, "auditor= goes with counts that are protected by"),
        ({"when": "before"}, "without before="),
        ({"mechanism": "add_noise", "parameters": {"noise": {-1: 0.5, 1: 0.5}}, "noisy_zeros": True}, "zeros kept"),
        ({"rules": fw.server.ServerRules(min_population=10)}, "goes without the rules min_population"),
        ({"rules": fw.server.ServerRules(max_small_share=0.1)}, "tells something|told by figures"),
        ({"auditor": "yes"}, r"auditor= is an Auditor\(...\); this is 'yes'"),
        ({"rules_of_auditor": {"filters": {"town": "N"}}}, "names the dim 'town'"),
        ({"rules_of_auditor": {"filters": {"region": "W"}}}, "has no label 'W'"),
        ({"rules_of_auditor": {"mu": [1, 2, 3]}}, "one number, or a table of sex x age x region"),
        ({"rules_of_auditor": {"mu": -1}}, "expected counts are finite and at least 0"),
    ],
)
def test_what_an_auditor_cannot_go_with(options, words):
    with pytest.raises(fw.InputError, match=words):
        served(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"least_ratio": 1}, "least_ratio=1: a number above 0 and below 1"),
        ({"breach_share": 1.0}, "breach_share=1.0: a share"),
        ({"draws": 0}, "draws=0: a whole number of at least 1"),
        ({"imagined": 40_000}, "imagined=40000: at most as many as draws=30000"),
        ({"at_most": 0}, "at_most=0"),
        ({"predicates": [1, 2]}, r"predicates=\[1, 2\]: a list of sets of counts"),
        ({"predicates": []}, "a list of sets of counts"),
        ({"predicates": [[-1]]}, "a list of sets of counts"),
        ({"seed": -1}, "seed=-1: a whole number of at least 0; it is no secret"),
    ],
)
def test_bad_parameters_are_told_in_words(options, words):
    with pytest.raises(fw.InputError, match=words):
        fw.server.Auditor(mu=1, **options)


def test_many_cells_are_refused():
    frame = pd.DataFrame({name: [str(k) for k in range(13)] for name in "abc"})
    with pytest.raises(
        fw.InputError, match="the cells to be watched are 2,197, and 1 to 2,000 can be watched together"
    ):
        fw.server.TableServer(frame, columns=list("abc"), labels={n: [str(k) for k in range(13)] for n in "abc"},
                              auditor=fw.server.Auditor(mu=1), **ROUNDING)  # fmt: skip


def test_what_is_refused_is_told_in_a_sentence():
    words = fw.server.Auditor(mu=1, breach_share=0.1, filters={"region": "N"}).words
    assert words.startswith("an auditor refuses what might make it less than 0.1 or more than 10 times as probable as")
    assert (
        "a cell with region=N is in {1} or {2}, so that any of all answers does with a probability of at most 0.1"
        in words
    )


@pytest.mark.parametrize("mechanism", ["add_noise", "perturb"])
def test_other_methods_that_follow_record_keys(mechanism):
    matrix = [[1, 0, 0], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]]
    parameters = {"noise": {-1: 0.3, 0: 0.4, 1: 0.3}} if mechanism == "add_noise" else {"matrix": matrix}
    rules = fw.server.ServerRules(dims=["sex", "region"])
    server = served(
        mechanism=mechanism, parameters=parameters, rules=rules, rules_of_auditor={"mu": 75.0, "draws": 50_000}
    )
    assert server.tabulate("sex").released
    assert server.tabulate("sex,region").notice in ("", REFUSED)
    assert server._guard.watch.answers == 1
    assert not server._guard.watch.blind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("least_ratio = 0.1\n", "an auditor needs mu, the expected count of each cell."),
        ("mu = [1, 2]\n", "auditor.toml, line 1: mu = [1, 2]: a number, or the name of a CSV file of expected counts."),
        ("mu = 1\nfilters = 'N'\n", "line 2: filters = 'N': a table of dims with their labels"),
        ("mu = 1\n\nseeds = 4\n", "line 3: there is no parameter 'seeds'; did you mean 'seed'?"),
        ("mu = 1\nleast_ratio = 2\n", "auditor.toml: least_ratio=2: a number above 0 and below 1."),
        ("mu = 'words.csv'\n", "words.csv: a CSV file whose last column is a number, and whose others are dims."),
        ("mu = 'nowhere.csv'\n", "nowhere.csv"),
        ("mu = \n", "not a well-formed TOML file"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_by_its_line(tmp_path, text, words):
    (tmp_path / "auditor.toml").write_text(text)
    (tmp_path / "words.csv").write_text("sex,mean\nf,many\n")
    with pytest.raises(fw.InputError) as problem:
        fw.server.Auditor.read(tmp_path / "auditor.toml")
    assert words in str(problem.value)


def test_a_file_says_what_the_parameters_do(tmp_path):
    (tmp_path / "auditor.toml").write_text(
        'mu = "means.csv"\nleast_ratio = 0.2\npredicates = [[1, 2]]\n[filters]\nregion = "N"\n'
    )
    (tmp_path / "means.csv").write_text("sex,mean\nf,2\nm,0.5\n")
    found = fw.server.Auditor.read(tmp_path / "auditor.toml")
    assert found.mu.to_dict() == {"f": 2.0, "m": 0.5}
    assert (found.least_ratio, found.predicates, found.filters) == (0.2, ((1, 2),), {"region": "N"})
