"""fiberwalk cheapest: what it prints, publishes and notes, how it fails, and what it refuses in the words of options."""

from __future__ import annotations

import os
import re
import shlex
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.terminal import fiberwalk

import fiberwalk as fw
from fiberwalk.choosing.ladders import LADDERS, SEARCHED
from fiberwalk.commands.protecting import cheapest as command
from fiberwalk.commands.protecting.mechanisms import mechanisms
from fiberwalk.maps.map_utilities import UTILITIES

COUNTS = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
TURNOVER = "act,size,v,N_OBS,MAX\na,s,10.5,5,3\na,l,20,1,20\nb,s,30,7,6\nb,l,40,9,39\nc,s,30,7,6\nc,l,40,9,9\n"
NESTED = "region,land,sex,n\nA,N,f,1\nA,N,m,5\nB,N,f,7\nB,N,m,20\nC,S,f,3\nC,S,m,8\nD,S,f,13\nD,S,m,18\n"
DRAWN = 12345678901234567890123456789012345678
ASKED = ("--primary", "< 3", "--until", "p <= 0.3")


def file_of(counts):
    rows = [f"{region},{sex},{counts[i][j]}" for i, region in enumerate("ABC") for j, sex in enumerate("fmx")]
    return "region,sex,n\n" + "\n".join(rows) + "\n"


def found_in_python(*mechanisms):
    """What Python finds with the same names and labels: random numbers follow from these."""
    table = fw.table(COUNTS, dims=["region", "sex"], labels={"region": list("ABC"), "sex": list("fmx")})
    return fw.protect.cheapest(table, {one: one for one in mechanisms}, until="p <= 0.3", rule="< 3", seed=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("t.csv", file_of(COUNTS)), ("v.csv", TURNOVER), ("h.csv", NESTED)):
        (tmp_path / name).write_text(text)
    return tmp_path


def find(*words):
    """Mechanisms are written as they are; what begins with a dash, and what follows it, is an option."""
    at = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    allowed = [part for word in words[:at] for part in ("--mechanism", word)]
    given = words[at:]
    table = () if given and given[-1].endswith(".csv") and given[-2] not in ("--out", "--csv", "--note") else ("t.csv",)
    return fiberwalk("cheapest", *table, *allowed, *given)


def in_note(note, starts):
    """What a line of a note says after some words."""
    found = re.search(rf"^{starts}: (.+)$", note.read_text(), re.M)
    assert found, starts
    return found.group(1)


def again(note, starts):
    """The command that a note tells after some words, run as it is written."""
    words = shlex.split(in_note(note, starts))
    assert words[0] == "fiberwalk"
    return fiberwalk(*words[1:])


# --- what it prints ------------------------------------------------------------------------------------------------


def test_it_names_what_python_has():
    assert tuple(one.replace("-", "_") for one in command.FOUND) == (*SEARCHED, *LADDERS)
    assert set(command._UTILITIES) == set(UTILITIES) - {"conditional probability"}


