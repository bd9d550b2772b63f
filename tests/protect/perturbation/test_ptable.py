"""Perturbation tables of other tools: read to what perturb takes, and refused where they contradict themselves."""

from __future__ import annotations

import numpy as np
import pytest
from support.places import reference
from support.terminal import fiberwalk

import fiberwalk as fw
from fiberwalk.protect.perturbation.transition_matrix import as_transitions

PROBABILITIES = """"i";"j";"p";"v";"p_ij_ub"
0;0;1;0;1
1;0;0.5;-1;0.5
1;3;0.5;2;1
2;0;0.25;-2;0.25
2;3;0.5;1;0.75
2;4;0.25;2;1
"""
KEYED = "pcv,ckey,pvalue\n" + "".join(
    f"{count},{key},{change}\n" for count in (1, 2) for key, change in enumerate((-1, 0, 0, 2))
)


def ptable(tmp_path, text):
    path = tmp_path / "ptable.txt"
    path.write_text(text)
    return path


def test_probabilities_and_keys_become_a_matrix(tmp_path):
    matrix = fw.protect.read_ptable(ptable(tmp_path, PROBABILITIES))
    assert matrix.tolist() == [[1, 0, 0, 0, 0], [0.5, 0, 0, 0.5, 0], [0.25, 0, 0, 0.5, 0.25]]
    commas = fw.protect.read_ptable(ptable(tmp_path, PROBABILITIES.replace(".", ",")))
    assert (commas == matrix).all()
    matrix = fw.protect.read_ptable(ptable(tmp_path, KEYED))
    assert matrix.tolist() == [[1, 0, 0, 0, 0], [0.25, 0.5, 0, 0.25, 0], [0, 0.25, 0.5, 0, 0.25]]
    renamed = KEYED.replace("pcv,ckey,pvalue", "cell_value,cell_key,perturbation").replace(",", "\t")
    assert (fw.protect.read_ptable(ptable(tmp_path, renamed)) == matrix).all()


def test_a_matrix_beyond_its_cap_perturbs_larger_counts_like_its_last_row(tmp_path):
    """P(published | value) from the file itself, for counts with a row and beyond."""
    transitions = as_transitions(fw.protect.read_ptable(ptable(tmp_path, PROBABILITIES)))
    changes = {1: {-1: 0.5, 2: 0.5}, 2: {-2: 0.25, 1: 0.5, 2: 0.25}}
    for value in range(1, 9):
        law = changes[min(value, 2)]
        for figure in range(12):
            assert transitions.probability(figure, np.array([value]))[0] == law.get(figure - value, 0.0)
    numbers = (np.arange(400) + 0.5) / 400
    drawn = transitions.drawn(np.full(400, 7), numbers)
    assert np.unique(drawn, return_counts=True)[1].tolist() == [100, 200, 100]
    assert sorted(set(drawn.tolist())) == [5, 8, 9]


