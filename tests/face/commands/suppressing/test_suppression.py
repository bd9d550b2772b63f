"""fiberwalk protect --mechanism suppression: what it takes, what it publishes, what its note says, and what it refuses."""

from __future__ import annotations

import os
import re
import shlex

import pytest
from support.terminal import fiberwalk

import fiberwalk as fw

TABLE = "region,sex,n\nA,f,1\nA,m,5\nA,x,4\nB,f,7\nB,m,20\nB,x,6\nC,f,3\nC,m,8\nC,x,9\n"
BY_SIZE = "town,size,n\n1,s,1\n1,l,9\n2,s,8\n2,l,2\n"
BY_AGE = "town,age,n\n1,y,2\n1,o,8\n2,y,7\n2,o,3\n"
MAGNITUDES = "act,size,v,N_OBS,MAX\na,s,10,5,3\na,l,20,2,15\nb,s,30,7,6\nb,l,40,9,39\nc,s,30,7,6\nc,l,40,9,9\n"
TWO_LARGEST = (
    "act,size,v,N_OBS,MAX,MAX2\na,s,10,5,3,3\na,l,20,2,15,\nb,s,30,7,6,6\nb,l,40,9,38,1\nc,s,30,7,6,6\nc,l,40,9,20,8\n"
)
NESTED = "region,land,sex,n\nA,N,f,1\nA,N,m,5\nB,N,f,7\nB,N,m,20\nC,S,f,3\nC,S,m,8\nD,S,f,13\nD,S,m,18\n"
PROFITS = "region,kind,profit\nA,x,-20\nA,y,35\nA,z,10\nB,x,5\nB,y,-7\nB,z,12\nC,x,40\nC,y,8\nC,z,-3\n"
TREE = "N\n@A\n@B\nS\n@C\n@D\n"
SUPPRESSION = ("--mechanism", "suppression")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "t.csv": TABLE,
        "size.csv": BY_SIZE,
        "age.csv": BY_AGE,
        "m.csv": MAGNITUDES,
        "m2.csv": TWO_LARGEST,
        "m3.csv": TWO_LARGEST.replace("7,6,6", "7,6,"),
        "h.csv": NESTED,
        "n.csv": PROFITS,
        "t.hrc": TREE,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def suppress(*words):
    return fiberwalk("protect", *words, *SUPPRESSION)


def again(folder, note, starts):
    """The command that a note tells after some words, run as it is written."""
    command = re.search(rf"^{starts}: fiberwalk (.+)$", (folder / note).read_text(), re.M)
    assert command, starts
    return fiberwalk(*shlex.split(command.group(1)))


def test_sensitive_figures_keep_their_interval_and_the_note_is_private(folder):
    done = suppress("t.csv", "--primary", "< 3", "--percent", "20%", "--out", "safe.csv", "--seed", "5")
    assert done.exit_code == 0, done.output
    solved = fw.protect.suppression(fw.read_release("t.csv").truth.reshape(3, 3), rule="< 3", percent=20, seed=5)
    note = (folder / "safe.note.txt").read_text()
    assert f"what was done: {solved.words}" in note
    assert re.search(r"^A +f +1 +sensitive +1\.0 +0 +\d+$", note, re.M)
    assert f"cost: {int(solved.cost)}\n" in note
    if os.name == "posix":
        assert (folder / "safe.note.txt").stat().st_mode & 0o077 == 0
    public = fw.read_release("safe.csv")
    lower, upper = fw.bounds(public).loc[("A", "f")]
    assert lower == 0
    assert upper >= 2
    assert "5" not in (folder / "safe.csv").read_text().splitlines()[1]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx", ".tab"])
@pytest.mark.parametrize("hierarchy", ["region=land", "region=t.hrc"])
def test_the_commands_of_the_note_work_as_they_are_written(ending, hierarchy, folder):
    words = ("h.csv", "--dims", "region,sex", "--value", "n", "--hierarchy", hierarchy, "--primary", "< 2")
    done = suppress(*words, "--out", f"safe{ending}", "--total", "All")
    assert done.exit_code == 0, done.output
    audited = again(folder, "safe.note.txt", "to audit it as an outsider")
    assert audited.exit_code == 0, audited.output
    assert "None of the" in audited.output
    before = (folder / f"safe{ending}").read_bytes()
    assert again(folder, "safe.note.txt", "to do it again").exit_code == 0
    assert (folder / f"safe{ending}").read_bytes() == before


