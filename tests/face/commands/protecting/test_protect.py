"""fiberwalk protect: every method on the command line, the note, and the way back by --protected-by."""

import os
import re
import shlex

import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main
from fiberwalk.protect.methods import METHODS

TABLE = """region,age,sex,count
N,young,f,4
N,young,m,9
N,old,f,2
N,old,m,7
S,young,f,6
S,young,m,1
S,old,f,8
S,old,m,5
"""
MATRIX = "0.8,0.2,0\n1/4,1/2,1/4\n0,1/4,3/4\n"
NEEDED = {
    "suppress": ["--rule", "< 3"],
    "complementary_suppress": ["--rule", "< 3"],
    "merge": ["--merge", "age:any=young,old"],
    "round_to": ["--base", "5"],
    "perturb": ["--matrix", "matrix.csv", "--exact", "region"],
    "add_noise": ["--noise", "uniform:2", "--exact", ""],
    "draw_sample": ["--fraction", "0.5", "--exact", "region,age"],
    "swap": ["--dim", "region", "--within", "age"],
    "simulate": ["--margin", "region,age", "--margin", "sex"],
    "pram": ["--dim", "age", "--stay", "0.8"],
    "local_suppress": ["--dim", "age", "--rate", "0.3"],
    "markov_perturb": ["--theta", "0.1"],
}
CERTAIN = {"suppress", "complementary_suppress", "merge", "round_to"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "matrix.csv").write_text(MATRIX)
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_writes_a_table_and_a_note(name, folder):
    given = ["protect", "table.csv", "--mechanism", name.replace("_", "-"), *NEEDED.get(name, [])]
    done = run(*given, "--out", "safe.csv", *([] if name in CERTAIN else ["--seed", "4711"]))
    assert done.exit_code == 0, done.output
    note, table = (folder / "safe.note.txt").read_text(), (folder / "safe.csv").read_text()
    assert f"method: {name.replace('_', '-')}" in note
    assert re.search(r"^likelihood: (exact|cellwise approximation|support only)$", note, re.M)
    assert ("seed: 4711" in note) == (name not in CERTAIN)
    assert "4711" not in table
    read = fw.read_release("safe.csv", perturbed=True)
    if METHODS[name].reader is None or read.figures is None:
        assert read.truth is None or name in CERTAIN
        return
    said = re.search(r"--protected-by '?([^'\n]*)'?$", note, re.M).group(1)
    audited = run("bounds", "safe.csv", "--protected-by", said)
    assert audited.exit_code == 0, audited.output


def test_without_a_seed_there_is_a_new_one_that_gives_the_same_table_again(folder):
    for name in ("one", "two"):
        assert run("protect", "table.csv", "--mechanism", "random-round", "--out", f"{name}.csv").exit_code == 0
    seeds = [re.search(r"seed: (\d+)", (folder / f"{name}.note.txt").read_text()).group(1) for name in ("one", "two")]
    assert seeds[0] != seeds[1]
    if os.name == "posix":
        assert (folder / "one.note.txt").stat().st_mode & 0o077 == 0  # nobody else reads the seed
    run("protect", "table.csv", "--mechanism", "random-round", "--seed", seeds[0], "--out", "again.csv")
    assert (folder / "again.csv").read_text() == (folder / "one.csv").read_text()


def test_an_audit_by_the_method_says_how_its_likelihood_is_known(folder):
    run("protect", "table.csv", "--mechanism", "random-round", "--seed", "1", "--exact", "region", "--out", "safe.csv")
    done = run("audit", "safe.csv", "--protected-by", "random-round base=3")
    assert "Likelihood exact: how probable random rounding makes what was published" in done.output
    plain = run("audit", "safe.csv")
    assert (
        "Likelihood support only: of a random method that is not named only which tables are possible" in plain.output
    )


def test_offered_tables_are_rounded_together(folder):
    asked = ("protect", "table.csv", "--mechanism", "round-lattice", "--seed", "4711")
    for words, given in (
        (["--max-dims", "2"], {"max_dims": 2}),
        (["--margin", "region,age", "--margin", "sex"], {"margins": ["region,age", "sex"]}),
    ):
        done = run(*asked, *words, "--out", "safe.csv")
        assert done.exit_code == 0, done.output
        note = (folder / "safe.note.txt").read_text()
        assert re.search(r"^what else it did: \d+ of \d+ figures are not what their keys alone", note, re.M)
        same = fw.protect.round_lattice(
            fw.read_release("table.csv").truth.reshape(2, 2, 2), 3, **_by_place(given), seed=4711
        )
        read = fw.read_release("safe.csv")
        assert len(read.sums) == len(same.sums)
        assert read.truth is None
        audited = run("bounds", "safe.csv")
        assert audited.exit_code == 0, audited.output


def _by_place(given):
    """The same tables of an array, whose dims have no names."""
    names = {"region": "A", "age": "B", "sex": "C"}
    margins = [",".join(names[one] for one in margin.split(",")) for margin in given.get("margins", ())]
    return {"margins": margins} if margins else given