def test_an_audit_knows_the_law_of_such_a_table(tmp_path):
    matrix = fw.protect.read_ptable(ptable(tmp_path, PROBABILITIES))
    release = fw.protect.perturb([[3, 1], [2, 6]], matrix, seed=3, exact=[""])
    weights = {}
    transitions = as_transitions(matrix)
    shown = release.published.values.ravel().tolist()
    for a in range(13):
        for b in range(13 - a):
            for c in range(13 - a - b):
                cells = (a, b, c, 12 - a - b - c)
                p = np.prod([transitions.probability(f, np.array([x]))[0] for f, x in zip(shown, cells, strict=True)])
                weights[a] = weights.get(a, 0.0) + p
    wanted = {value: p / sum(weights.values()) for value, p in weights.items() if p}
    found = fw.audit(release, law="uniform").pmf(A="1", B="1")
    assert {value: p for value, p in found.items() if p} == pytest.approx(wanted)
    kept = fw.protect.perturb([[3, 1], [2, 6]], matrix, seed=3, preserve_totals=True)
    assert kept.applied[-1].likelihood == "cellwise approximation"
    with pytest.raises(fw.InputError, match="rows for the counts up to 2 and publishes up to 4; no such matrix"):
        fw.protect.invariant_matrix(matrix, [3, 4, 5])
    with pytest.raises(fw.InputError, match="a transition matrix is square.*this is 3 x 5"):
        fw.protect.perturb([[3, 1], [2, 6]], np.asarray(matrix).view(np.ndarray), seed=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PROBABILITIES.replace("1;3;0.5;2;1", "1;3;0.4;2;0.9"), "probabilities of the count 1 sum to 0.9, not to 1"),
        (PROBABILITIES.replace("1;3;0.5;2;1", "1;3;0.5;1;1"), "row 4: v is 1, but by the other columns it is 2"),
        (PROBABILITIES.replace("1;3;0.5;2;1", "1;3;0.5;2;0.9"), "row 4: p_ij_ub is 0.9, but by the other columns it is 1"),
        (PROBABILITIES.replace("1;3;", "1;0;").replace(";2;1\n", ";-1;1\n", 1), "row 4: the count 1 becomes 0 in two rows"),
        (PROBABILITIES.replace("\n1;", "\n3;").replace(";-1;", ";-3;").replace("3;3;0.5;2", "3;3;0.5;0"), "of the count 1"),
        (PROBABILITIES.replace("1;3;0.5", "1.5;3;0.5"), "'1.5' where a whole number must be"),
        (PROBABILITIES.replace("1;3;0.5", "1;3;-0.5"), "'-0.5' is no probability"),
        (PROBABILITIES.replace("1;3;0.5;2;1", "1;3;0.5"), "row 4: 3 columns where the header has 5"),
        (PROBABILITIES.replace('"p"', '"q"'), "no perturbation table: it needs the columns i, j, p; pcv, ckey, pvalue"),
        (PROBABILITIES.replace('"v"', '"type"'), "rows of type '0' are about magnitudes"),
        (KEYED.replace("1,0,-1", "1,0,-2"), "the count 1 with the key 0 becomes -1; none is below 0"),
        (KEYED.replace("2,3,2\n", ""), "the count 2 has 3 keys and the count 1 has 4"),
        (KEYED.replace("2,3,2\n", "2,2,2\n"), "row 9: the count 2 has the key 2 twice"),
        (KEYED.replace(",3,", ",9,"), "the keys of the count 1 are not all numbers from 0 or 1"),
        (KEYED.replace("\n2,", "\n4,"), "no row says what becomes of the count 2"),
        ("pcv,ckey,pvalue\n", "the table has no rows"),
        ("pcv,ckey,pvalue\n999999999,0,0\n", "counts up to 999999999 are more than a table can have here"),
    ],
)  # fmt: skip
def test_tables_that_contradict_themselves(tmp_path, text, words):
    with pytest.raises(fw.InputError, match=words):
        fw.protect.read_ptable(ptable(tmp_path, text))


def test_the_command_line_takes_such_files(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("town,size,value\na,x,1\na,y,2\nb,x,7\nb,y,0\n")
    out = tmp_path / "out.csv"
    asked = ["--mechanism", "perturb", "--matrix", ptable(tmp_path, PROBABILITIES), "--seed", "1", "--out", out]
    assert fiberwalk("protect", path, *asked).exit_code == 0
    shown = fw.read_release(out).figures.tolist()
    for figure, possible in zip(shown, ((0, 3), (0, 3, 4), (5, 8, 9), (0,)), strict=True):
        assert figure in possible
    audited = fiberwalk("audit", out, "--protected-by", f"perturb matrix={tmp_path / 'ptable.txt'}")
    assert audited.exit_code == 0


def test_the_table_of_tau_argus():
    path = reference("tauargus_ptable.txt")
    matrix = fw.protect.read_ptable(path)
    assert matrix.shape == (11, 18)
    rows = [line.split(";") for line in path.read_text().splitlines()[1:]]
    wanted = np.zeros((11, 18))
    for i, j, p, *_ in rows:
        wanted[int(i), int(j)] = float(p)
    assert np.abs(matrix - wanted).max() < 1e-9
    assert np.abs(matrix @ np.arange(18) - np.arange(11)).max() < 1e-6  # right on average
    fw.protect.perturb([[30, 1], [2, 6]], matrix, seed=3, keys="labels")