def test_linked_files_are_protected_at_once_and_each_is_published_by_itself(folder):
    (folder / "safe").mkdir()
    done = suppress("size.csv", "age.csv", "--primary", "< 3", "--percent", "50", "--out", "safe", "--seed", "1")
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in (folder / "safe").iterdir()) == ["age.csv", "size.csv"]  # the note is not there
    both = fw.linked([fw.read_release(f"safe/{name}.csv") for name in ("size", "age")])
    frame = fw.bounds(both)
    for cell, truth in ((("1", "s", "Total"), 1), (("1", "Total", "y"), 2), (("2", "l", "Total"), 2)):
        lower, upper = frame.loc[cell]
        assert lower <= truth - truth // 2
        assert upper >= truth + truth // 2
    linked = again(folder, "safe.note.txt", "to audit it as an outsider")
    assert linked.exit_code == 0, linked.output
    assert "safe/age.csv: none of its" in linked.output
    pattern = suppress("size.csv", "age.csv", "--primary", "< 3", "--percent", "50", "--out", "p-{}.csv", "--seed", "1")
    assert pattern.exit_code == 0, pattern.output
    assert (folder / "p-size.csv").read_text() == (folder / "safe" / "size.csv").read_text()
    assert (folder / "p-all.note.txt").exists()


def test_a_probability_is_reached(folder):
    words = ("t.csv", "--primary", "< 3", "--until", "bits >= 3", "--out", "safe.csv")
    assert suppress(*words).exit_code == 0
    audit = fw.audit(fw.read_release("safe.csv"))
    assert audit.cells.loc[("A", "f"), "entropy"] >= 3
    assert "wanted of what is believed: bits >= 3" in (folder / "safe.note.txt").read_text()


def test_contributors_statuses_and_files_say_what_is_sensitive(folder):
    done = suppress("m.csv", "--primary", "fewer-than=3 dominance=85", "--minimise", "counts", "--out", "safe.csv")
    assert done.exit_code == 0, done.output
    note = (folder / "safe.note.txt").read_text()
    assert re.findall(r"^(\w) +(\w) +\d+ +sensitive", note, re.M) == [("a", "l"), ("b", "l")]
    (folder / "m.csv").write_text(MAGNITUDES.replace("c,s,30,7,6\n", ""))  # an empty cell that has no line
    assert suppress("m.csv", "--primary", "fewer-than=3", "--missing", "zero", "--out", "safe.csv").exit_code == 0
    cross = "region,f,m,Total\nA,1,5,6\nB,7,20,27\nC,3,8,11\nTotal,11,33,44\n"
    (folder / "c.csv").write_text(cross)
    (folder / "a.hst").write_text("A;f;U\nA;f;PL;1;3\nB;f;C;20\nC;m;P\nTotal;f;M\n")
    assert suppress("c.csv", "--history", "a.hst", "--out", "safe.csv").exit_code == 0
    note = (folder / "safe.note.txt").read_text()
    assert re.search(r"^Total +f +11 +withheld before", note, re.M)
    frame = fw.bounds(fw.read_release("safe.csv"))
    assert frame.loc[("A", "f"), "upper"] >= 4
    assert ("C", "m") not in frame.index


def test_the_second_largest_contribution_decides_the_p_percent_and_the_pq_rule(folder):
    """The others contribute 0 to (a, l), 1 to (b, l) and 12 to (c, l); of (a, l) the second largest follows."""

    def sensitive(*words):
        done = suppress("m2.csv", *words, "--minimise", "counts", "--out", "safe.csv")
        assert done.exit_code == 0, done.output
        note = (folder / "safe.note.txt").read_text()
        return re.findall(r"^(\w) +(\w) +\d+ +sensitive", note, re.M)

    assert sensitive("--primary", "p-percent=10") == [("a", "l"), ("b", "l")]
    assert sensitive("--primary", "p-percent=2%") == [("a", "l")]
    assert sensitive("--primary", "pq=2,50") == [("a", "l"), ("b", "l")]
    assert sorted(sensitive("--primary", "fewer-than=6 p-percent=2")) == [("a", "l"), ("a", "s")]
    (folder / "m2.csv").write_text(TWO_LARGEST.replace("MAX2", "next"))
    assert sensitive("--primary", "p-percent=10", "--second", "next") == [("a", "l"), ("b", "l")]


@pytest.mark.parametrize("status", ["u", "x"])
def test_the_status_of_a_total_says_whether_it_is_sensitive_or_withheld_for_others(status, folder):
    """Readers of what is published are not told which of the two, as they are not of cells."""
    told = "".join(f"{line},{'u' if line == 'A,f,1' else 's'}\n" for line in TABLE.splitlines()[1:])
    (folder / "s.csv").write_text(f"region,sex,n,status\n{told}B,Total,33,{status}\n")
    assert suppress("s.csv", "--percent", "50", "--out", "safe.csv", "--seed", "1").exit_code == 0
    why = {"u": "sensitive", "x": "withheld before"}[status]
    assert re.search(rf"^B +Total +33 +{why} ", (folder / "safe.note.txt").read_text(), re.M)
    assert "B,Total,,x" in (folder / "safe.csv").read_text()
    lower, upper = fw.bounds(fw.read_release("safe.csv")).loc[("B", "Total")]
    assert lower <= 33 <= upper
    assert status == "x" or (lower <= 16 and upper >= 50)
    assert suppress("s.csv", "--primary", "< 2", "--keep", "region=B", "--out", "safe.csv").exit_code == 0