def test_the_list_of_methods(folder):
    done = run("protect", "--list")
    assert done.exit_code == 0
    for name, method in METHODS.items():
        assert re.search(rf"^{name.replace('_', '-')} +{method.likelihood} ", done.output, re.M)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--mechanism", "random-round"], "protect needs --mechanism NAME (--list shows them) and --out FILE."),
        (["--mechanism", "randm", "--out", "o.csv"], "there is no method 'randm'"),
        (["--mechanism", "swap", "--out", "o.csv"], "--mechanism swap needs --dim."),
        (["--mechanism", "perturb", "--out", "o.csv"], "--mechanism perturb needs --matrix."),
        (["--mechanism", "suppress", "--out", "o.csv"], "--mechanism suppress needs --rule."),
        (["--mechanism", "swap", "--dim", "sex", "--base", "3", "--out", "o.csv"], "--base does not go with --mechanism"),
        (["--mechanism", "round-to", "--base", "3", "--seed", "1", "--out", "o.csv"], "nothing is random in --mechanism"),
        (["--mechanism", "pram", "--dim", "age", "--out", "o.csv"], "pram needs --matrix or --stay, one of them."),
        (["--mechanism", "local-suppress", "--dim", "age", "--out", "o.csv"], "local-suppress needs --rule (such as"),
        (["--mechanism", "add-noise", "--noise", "much", "--out", "o.csv"], "noise 'much': it is geometric:EPSILON"),
        (["--mechanism", "merge", "--merge", "age", "--out", "o.csv"], "--merge age: write it as DIM:NEW=OLD,OLD"),
        (["--mechanism", "perturb", "--matrix", "none.csv", "--out", "o.csv"], "none.csv: there is no such file"),
        (["--mechanism", "random-round", "--out", "table.csv"], "FILE and --out are both table.csv"),
        (["--mechanism", "suppress", "--rule", "< 3", "--out", "o.jj"], "a JJ file holds every true value"),
        (["--mechanism", "random-round", "--base", "x", "--out", "o.csv"], "'x' is not a number"),
        (["--mechanism", "random-round", "--max-dims", "2", "--out", "o.csv"], "--max-dims does not go with --mechanism"),
        (["--mechanism", "round-lattice", "--max-dims", "0", "--out", "o.csv"], "--max-dims 0: a whole number"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_sentence(words, problem, folder):
    done = run("protect", "table.csv", *words)
    assert done.exit_code == 2, done.output
    assert problem in done.output
    assert "Traceback" not in done.output


def test_a_table_with_hidden_cells_cannot_be_protected(folder):
    (folder / "hidden.csv").write_text(TABLE.replace("N,old,f,2", "N,old,f,"))
    done = run("protect", "hidden.csv", "--mechanism", "random-round", "--out", "o.csv")
    assert done.exit_code == 2
    assert "to be protected, a table must be known in full" in done.output


def test_matrices_in_files(folder):
    from fiberwalk.commands.shared.method_parameters import read_matrix

    (folder / "labelled.csv").write_text(";0;1\n0;0.9;0.1\n1;1/3;2/3\n")
    assert read_matrix("labelled.csv").tolist() == [[0.9, 0.1], [1 / 3, 2 / 3]]
    (folder / "blanks.txt").write_text("0.9 0.1\n0.5 0.5\n")
    assert read_matrix("blanks.txt").tolist() == [[0.9, 0.1], [0.5, 0.5]]
    (folder / "odd.csv").write_text("0.9,0.1\n0.5\n")
    with pytest.raises(fw.InputError, match=r"odd.csv: a transition matrix has equally many figures in every row"):
        read_matrix("odd.csv")
    (folder / "words.csv").write_text("0.9,often\n0.5,0.5\n")
    with pytest.raises(fw.InputError, match=r"words.csv: 'often' is not a probability"):
        read_matrix("words.csv")


def test_decimals_are_those_of_the_file_and_the_note_repeats_it_all(folder):
    (folder / "money.csv").write_text("region,age,value\nN,y,1.5\nN,o,10\nS,y,20.1\nS,o,4\n")
    given = ["protect", "money.csv", "--decimals", "1", "--out", "safe.csv", "--mechanism"]
    assert run(*given, "suppress", "--rule", "< 3").exit_code == 0
    assert fw.read_release("safe.csv", decimals=1).hidden.tolist() == [0]
    assert run(*given, "round-to", "--base", "3").exit_code == 0
    assert fw.read_release("safe.csv", decimals=1, perturbed=True).published.values.tolist() == [[3, 9], [21, 3]]
    assert run(*given, "random-round", "--base", "0.5", "--seed", "7").exit_code == 0
    note, table = (folder / "safe.note.txt").read_text(), (folder / "safe.csv").read_text()
    assert "to a multiple of 0.5 at random" in note
    words = {line.partition(": ")[0]: shlex.split(line.partition(": ")[2])[1:] for line in note.splitlines()}
    (folder / "safe.csv").unlink()
    assert run(*words["to do it again"]).exit_code == 0
    assert (folder / "safe.csv").read_text() == table
    audited = run(*words["to audit it as an outsider"])
    assert audited.exit_code == 0
    assert "published as" in audited.output
