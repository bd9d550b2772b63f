"""Two checkouts by turns: ratios and verdicts of made-up timings, draws that differ, and how the sides are talked to."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

# A contest that is no work, prints where it must not, and one that an older fiberwalk would refuse.
WORK = """
def refused():
    raise TypeError("there is no such\\nargument")

CONTESTS = {"nothing": lambda: lambda: print("heard"), "refused": lambda: refused}
DRAWS = {"table": lambda: [[[1, 2], [3, 4]]]}
"""


def rounds(bench, slower, number=15, noise=0.02, seed=1):
    """Made-up rounds of a contest whose new time is so many times the old one."""
    times = 0.3 * np.exp(np.random.default_rng(seed).normal(0.0, noise, (number, 4)))
    one = bench("turns.ratios").Round
    return [one((slower * a, slower * d), (b, c)) for a, b, c, d in times.tolist()]


def test_a_ratio_is_that_of_the_quicker_runs(bench):
    one = bench("turns.ratios").Round((0.4, 9.0), (0.8, 0.2))
    assert one.log_ratio == pytest.approx(math.log(2.0))


def test_an_interval_covers_the_true_ratio_about_as_often_as_it_says(bench):
    ratio_of = bench("turns.ratios").ratio_of
    found = [ratio_of(rounds(bench, 1.05, seed=seed)) for seed in range(400)]
    assert 0.92 < np.mean([one.low <= 1.05 <= one.high for one in found]) < 0.98
    assert all(one.low < one.value < one.high for one in found)


def test_a_few_bad_rounds_hardly_matter(bench):
    ratios = bench("turns.ratios")
    usual = rounds(bench, 1.0)
    bad = ratios.Round((3.0, 3.0), (0.3, 0.3))
    plain, disturbed = ratios.ratio_of(usual), ratios.ratio_of([bad, *usual[1:-1], bad])
    assert disturbed.value == pytest.approx(plain.value, abs=0.02)
    assert disturbed.half < 3 * plain.half


def test_two_rounds_tell_no_width(bench):
    assert bench("turns.ratios").ratio_of(rounds(bench, 1.0, number=2)).half == math.inf


def test_the_mean_of_many_contests_is_known_better_than_each(bench):
    ratios = bench("turns.ratios")
    some = [ratios.Ratio(math.log(2.0), 0.1), ratios.Ratio(-math.log(2.0), 0.1)]
    mean = ratios.mean_of(some)
    assert mean.value == pytest.approx(1.0)
    assert mean.half == pytest.approx(0.1 / math.sqrt(2))


def test_the_verdict_goes_both_ways(bench):
    ratios = bench("turns.ratios")

    def said(*slower):
        found = {f"contest {k}": ratios.ratio_of(rounds(bench, one, seed=k)) for k, one in enumerate(slower)}
        return ratios.complaints(found, ratios.Limits())

    assert said(*[1.0] * 10) == []
    assert said(*[0.7] * 10) == []
    assert said(1.05, *[1.0] * 9) == []  # within what a contest may be, and the mean
    [everywhere] = said(*[1.06] * 10)
    assert "geometric mean" in everywhere
    assert "slower" in everywhere
    [alone] = said(1.25, *[0.98] * 9)
    assert alone.startswith("contest 0 is 2")
    assert ratios.complaints({"x": ratios.Ratio(math.log(1.02), math.inf)}, ratios.Limits()) == []
    assert ratios.complaints({}, ratios.Limits()) == []


def test_rounds_go_on_while_an_interval_is_wide(bench):
    enough = bench("against").enough
    assert not enough(rounds(bench, 1.0, number=11), 12)
    assert enough(rounds(bench, 1.0, number=12), 12)
    assert not enough(rounds(bench, 1.0, number=12, noise=0.3), 12)
    assert enough(rounds(bench, 1.0, number=24, noise=0.3), 12)


def test_the_first_draw_that_differs_is_named(bench):
    difference, digests = bench("turns.same").difference, bench("turns.child").digests
    tables = np.random.default_rng(1).integers(0, 9, (2, 5, 3, 3))
    other = tables.copy()
    other[0, 3, 2, 2] += 1
    other[1, 2, 0, 0] += 1
    assert difference(digests(tables), digests(tables.astype(np.int16))) == ""
    assert difference(digests(tables), digests(other)) == "draw 3 of chain 2 is the first that differs; 2 of 10 do"
    assert difference(digests(tables), digests(tables[:, :4])) == "10 draws of 2 chains here, 8 of 2 there"


def checkout(folder):
    """A checkout with next to nothing in it."""
    package = folder / "src" / "fiberwalk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    return folder


def test_both_sides_answer_whatever_is_printed_and_refused(bench, tmp_path):
    side = bench("turns.side")
    work = tmp_path / "turns" / "work.py"
    work.parent.mkdir()
    work.write_text(WORK)
    new, old = checkout(tmp_path / "new"), checkout(tmp_path / "old")
    with side.both(new, old, work) as sides:
        assert sides[0].contests == ["nothing", "refused"]
        assert bench("against").compiled(sides, sides[0].contests) == (["nothing"], [])
        assert bench("against").compared(sides, ["table"]) == (1, [])
        assert bench("against").one_round(sides, "nothing").new[0] >= 0
        with pytest.raises(side.CannotRun, match="^TypeError: there is no such argument$"):
            sides[0].asked("run", "refused")
        with pytest.raises(side.CannotRun, match="no contest has 'x' in its name; there are: nothing; refused."):
            bench("against").chosen(["x"], sides[0].contests)
    assert all(one.process.poll() is not None for one in sides)


def test_a_side_that_would_run_another_fiberwalk_says_so(bench, tmp_path):
    side = bench("turns.side")
    (tmp_path / "src").mkdir()
    with pytest.raises(side.CannotRun, match="fiberwalk"), side.both(tmp_path, tmp_path):
        pass


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-commit"], "git knows no commit 'no-such-commit' here; `git log --oneline` lists some.\n"),
        ([], "say which commit to run against: `make bench-against REF=main`"),
        (["HEAD", "--rounds", "2"], "--rounds: at least 3"),
    ],
    ids=["unknown", "none", "few rounds"],
)
def test_what_cannot_be_compared_ends_in_a_sentence(bench, monkeypatch, capsys, words, said):
    monkeypatch.setattr(sys, "argv", ["against.py", *words])
    try:
        status = bench("against").main()
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert said in capsys.readouterr().err


def test_a_checkout_has_the_files_of_a_commit_and_is_gone_afterwards(bench, tmp_path):
    home = tmp_path / "home"
    checkout(home)

    def git(*words):
        subprocess.run(
            ["git", "-C", str(home), "-c", "user.name=x", "-c", "user.email=x@x", *words],
            check=True,
            capture_output=True,
        )

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    here = bench("turns.checkout")
    assert "uncommitted" not in here.this_tree(home)
    (home / "src" / "fiberwalk" / "later.py").write_text("")
    assert here.this_tree(home).endswith(", with uncommitted changes")
    commit = here.commit_of("HEAD", home)
    with here.checked_out(commit, home) as first, here.checked_out(commit, home) as second:
        assert [one.name for one in (first / "src" / "fiberwalk").iterdir()] == ["__init__.py"]
        assert second != first  # somebody else compares with the same commit
    assert not first.exists()
    assert not second.exists()
    with pytest.raises(KeyboardInterrupt), here.checked_out(commit, home) as stopped:
        raise KeyboardInterrupt
    assert not stopped.exists()