def test_profits_are_protected_within_what_is_known_of_them_beforehand(folder):
    words = ("n.csv", "--primary", "region=A,kind=x", "--percent", "50", "--out", "safe.csv", "--seed", "1")
    assert suppress(*words, "--at-least", "-100", "--at-most", "100").exit_code == 0
    audited = again(folder, "safe.note.txt", "to audit it as an outsider")
    assert audited.exit_code == 0, audited.output
    assert "every cell is between -100 and 100" in audited.output
    bounds = fw.bounds(fw.read_release("safe.csv", at_least=-100, at_most=100))
    lower, upper = bounds.loc[("A", "x")]
    assert -100 <= lower <= -30
    assert -10 <= upper <= 100
    assert suppress(*words, "--known-within", "80").exit_code == 0
    note = (folder / "safe.note.txt").read_text()
    assert re.search(r"^A +x +-20 +sensitive +1\.0 +-36 +-4$", note, re.M)  # as it could be known to 80 percent
    assert "lower" not in (folder / "safe.csv").read_text()  # ranges around the truth would tell it
    told = "n.csv", "q.csv", "--value", "profit", "--primary", "region=A,kind=x", "--out", "n-{}.csv"
    (folder / "q.csv").write_text("region,age,profit\nA,1,20\nA,2,5\nB,1,12\nB,2,-2\nC,1,30\nC,2,15\n")
    assert suppress(*told, "--at-least", "-100").exit_code == 0
    assert again(folder, "n-all.note.txt", "to audit it as an outsider").exit_code == 0


def test_last_years_file_is_withheld_again(folder):
    assert suppress("t.csv", "--primary", "region=B,sex=x", "--out", "last.csv", "--seed", "1").exit_code == 0
    hidden = set(fw.bounds(fw.read_release("last.csv")).index)
    assert suppress("t.csv", "--primary", "< 3", "--withheld", "last.csv", "--out", "safe.csv").exit_code == 0
    assert hidden < set(fw.bounds(fw.read_release("safe.csv")).index)


def test_two_truths_with_the_same_publication_leave_the_same_bytes(folder):
    left = []
    for counts in ((1, 5, 3, 8), (2, 4, 2, 9)):  # both sensitive cells below 3, and every total alike
        rows = [f"{region},{sex},{n}" for (region, sex), n in zip(("Af", "Am", "Cf", "Cm"), counts, strict=True)]
        (folder / "x.csv").write_text("region,sex,n\n" + "\n".join([*rows, "B,f,7", "B,m,20"]) + "\n")
        which = ("--primary", "region=A,sex=f", "--primary", "region=C,sex=m", "--keep", "totals")
        done = suppress(
            "x.csv", *which, "--out", "y.csv", "--seed", "1", "--prefer", "region=A,sex=m", "--prefer", "region=C,sex=f"
        )
        assert done.exit_code == 0, done.output
        left.append(((folder / "y.csv").read_bytes(), done.stdout, done.stderr))
    assert left[0] == left[1]


