"""Nothing withheld leaves: whatever is made for readers is the same for every truth that was published alike."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import count, islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.saved_results import METHODS, SQUARE, TABLE
from support.small_releases import ragged_trees

import fiberwalk as fw
from fiberwalk.base.errors import InputError
from fiberwalk.protect.methods import METHODS as ALL_METHODS
from fiberwalk.release.facts.facts import HIDDEN, NO_VALUE, PRIMARY, Protection
from fiberwalk.release.files.formats import REGISTRY
from fiberwalk.release.public_view import PublicView, public_view
from fiberwalk.release.release import Release
from fiberwalk.release.told import Told

SECRET = 987_654_321


def written(suffix: str) -> Callable[[Release, Path], bytes]:
    def write(release: Release, folder: Path) -> bytes:
        inside = folder / suffix.removeprefix(".")  # with all the files that one writer makes
        shutil.rmtree(inside, ignore_errors=True)
        inside.mkdir()
        path = inside / f"out{suffix}"
        release.to_file(path)
        return b"".join(one.read_bytes() for one in sorted(inside.iterdir()))

    return write


def audit_saved(release: Release, folder: Path) -> bytes:
    fw.audit(release.without_truth(), law="uniform").save(folder / "audit.fw")
    return (folder / "audit.fw").read_bytes()


def reported(release: Release, folder: Path) -> bytes:
    fw.audit(release.without_truth()).to_html(folder / "report.html")
    return (folder / "report.html").read_bytes()


WRITERS: dict[str, Callable[[Release, Path], bytes]] = {
    "to_file .csv": written(".csv"),
    "to_file .parquet": written(".parquet"),
    "to_file .tab": written(".tab"),
    "to_file .xlsx": written(".xlsx"),
    "crosstab": lambda release, _: release.crosstab(mark="×").to_string().encode(),
    "published": lambda release, _: release.published.to_series().to_string().encode(),
    "_repr_html_": lambda release, _: (release._repr_html_() or "").encode(),
    "__repr__": lambda release, _: repr(release).encode(),
    "without_truth: notes": lambda release, _: "\n".join(release.without_truth().notes).encode(),
    "without_truth: methods": lambda release, _: repr(release.without_truth().applied).encode(),
    "without_truth: a saved audit": audit_saved,
    "without_truth: a report": reported,
    "without_truth: bounds": lambda release, _: fw.bounds(release.without_truth()).to_string().encode(),
}


REPORT = {"without_truth: a report"}
AUDITS = {*REPORT, "without_truth: a saved audit", "without_truth: bounds"}
"""They take their time, and are not tried everywhere."""


def outputs(release: Release, folder: Path, leave_out: frozenset[str] | set[str] = frozenset()) -> dict[str, bytes]:
    """What every writer makes of a release; a refusal is told, too."""
    found = {}
    for name in WRITERS.keys() - leave_out:
        write = WRITERS[name]
        try:
            found[name] = write(release, folder)
        except InputError as refusal:
            found[name] = str(refusal).encode()
    return found


# --- every writer is here ----------------------------------------------------------------------------------------

AGENCY = {
    "truth",
    "protection",
    "if_flagged",
    "contributors",
    "largest",
    "second",
    "of_magnitudes",
    "knows",
    "knows_rule",
    "restricted_to",
    "readings",
    "signed",
    "told",
    "with_facts",
}
"""What of a release is for its agency, who makes other releases of it or asks it, and writes nothing for readers."""


def test_a_new_writer_has_to_be_in_the_list():
    own = {name for name in vars(Release) if not name.startswith("_")} - {one.name for one in fields(Told)}
    written_by = {name.split(":")[0].split(" ")[0] for name in WRITERS}
    assert own - AGENCY == written_by - {"_repr_html_", "__repr__"}
    public = {one.endings[0] for one in REGISTRY if one.write_public is not None}
    assert public == {name.removeprefix("to_file ") for name in WRITERS if name.startswith("to_file ")}


def test_the_public_view_has_no_room_for_what_the_agency_keeps():
    assert {one.name for one in fields(PublicView)} == {one.name for one in fields(Told)}
    assert not {one.name for one in fields(PublicView)} & AGENCY
    assert {one.name for one in fields(Release)} - {one.name for one in fields(Told)} <= AGENCY


# --- what the agency keeps is not looked at ----------------------------------------------------------------------


def with_other_secrets(release: Release, rng: np.random.Generator) -> Release:
    """The same publication of an agency that keeps something else."""
    n = release.n_cells
    status = release.status.copy()
    if not release.flagged:
        hidden = np.flatnonzero(np.isin(status, (PRIMARY, HIDDEN)))
        status[hidden] = rng.choice([PRIMARY, HIDDEN], len(hidden))
    return replace(
        release,
        truth=rng.integers(10**6, 10**7, n),
        contributors=rng.integers(1, 90, n),
        largest=rng.integers(1, 90, n),
        second=rng.integers(1, 90, n),
        protection={tuple(key.tolist()): Protection(*rng.integers(1, 90, 3).tolist()) for key in release.keys},
        if_flagged=None if release.flagged else (np.zeros(n, np.int64), rng.integers(5, 90, n)),
        applied=tuple(replace(one, seed=SECRET, own_words="something else") for one in release.applied),
        status=status,
    )


def jj_with_levels() -> Release:
    made = fw.protect.complementary_suppress(TABLE, rule="< 3", percent=50)
    assert made.protection
    return made


def jj_file_with_levels() -> Release:
    """As an agency reads it that gets the table from another program: truth and levels stand in the file."""
    with tempfile.TemporaryDirectory() as folder:
        jj_with_levels().to_file(Path(folder) / "table.jj")
        read = fw.read_release(Path(folder) / "table.jj")
    assert read.protection
    assert read.truth is not None
    return read


LINKED = [fw.suppress(TABLE, where=SQUARE), fw.publish(TABLE.sum(axis=1), ["row"])]
RAGGED = {"row": {"ab": ["a", "b"]}}
KINDS: dict[str, Callable[[], Release]] = {
    **METHODS,
    "linked": lambda: fw.linked(LINKED),
    "with levels": jj_with_levels,
    "JJ file with levels": jj_file_with_levels,
    "ragged": lambda: fw.suppress(fw.table(TABLE, hierarchies=RAGGED), where=SQUARE),
    "contributors": lambda: fw.suppress(
        fw.table(TABLE, contributors=TABLE * 0 + 2, largest=TABLE * 0 + 1), where=SQUARE
    ),
    "second contributors": lambda: fw.suppress(
        fw.table(TABLE * 9, contributors=TABLE * 0 + 3, largest=TABLE * 5, second=TABLE * 3), where=SQUARE
    ),
    "magnitudes": lambda: fw.suppress(fw.table(TABLE + 0.25, decimals=2), where=SQUARE),
    "profits": lambda: fw.suppress(fw.table(TABLE - 4, at_least=-20, at_most=20), where=SQUARE),
    "profits known within percent": lambda: fw.suppress(fw.table(TABLE - 4, known_within=50), where=SQUARE),
    "knows": lambda: fw.suppress(TABLE, where=SQUARE).knows(SQUARE[0], at_most=4),
    "knows her own": lambda: fw.suppress(TABLE, where=SQUARE).knows(SQUARE[3], own=1),
    "knows the rule": lambda: fw.suppress(TABLE, rule="< 3", where=SQUARE, rule_known=True),
    "sees the flags": lambda: fw.suppress(TABLE, rule="< 3", where=SQUARE, rule_known=True, flags=True),
    "totals withheld": lambda: fw.suppress(TABLE, where=[{"row": "a"}, {"row": "b"}, *SQUARE]),
}


REPORTED = {"complementary_suppress", "random_round", "knows the rule"}
"""Kinds of which a report is made as well; it says of all kinds the same things."""


def test_every_method_is_tried():
    assert set(METHODS) == set(ALL_METHODS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_agency_keeps_changes_no_output(kind, tmp_path):
    release = KINDS[kind]()
    other = with_other_secrets(release, np.random.default_rng(1))
    without = set() if kind in REPORTED else REPORT
    assert outputs(other, tmp_path, without) == outputs(release, tmp_path, without)


def test_a_writer_that_looks_at_the_truth_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(WRITERS, "careless", lambda release, _: str(release.truth.sum()).encode())
    release = KINDS["suppress"]()
    other = with_other_secrets(release, np.random.default_rng(1))
    first, second = outputs(release, tmp_path, AUDITS), outputs(other, tmp_path, AUDITS)
    assert {name for name in first if first[name] != second[name]} == {"careless"}


# --- two truths with the same publication -------------------------------------------------------------------------


@examples(60)
@given(ragged_trees(), st.integers(0, 2**32 - 1))
def test_two_truths_of_any_hierarchy_are_suppressed_alike(tmp_path_factory, made, seed):
    labels, tree, (one, other) = made
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame(rng.integers(10, 99, (len(labels), 3)), index=labels, columns=list("xyz"))
    truth.index.name, truth.columns.name = "town", "size"
    changed = truth.copy()
    changed.loc[[one, other], ["x", "y"]] += np.array([[1, -1], [-1, 1]]) * int(rng.integers(1, 10))
    where = [{"town": town, "size": size} for town in (one, other) for size in "xy"]
    hierarchies = {"town": tree} if tree else None
    first, second = (fw.suppress(fw.table(table, hierarchies=hierarchies), where=where) for table in (truth, changed))
    folder = tmp_path_factory.mktemp("door")
    assert outputs(first, folder, AUDITS) == outputs(second, folder, AUDITS)
    bounds = fw.bounds(first)
    assert (bounds["lower"] < bounds["upper"]).all()


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["at_least", "known_within", "rounded"]))
def test_two_truths_of_profits_look_alike(tmp_path_factory, seed, kind):
    """Also where the snooper is assumed to know each to within some percent: no reader sees around what."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(-9, 10, (3, 3))
    changed = truth.copy()
    changed[:2, :2] += np.array([[1, -1], [-1, 1]]) * int(rng.integers(1, 10))
    hidden = np.zeros((3, 3), dtype=bool)
    hidden[:2, :2] = True
    known = {"at_least": -40, "at_most": 40} if kind == "at_least" else {"known_within": int(rng.integers(0, 200))}
    if kind == "rounded":  # to base 5, what is seen of 0 and of 1 is the same
        truth, changed = 5 * truth, 5 * truth + rng.integers(-2, 3, truth.shape)
        first, second = (fw.round_to(fw.table(one, **known), 5, margins=[]) for one in (truth, changed))
    else:
        first, second = (fw.suppress(fw.table(one, **known), where=hidden) for one in (truth, changed))
    folder = tmp_path_factory.mktemp("door")
    leave_out = REPORT if kind == "at_least" else set()
    assert outputs(first, folder, leave_out) == outputs(second, folder, leave_out)