def test_it_says_what_python_says(folder):
    done = find("suppression", "merge", "round-to", *ASKED, "--seed", "1", "--csv", "all.csv", "--plot", "map.png")
    assert done.exit_code == 0, done.output
    same = found_in_python("suppression", "merge", "round-to")
    assert done.stdout.startswith(
        f"{same.words[0].upper()}{same.words[1:]}.\nRisk, at most 0.3: {same.risk}. Utility: "
    )
    tried = re.findall(r"^(\S.*?) +(\S+) +(\S+) +(reached|not) *(.*)$", done.stdout, re.M)
    readable = same.readable()
    assert [one[0] for one in tried] == readable.index.tolist()
    assert [list(one[1:]) for one in tried] == readable.to_numpy().tolist()
    assert done.stdout.endswith("All of this is for the agency alone: it follows from the true table.\n")
    frame = pd.read_csv("all.csv", keep_default_na=False)
    assert frame["mechanism"].tolist() == same.frame.index.get_level_values("mechanism").tolist()
    assert frame["risk"].tolist() == pytest.approx(same.frame["risk"].tolist())
    assert (folder / "map.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in folder.iterdir()) == ["all.csv", "h.csv", "map.png", "t.csv", "v.csv"]


def test_wishes_laws_and_utilities_are_handed_on(folder, monkeypatch):
    """Every option reaches the keyword that it stands for."""
    seen = {}

    def found(table, allowed, **wishes):
        seen.update(wishes, allowed=allowed, table=table)
        raise fw.InputError("enough")

    monkeypatch.setattr("fiberwalk.choosing.choosing.cheapest", found)
    words = (
        "--primary",
        "< 3",
        "--until",
        "p <= 0.5",
        "--until",
        "bits >= 1",
        "--law",
        "uniform",
        "--law",
        "hypergeometric",
    )
    words += ("--percent", "20%", "--minimise", "counts", "--secondary-zeros", "--margin", "region", "--outsiders-only")
    words += ("--keep", "totals", "--prefer", "region=A,sex=m", "--withheld", "region=B", "--utility", "Margins")
    assert find("suppression", "random-round base=3,4", *words, "--max-seconds", "9", "--seed", "7").exit_code == 2
    assert seen.pop("table").values.tolist() == COUNTS
    assert seen == {
        "allowed": {"suppression": "suppression", "random-round": ("random-round", {"base": [3, 4]})},
        "until": ["p <= 0.5", "bits >= 1"], "law": ["uniform", "hypergeometric"], "utility": "margins", "seed": 7,
        "max_seconds": 9, "where": None, "rule": "< 3", "zeros_hidden": False, "secondary_zeros": True, "keep": ["totals"],
        "prefer": [{"region": "A", "sex": "m"}], "withheld": [{"region": "B"}], "margins": ["region"], "alone": False,
        "percent": 20, "minimise": "counts",
    }  # fmt: skip


# --- what it publishes, and notes ----------------------------------------------------------------------------------

QUICK = {
    "suppression": (),
    "merge": (),
    "round-to": (),
    "random-round": (),
    "controlled-round": (),
    "add-noise": (),
    "random-round base=10,25": ("--total", "All"),
    "add-noise noise=uniform:9,uniform:25 floor=yes": (),
    "perturb matrix=m.csv": ("--until", "p <= 0.95"),
    "suppress rule='< 8'": ("--until", "p <= 0.9", "--primary", "region=A,sex=f"),
}


@pytest.mark.parametrize("mechanism", QUICK)
def test_the_commands_of_the_note_work_as_they_are_written(mechanism, folder, monkeypatch):
    monkeypatch.setattr(
        "fiberwalk.choosing.choosing.secrets.randbits", lambda bits: DRAWN
    )  # which draws reach it is chance
    (folder / "m.csv").write_text("0.5,0.3,0.2\n1/4,1/2,1/4\n0.1,0.3,0.6\n")
    asked = ASKED if "--until" not in QUICK[mechanism] else ("--primary", "< 3") * ("--primary" not in QUICK[mechanism])
    done = find(mechanism, *asked, *QUICK[mechanism], "--out", "safe.csv")
    assert done.exit_code == 0, done.output
    before, note = (folder / "safe.csv").read_bytes(), folder / "safe.note.txt"
    text = note.read_text()
    if os.name == "posix":
        assert note.stat().st_mode & 0o077 == 0
    assert f"method: {mechanism.split()[0]}" in text
    assert in_note(note, "seed") == str(DRAWN)
    assert str(DRAWN) not in before.decode() + done.output
    audited = again(note, "to audit it as an outsider")
    assert audited.exit_code == 0, audited.output
    assert again(note, "to do it again").exit_code == 0
    assert (folder / "safe.csv").read_bytes() == before
    assert in_note(note, "seed") == str(DRAWN)


def test_the_seed_is_a_new_one_that_nobody_can_guess(folder):
    seeds = set()
    for _ in range(3):
        assert find("merge", *ASKED, "--out", "safe.csv").exit_code == 0
        seeds.add(int(in_note(folder / "safe.note.txt", "seed")))
    assert len(seeds) == 3
    assert max(seeds) > 2**96


@pytest.mark.parametrize("kind", sorted({next(LADDERS[name](fw.table([[9]]))).parameter for name in LADDERS}))
def test_a_found_strength_is_written_as_it_is_called_with(kind):
    """An outsider is told the method with the parameters that were used."""
    table = SimpleNamespace(values=np.array([[99]]), decimals=0)
    for name, ladder in LADDERS.items():
        for strength in ladder(table):
            if strength.parameter == kind:
                texts = command.WRITTEN[kind].items()
                words = " ".join(f"{key}={text.format(strength.value)}" for key, text in texts)
                (told,) = mechanisms([f"{name} {words}"]).values()
                assert told.parameters == {key: value for key, value in strength.passed.items() if key != "keys"}


def test_an_outsider_is_told_the_parameters_of_the_best(folder):
    find("add-noise", *ASKED, "--out", "safe.csv", "--seed", "1")
    note = folder / "safe.note.txt"
    largest = found_in_python("add-noise").best.run.value
    assert in_note(note, "noise") == f"uniform:{largest}"
    assert in_note(note, "to audit it as an outsider").endswith(f"'add-noise noise=uniform:{largest} floor=yes'")
    assert find("random-round base=25,10", *ASKED, "--out", "safe.csv", "--seed", "1").exit_code == 0
    best = re.search(
        r"^Random-round base=(\d+) keeps most", find("random-round base=25,10", *ASKED, "--seed", "1").stdout
    )
    assert in_note(note, "base") == best.group(1)
    assert in_note(note, "to audit it as an outsider").endswith(f"'random-round base={best.group(1)}'")


def test_the_note_of_a_pattern_has_the_withheld_figures_and_the_table_has_not(folder):
    assert find("suppression", "round-to", *ASKED, "--out", "safe.csv", "--seed", "1").exit_code == 0
    text = (folder / "safe.note.txt").read_text()
    assert re.search(r"^A +f +1 +sensitive +1\.0 +0 +\d+$", text, re.M)
    assert re.search(r"^round-to base=3 +\S+ +\S+ +not  too much is believed of region=A, sex=f$", text, re.M)
    public = fw.read_release("safe.csv")
    assert fw.audit(public).cells["p_modal"].max() <= 0.3
    assert "A,f,," in (folder / "safe.csv").read_text()


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        (("merge",), [[1, 5, 4], [9, 18, 6], [3, 8, 9]]),
        (("round-to base=10",), [[1, 5, 4], [8, 20, 6], [3, 8, 9]]),
        (("suppression",), [[2, 4, 4], [6, 21, 6], [3, 8, 9]]),
    ],
)
def test_two_truths_with_the_same_publication_leave_the_same_bytes(words, counts, folder):
    left = []
    for table in (COUNTS, counts):
        (folder / "t.csv").write_text(file_of(table))
        done = find(*words, *ASKED, "--seed", "1", "--out", "safe.csv")
        assert done.exit_code == 0, done.output
        left.append(((folder / "safe.csv").read_bytes(), done.stderr))
    assert left[0] == left[1]


