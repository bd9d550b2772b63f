"""Nothing withheld leaves by `fiberwalk protect`: its table and what it prints; the note is the agency's alone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.terminal import fiberwalk

import fiberwalk as fw

SECRET = 987_654_321
TREE = "North\n@a\n@b\nc\nd\n"
SUPPRESS = ("--mechanism", "suppress", "--rule", "< 4")
WAYS = {
    "suppress": SUPPRESS,
    "suppress, ragged": (*SUPPRESS, "--hierarchy", "town=t.hrc"),
    "suppress, Parquet": (*SUPPRESS, "--out", "out.parquet"),
}


def long_file(counts):
    rows = [f"{town},{size},{counts[i, j]}" for i, town in enumerate("abcd") for j, size in enumerate("xyz")]
    return "town,size,value\n" + "\n".join(rows) + "\n"


TRUTH = np.array([[10, 20, 30], [12, 22, 32], [3, 2, 50], [2, 3, 60]])
OTHER = TRUTH + np.array([[0, 0, 0], [0, 0, 0], [-1, 1, 0], [1, -1, 0]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.hrc").write_text(TREE)
    return tmp_path


def protected(folder, counts, *words):
    """What is written and printed, the note apart."""
    (folder / "towns.csv").write_text(long_file(counts))
    words = words if "--out" in words else (*words, "--out", "out.csv")
    done = fiberwalk("protect", "towns.csv", *words)
    assert done.exit_code == 0, done.output
    out = folder / words[words.index("--out") + 1]
    note = out.with_suffix(".note.txt").read_text()
    return {"out": out.read_bytes(), "stdout": done.stdout.encode(), "stderr": done.stderr.encode()}, note


@pytest.mark.parametrize("way", WAYS)
def test_two_truths_that_are_published_alike_give_the_same_bytes(way, folder):
    first, second = (protected(folder, counts, *WAYS[way]) for counts in (TRUTH, OTHER))
    assert first == second


@pytest.mark.parametrize("way", [one for one in WAYS if "Parquet" not in one])
def test_no_withheld_figure_is_written_or_printed(way, folder):
    rng = np.random.default_rng(1)
    for _ in range(5):
        counts = rng.integers(10**6, 10**7, (4, 3))
        limit = int(np.sort(counts[2:, :2].ravel())[-1]) + 1
        counts[:2] += 10**7
        counts[2:, 2] += 10**7
        found, note = protected(folder, counts, *WAYS[way][:3], f"< {limit}", *WAYS[way][4:])
        hidden = {str(one) for one in counts[2:, :2].ravel()}
        for name, output in {**found, "note": note.encode()}.items():
            assert not set(re.findall(r"\d+", output.decode().replace(str(limit), ""))) & hidden, name
        assert str(counts[0, 0]) in found["out"].decode()


@pytest.mark.parametrize(
    "words",
    [
        ("random-round", "--base", "3"),
        ("semi-controlled-round", "--base", "3"),
        ("controlled-round", "--base", "3"),
        ("add-noise", "--noise", "uniform:2"),
        ("draw-sample", "--fraction", "0.5"),
        ("swap", "--dim", "size", "--rate", "0.2"),
    ],
    ids=lambda words: words[0],
)
def test_the_seed_is_in_the_note_and_nowhere_else(words, folder):
    found, note = protected(folder, TRUTH, "--mechanism", *words, "--seed", str(SECRET))
    assert f"seed: {SECRET}" in note
    for name, output in found.items():
        assert str(SECRET) not in output.decode(), name
    fw.read_release(folder / "out.csv", perturbed=True)


def test_a_jj_file_with_levels_gives_them_to_nobody(folder):
    made = fw.protect.complementary_suppress(TRUTH * 1000 + 7, rule="< 4000", percent=10)
    made.to_file("own.jj")
    assert "u" in (folder / "own.jj").read_text()
    release = fw.read_release("own.jj")
    levels = {str(level) for one in release.protection.values() for level in (one.below, one.above) if level > 20}
    hidden = {str(one) for one in release.truth[release.hidden]}
    assert levels
    assert hidden
    fw.audit(release.without_truth()).save("audit.fw")
    release.to_file("public.csv")
    for words in (("bounds", "public.csv"), ("audit", "public.csv"), ("report", "audit.fw")):
        done = fiberwalk(*words)
        assert done.exit_code == 0, done.output
        assert not set(re.findall(r"\d+", done.output.replace(",", ""))) & (hidden | levels), words
    assert not set(re.findall(r"\d+", (folder / "public.csv").read_text())) & (hidden | levels)
