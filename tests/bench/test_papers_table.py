"""The table of the papers' items: every call runs, printed figures come out, and what is wrong is found out."""

from __future__ import annotations

import shlex
import sys

import pytest
from support.places import BENCH

FILES = sorted(path.stem for path in (BENCH / "papers").glob("*.py") if not path.stem.startswith("__"))


@pytest.fixture(scope="module")
def items(bench):
    return bench("papers")


@pytest.fixture(scope="module")
def item(bench):
    return bench("papers.item")


@pytest.fixture(scope="module")
def running(bench):
    return bench("papers.running")


@pytest.fixture(scope="module")
def given(running):
    with running.prepared() as made:
        yield made


@pytest.mark.parametrize("paper", ["DOT02", "DFKPR01", "ASE15", "ASE15a", "SAE15"])
def test_every_call_runs_and_gives_the_printed_figure(items, running, given, paper):
    done = [running.run(one, given) for one in items.PAPERS[paper]]
    assert {one.item.call: one.wrong for one in done if one.wrong} == {}
    assert len(done) > 10


def test_every_item_says_where_and_what_and_how(items):
    rows = [one for paper in items.PAPERS.values() for one in paper]
    assert all(one.place and one.what and one.call for one in rows)
    assert len(set(rows)) == len(rows)
    for paper in items.PAPERS.values():
        said = [(one.place, one.what) for one in paper]
        assert len(set(said)) == len(said)


def test_every_prepared_name_is_explained(bench, given):
    names = bench("papers.names")
    explained = {name for many in names.MEANINGS for name in many.split(", ")}
    assert explained == set(given.names) - {"fw", "np", "pd", "math"}


def test_calls_reach_what_is_public(running, given):
    reached = running.reached
    assert reached("fw.risk.r1(people) + fw.count(hidden)", given.names) == {"fw.risk.r1", "fw.count"}
    assert reached("audit.harm(lambda k: 1 / k)", given.names) == {"fw.Audit.harm"}
    assert reached("fw.audit(hidden).pmf(corner)", given.names) == {"fw.audit"}
    assert reached("fiberwalk moves table.csv", given.names) == {"fiberwalk moves"}


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("people.sum().item()", "reaches no public name"),
        ("np.sum(people)", "reaches no public name"),
        ("fw.posterior.square", "fw.posterior is no public name"),
        ("fw.risk.whole_table", "fw.risk.whole_table is no public name"),
        ("fw.nothing(people)", "fw.nothing is no public name"),
        ("fw.count(hidden)._repr_html_", "is private"),
        ("audit._cells", "is private"),
        ("fiberwalk nothing table.csv", "there is no command 'nothing'"),
        ("fw.count(", "SyntaxError"),
        ("fw.round_to(table, base=-1)", "InputError"),
        ("fiberwalk audit nothing.csv", "exit status 2"),
    ],
)
def test_a_call_that_does_not_do_is_found_out(item, running, given, call, wrong):
    assert wrong in running.run(item.Item("1", "something", call), given).wrong


def test_a_wrong_figure_is_found_out(item, running, given):
    def wrong(figure):
        return running.run(item.Item("1", "R1", "fw.risk.r1(people)", figure), given).wrong

    assert wrong(".231461") == wrong("0.2315") == wrong(".23") == ""
    assert ".231462 is printed, and the call gives 0.23146" in wrong(".231462")
    assert "0.2314 is printed" in wrong("0.2314")
    assert wrong("0.2315 0.2315") == "2 figures are printed, and the call gives 1"


@pytest.mark.parametrize(
    ("result", "figure", "agrees"),
    [
        (True, "True", True), (True, "False", False), (1, "True", False), (True, "1", False),
        ([1, [2.04, 3]], "1 2.0 3", True), ({"a": 1, "b": 2}, "1 2", True), (12.4, "12", True), (12.6, "12", False),
        (0.115, "0.115", True), (0.1155, "0.115", True), (0.1156, "0.115", False), (float("inf"), "inf", True),
        (1e9, "inf", False), (float("nan"), "0.1", False),
    ],
)  # fmt: skip
def test_figures_hold_to_the_digits_printed(item, result, figure, agrees):
    assert (item.differs(result, figure) == "") == agrees


def test_the_table_is_made_of_the_items(bench, item, running, given):
    papers = bench("papers.table")
    row = item.Item("2, (1)", "a | b", "fw.risk.r1(people)", "0.2315", "a note")
    text = papers.markdown({"SAE15": [running.run(row, given)]})
    assert "| 2, (1) | a \\| b | `fw.risk.r1(people)` | 0.231461 | = 0.2315; a note |" in text
    assert "1 items, and the call that does each. All were run; of 1 the result is held to a figure." in text
    failed = papers.markdown({"SAE15": [running.run(item.Item("2", "a", "fw.risk.r1(people)", "0.9"), given)]})
    assert "**0.9 is printed, and the call gives" in failed


def test_command_lines_name_files_that_are_there(items, given):
    there = {path.name for path in given.folder.iterdir()}
    for paper in items.PAPERS.values():
        for one in paper:
            if one.call.startswith("fiberwalk "):
                named = [word for word in shlex.split(one.call) if word.endswith(".csv")]
                assert set(named) <= there


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_items_is_told_in_the_room(items, name):
    assert f"\n{name} " in items.__doc__


def test_the_script_stores_what_holds_and_fails_where_something_does_not(
    bench, items, item, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    script = bench("papers.__main__")
    monkeypatch.setattr(script, "RESULTS", tmp_path / "papers.md")
    for paper in items.PAPERS:
        monkeypatch.setitem(items.PAPERS, paper, (item.Item("1", "R1", "fw.risk.r1(people)", "0.2315"),))
    monkeypatch.setattr(sys, "argv", ["papers", "--store"])
    script.main()
    stored = (tmp_path / "papers.md").read_text(encoding="utf-8")
    assert stored.count("| 1 | R1 | `fw.risk.r1(people)` | 0.231461 | = 0.2315 |") == 5
    assert stored in capsys.readouterr().out
    monkeypatch.setitem(items.PAPERS, "SAE15", (item.Item("1", "R1", "fw.risk.r1(people)", "0.9"),))
    with pytest.raises(SystemExit, match=r"1: fw.risk.r1\(people\)\n    0.9 is printed"):
        script.main()
    assert (tmp_path / "papers.md").read_text(encoding="utf-8") == stored