def test_magnitudes_decimals_and_hierarchies(folder):
    asked = ("--primary", "fewer-than=3", "--until", "near 10% <= 0.5", "--out", "safe.csv", "--seed", "3")
    done = find("suppression", "merge", "random-round", *asked, "--decimals", "1", "--value", "v", "v.csv")
    assert done.exit_code == 0, done.output
    assert "before contributors who are alone in figures, too" in done.stdout
    assert "near 10% <= 0.5" in done.stdout
    assert again(folder / "safe.note.txt", "to audit it as an outsider").exit_code == 0
    nested = (
        "--hierarchy",
        "region=land",
        "--dims",
        "region,sex",
        "--value",
        "n",
        "--primary",
        "< 2",
        "--until",
        "p <= 0.4",
    )
    for mechanism in ("suppression", "merge", "round-to"):
        done = find(mechanism, *nested, "--out", f"{mechanism}.csv", "h.csv")
        assert done.exit_code == 0, done.output
        assert "N" in (folder / f"{mechanism}.csv").read_text()
        assert again(folder / f"{mechanism}.note.txt", "to audit it as an outsider").exit_code == 0


# --- how it fails --------------------------------------------------------------------------------------------------


def test_where_nothing_reaches_the_target_nothing_is_published(folder):
    asked = ("merge", "--primary", "< 3", "--until", "p <= 0.01")
    done = find(*asked)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("None of 4 candidates reaches p <= 0.01 for every sensitive figure")
    done = find(*asked, "--fail-if-none", "--csv", "all.csv")
    assert (done.exit_code, done.stderr) == (1, "results: all.csv\nnothing reaches the target.\n")
    done = find(*asked, "--out", "safe.csv")
    assert (done.exit_code, done.stderr) == (1, "nothing reaches the target, so no table was written.\n")
    assert not (folder / "safe.csv").exists()
    assert not (folder / "safe.note.txt").exists()
    assert find("merge", *ASKED, "--fail-if-none").exit_code == 0