TRUTH = np.array([[3, 2], [2, 4]])
OTHERS = tuple(np.array(one) for one in ([[2, 3], [3, 3]], [[1, 4], [4, 2]], [[3, 2], [1, 3]]))
SPREAD = np.full((8, 8), 0.125)
RANDOM: dict[str, Callable[[np.ndarray, int], Release]] = {
    "random_round": lambda table, seed: fw.protect.random_round(table, 3, seed=seed),
    "random_round of all margins": lambda table, seed: fw.protect.random_round(
        table, 3, seed=seed, margins=["A", "B", ""]
    ),
    "random_round by labels": lambda table, seed: fw.protect.random_round(table, 3, seed=seed, keys="labels"),
    "semi_controlled_round": lambda table, seed: fw.protect.semi_controlled_round(table, 3, seed=seed),
    "controlled_round": lambda table, seed: fw.protect.controlled_round(table, 3, seed=seed),
    "controlled_round, unbiased": lambda table, seed: fw.protect.controlled_round(table, 3, seed=seed, unbiased=True),
    "round_lattice": lambda table, seed: fw.protect.round_lattice(table, 3, seed=seed),
    "round_lattice of some tables": lambda table, seed: fw.protect.round_lattice(table, 3, margins=["A"], seed=seed),
    "perturb": lambda table, seed: fw.protect.perturb(table, SPREAD, seed=seed, exact=["A", "B"]),
    "add_noise": lambda table, seed: fw.protect.add_noise(table, fw.protect.uniform_noise(2), seed=seed),
    "draw_sample": lambda table, seed: fw.protect.draw_sample(table, 0.5, seed=seed),
    "swap": lambda table, seed: fw.protect.swap(table, "A", rate=0.9, seed=seed),
    "swap_preserving": lambda table, seed: fw.protect.swap_preserving(table, ways=1, swaps=3, seed=seed),
    "simulate": lambda table, seed: fw.protect.simulate(table, ["A", "B"], seed=seed),
    "pram": lambda table, seed: fw.protect.pram(table, "A", stay=0.6, seed=seed),
    "local_suppress": lambda table, seed: fw.protect.local_suppress(table, "A", rate=0.5, seed=seed),
    "round_to": lambda table, seed: fw.round_to(table, 20, margins=["A", "B"]),
}