def test_what_is_known_all_the_same_is_warned_of_and_not_told(folder):
    done = fiberwalk("protect", "t.csv", "--mechanism", "suppress", "--rule", "< 4", "--out", "safe.csv")
    assert done.exit_code == 0
    assert "note: of 2 figures that are withheld or changed 2 (first region=A, sex=f) are known exactly" in done.stderr
    one = fiberwalk("protect", "t.csv", "--mechanism", "suppress", "--rule", "< 3", "--out", "safe.csv")
    assert "note: region=A, sex=f, which is withheld or changed, is known exactly" in one.stderr
    assert "known exactly" not in suppress("t.csv", "--primary", "< 3", "--out", "safe.csv").stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "what is sensitive? Say it with --primary '< 3'"),
        (("--primary", "< 3", "--rule", "< 4"), "there is a rule already, '< 3'; give the wider one."),
        (("--primary", "reg=A"), "--primary 'reg=A': no file has a dim 'reg'; did you mean 'region'?"),
        (("--primary", "region=Q"), "--primary 'region=Q': 'region' has no label 'Q'"),
        (("--primary", "< 3", "--keep", "foo"), "--keep 'foo': write it as DIM=LABEL,DIM=LABEL"),
        (("--primary", "< 3", "--keep", "region=A,sex=f"), "--keep: region=A, sex=f is sensitive"),
        (("--primary", "< 3", "--percent", "200"), "--percent 200: more than 0 and at most 100."),
        (("--primary", "< 3", "--below", "20%"), "--below 20%: a number; a percentage is given with --percent."),
        (("--primary", "< 3", "--until", "p < 5"), "--until 'p < 5' is not understood"),
        (("--primary", "< 3", "--until", "p <= 0.00001"), "no pattern was found in which no value has a probability above"),
        (("--primary", "< 3", "--law", "uniform"), "--law goes with --until"),
        (("--primary", "< 3", "--minimise", "foo"), "--minimise foo: it is cells, counts, logs or entropy."),
        (("--primary", "< 3", "--below", "1000"), "(--margin), or let zeros be withheld (--secondary-zeros)."),
        (("--primary", "< 1000",), "hides everything"),
        (("--primary", "fewer-than=3"), "needs a column that tells the contributors; name it with --contributors."),
        (("m.csv", "--primary", "fewer-than=0"), "m.csv, --primary 'fewer-than=0': fewer-than=0: a whole number"),
        (("m.csv", "--primary", "p-percent=10"), "tells the second largest contribution; name it with --second."),
        (("m3.csv", "--primary", "p-percent=10"), "act=b, size=s has more than two contributors, and its second largest"),
        (("m2.csv", "--primary", "p-percent=110"), "p-percent=110: a percentage above 0."),
        (("m2.csv", "--primary", "p-percent="), "'' is not a number."),
        (("m2.csv", "--primary", "pq=10"), "--primary 'pq=10': '10' is not two numbers."),
        (("m2.csv", "--primary", "pq=50,10"), "pq=[50, 10]: two percentages p and q, 0 < p <= q <= 100."),
        (("--primary", "< 3", "--base", "3"), "--base does not go with --mechanism suppression."),
        (("n.csv", "--primary", "region=A"), "n.csv, row 2: -20 is negative; say between which values"),
        (("n.csv", "--primary", "< 3", "--at-least", "-50"), "--primary '< 3': a threshold is about figures of at least 0"),
        (("n.csv", "--primary", "region=A", "--at-least", "-9"), "it is said that every cell is at least -9"),
        (("n.csv", "--primary", "region=A", "--at-least", "-50", "--known-within", "5"), "give --known-within, or"),
        (("--primary", "region=A", "--zeros-hidden"), "--zeros-hidden goes with a rule"),
        (("--primary", "< 3", "--out", "t.csv"), "--out t.csv: t.csv is a FILE already"),
        (("--primary", "< 3", "--note", "safe.csv"), "it is for --out already"),
        (("size.csv", "--primary", "< 3"), "for several files it is a folder that is there, or a name such as safe-{}.csv."),
        (("t.csv", "--primary", "< 3", "--out", "{}.parquet"), "two of the files would go to t.parquet"),
        (("size.csv", "--primary", "< 3", "--out", "x-{}.csv", "--history", "a.hst"), "--history is about one file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_options(words, sentence, folder):
    out = () if "--out" in words else ("--out", "safe.csv")
    files = () if words and words[0][0] in "mn" else ("t.csv",)
    done = suppress(*files, *words, *out)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert "=True" not in done.stderr
    assert "()" not in done.stderr
    assert not (folder / "safe.csv").exists()


def test_other_methods_refuse_what_only_suppression_has(folder):
    done = fiberwalk(
        "protect", "t.csv", "--mechanism", "suppress", "--rule", "< 3", "--until", "p <= 0.5", "--out", "s.csv"
    )
    assert (done.exit_code, "--until goes with --mechanism suppression" in done.stderr) == (2, True)
    done = fiberwalk("protect", "t.csv", "size.csv", "--mechanism", "suppress", "--rule", "< 3", "--out", "s.csv")
    assert (done.exit_code, "only --mechanism suppression protects several" in done.stderr) == (2, True)
    assert "suppression  " in fiberwalk("protect", "--list").output


def test_whoever_is_alone_in_a_cell_is_an_attacker_unless_told_otherwise(tmp_path):
    """Two enterprises in a line: each would know the other, unless only outsiders are thought of."""
    path = tmp_path / "firms.csv"
    path.write_text("town,kind,turnover,N_OBS\na,x,10,1\na,y,20,1\nb,x,30,5\nb,y,40,5\n")
    asked = ["protect", path, "--mechanism", "suppression", "--primary", "town=a,kind=x", "--primary", "town=a,kind=y"]
    asked += ["--contributors", "N_OBS", "--value", "turnover", "--keep", "town=a", "--out", tmp_path / "safe.csv"]
    refused = fiberwalk(*asked)
    assert refused.exit_code == 2
    assert "by the contributor who is alone in" in refused.output
    assert "or protect from outsiders only (--outsiders-only)" in refused.output
    assert fiberwalk(*asked, "--outsiders-only").exit_code == 0