def test_what_refuses_a_candidate_is_said_in_options(folder):
    wide = ("suppression", "merge", "--primary", "< 3", "--until", "p <= 0.3", "--below", "1000", "--csv", "all.csv")
    printed = find(*wide).stdout
    assert "publish fewer margins (--margin), or let zeros be withheld (--secondary-zeros)" in printed
    assert "(--secondary-zeros)" in (folder / "all.csv").read_text()
    assert "=True" not in printed + (folder / "all.csv").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (ASKED, "cheapest needs at least one --mechanism: suppression, merge, round-to, random-round"),
        (("merge", "--primary", "< 3"), "cheapest needs --until, such as --until 'p <= 0.5'"),
        (("merge", "--until", "p <= 0.3"), "what is sensitive? Say it with --primary '< 3'"),
        (("merge", "--primary", "< 3", "--until", "p < 1"), "--until 'p < 1' is not understood"),
        (("merge", "merge", *ASKED), "--mechanism merge is there twice"),
        (("merge groups=x", *ASKED), "--mechanism 'merge groups=x': which categories are merged is found"),
        (("suppression minimise=counts", *ASKED), "what suppression is to do is said beside it, by --minimise and"),
        (("random-rund", *ASKED), "--mechanism: there is no mechanism 'random_rund'; did you mean 'random_round'?"),
        (("random-round bse=3", *ASKED), "has no parameter 'bse'; did you mean 'base'?"),
        (("random-round seed=3", *ASKED), "no method has a seed of its own here"),
        (("random-round base", *ASKED), "write it as name=value, such as base=3"),
        (("swap", *ASKED), "method 'swap' needs its dim=."),
        (("merge", *ASKED, "--keep", "totals"), "--keep: only suppression publishes some figures as they are"),
        (("merge", *ASKED, "--withheld", "region=A"), "--withheld: only suppression publishes some figures"),
        (("merge", *ASKED, "--rule", "< 3"), "--rule is for tables that are protected already; say with --primary"),
        (("merge", *ASKED, "--at-least", "-5"), "cheapest is for counts and magnitudes of at least 0"),
        (("merge", *ASKED, "--minimise", "foo"), "--minimise foo: it is cells, counts, logs or entropy."),
        (("merge", *ASKED, "--percent", "200"), "--percent 200: more than 0 and at most 100."),
        (("merge", *ASKED, "--note", "x.txt"), "--note goes with --out."),
        (("merge", *ASKED, "--out", "x.jj"), "--out x.jj: such a file holds every true value"),
        (("merge", *ASKED, "--out", "./t.csv"), "FILE and --out are both t.csv"),
        (("merge", *ASKED, "--out", "s.csv", "--csv", "s.csv"), "--out and --csv are both s.csv"),
        (("merge", *ASKED, "--plot", "map.doc"), "--plot map.doc: a picture is .png, .svg or .pdf."),
        (("suppression", *ASKED, "--below", "1000"), "(--margin), or let zeros be withheld (--secondary-zeros)."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_options(words, sentence, folder):
    before = (folder / "t.csv").read_text()
    done = find(*words)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert done.stdout == ""
    assert "=True" not in done.stderr
    assert "()" not in done.stderr
    assert (folder / "t.csv").read_text() == before


def test_ctrl_c_and_time_leave_the_best_so_far(folder, monkeypatch):
    from fiberwalk.choosing.trials import Trials

    usual = Trials._published

    def ended(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "_published", ended)
    done = find("merge", "random-round", *ASKED, "--out", "safe.csv")
    assert done.exit_code == 0, done.output
    assert "not everything was tried: it was interrupted" in done.stdout
    assert "method: merge" in (folder / "safe.note.txt").read_text()
    monkeypatch.setattr(Trials, "_published", usual)
    done = find("suppression", *ASKED, "--max-seconds", "0.000001")
    assert done.exit_code == 2
    assert "there is no result yet; allow more time" in done.stderr