@pytest.mark.parametrize("method", RANDOM)
def test_two_truths_that_a_method_published_alike_give_the_same_bytes(method, tmp_path):
    make = RANDOM[method]
    seen = {}
    for seed in islice(count(), 120):
        release = make(TRUTH, seed)
        seen.setdefault(release.crosstab().to_string(), release)
    alike = (
        (seen[shown], other)
        for seed in islice(count(1000), 600)
        for other in [make(table, seed) for table in OTHERS]
        for shown in [other.crosstab().to_string()]
        if shown in seen
    )
    first, second = next(alike)
    assert (first.truth != second.truth).any()
    assert outputs(first, tmp_path, REPORT) == outputs(second, tmp_path, REPORT)


# --- markers ------------------------------------------------------------------------------------------------------


def digits(output: bytes) -> set[str]:
    """Every number that an output shows, whatever stands between thousands."""
    text = output.decode("latin-1")
    return set(re.findall(r"\d+", text)) | set(re.findall(r"\d+", re.sub(r"(?<=\d)[,.\s](?=\d{3})", "", text)))


@examples(20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 2]), st.booleans())
def test_no_marker_leaves(tmp_path_factory, seed, decimals, ragged):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(10**6, 10**7, (4, 4)), index=list("abcd"), columns=list("wxyz"))
    table.index.name, table.columns.name = "row", "col"
    where = [{"row": r, "col": c} for r in "cd" for c in "wxy"]
    tree = {"row": {"ab": ["a", "b"]}} if ragged else None
    truth = table / 10**decimals if decimals else table
    release = fw.suppress(
        fw.table(truth, hierarchies=tree, decimals=decimals, contributors=table // 10, largest=truth * 0 + 1),
        where=where,
    )
    hidden = table.loc[["c", "d"], ["w", "x", "y"]].to_numpy().ravel()
    markers = {str(one) for figure in hidden for one in (figure, figure // 10)}
    shown = outputs(release, tmp_path_factory.mktemp("markers"), AUDITS - {"without_truth: bounds"})
    for name, output in shown.items():
        if name not in ("to_file .parquet", "to_file .xlsx"):  # binary, and the same rows as the CSV
            assert not digits(output) & markers, name
    assert str(table.loc["a", "w"]) in digits(shown["to_file .csv"]) or decimals  # what is published is found


@pytest.mark.parametrize("method", [name for name in RANDOM if name != "round_to"])
def test_no_seed_leaves(method, tmp_path):
    release = RANDOM[method](TRUTH, SECRET)
    assert [one.seed for one in release.applied] == [SECRET]
    for name, output in outputs(release, tmp_path, REPORT).items():
        assert str(SECRET) not in output.decode("latin-1"), name


def test_errors_say_nothing_of_what_is_withheld():
    table = TABLE * 1_000_003
    release = fw.suppress(table, where=SQUARE)
    with_zero = table.replace(table.loc["a", "x"], 0)
    for wrong in (
        lambda: release.knows(SQUARE[0], at_least=10**8),
        lambda: fw.suppress(with_zero, where=SQUARE).knows_rule("< 3", flags=False),
        lambda: fw.protect.complementary_suppress(table, where=SQUARE[:1], width=10**12),
        lambda: fw.suppress(fw.table(table, contributors=table * 0), where=SQUARE),
        lambda: fw.suppress(fw.table(table, largest=table * 2), where=SQUARE),
    ):
        with pytest.raises(InputError) as told:
            wrong()
        assert not set(re.findall(r"\d+", str(told.value))) & {str(one) for one in table.to_numpy().ravel()}


REFUSED: dict[str, Callable[[Release], object]] = {
    "knows too much": lambda release: fw.bounds(release.knows(SQUARE[0], at_least=10**8)),
    "knows what cannot be": lambda release: fw.bounds(release.knows(SQUARE[0], at_most=0).knows(SQUARE[1], at_most=0)),
    "knows her own": lambda release: fw.bounds(release.knows(SQUARE[0], own=10**8)),
    "knows that no table is": lambda release: fw.count(release.knows(SQUARE[0], at_least=10**8)),
    "knows another cell": lambda release: release.knows({"row": "q"}, at_most=1),
    "knows a rule": lambda release: release.knows_rule("< 1", flags=False),
    "sees flags": lambda release: release.knows_rule("< 3", flags=True),
    "audit of respondents": lambda release: fw.audit(release, intruders="respondents"),
    "audit by no law": lambda release: fw.audit(release, law="none"),
    "expected nothing": lambda release: fw.audit(release, law=fw.laws.expected(TABLE * 0)),
    "prior elsewhere": lambda release: fw.audit(release, law=fw.laws.prior([(SQUARE[0], {10**8: 1})])),
    "as protected": lambda release: fw.protect.as_protected(release, "random_round", base=3),
    "linked to another": lambda release: fw.bounds(fw.linked([release, fw.publish(TABLE.sum(axis=1) + 1, ["row"])])),
    "suppressed again": lambda release: fw.protect.complementary_suppress(release, rule="< 3"),
    "as JJ": lambda release: release.to_file("nowhere.jj"),
    "under a wrong name": lambda release: release.to_file("nowhere.doc"),
}
"""What somebody may try with what is public, and is refused."""


def test_refusals_are_the_same_for_every_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = TABLE.copy()
    other.loc[["a", "b"], ["x", "y"]] += np.array([[1, -1], [-1, 1]])
    first, second = (fw.suppress(table, where=SQUARE) for table in (TABLE, other))
    assert (first.truth != second.truth).any()
    said: list[dict[str, str]] = []
    for release in (first.without_truth(), second.without_truth(), with_other_secrets(first, np.random.default_rng(1))):
        told = {}
        for name, attempt in REFUSED.items():
            try:
                attempt(release.without_truth())
            except fw.FiberwalkError as refusal:
                told[name] = str(refusal)
        said.append(told)
    assert said[0] == said[1] == said[2]
    assert set(said[0]) == set(REFUSED)
    assert list(tmp_path.iterdir()) == []


def test_the_view_of_a_release_is_made_anew_without_flags():
    release = fw.suppress(TABLE, rule="< 3", where=SQUARE)
    assert (release.status == PRIMARY).any()
    view = public_view(release)
    assert not (view.status == PRIMARY).any()
    assert (view.value[release.hidden] == NO_VALUE).all()
