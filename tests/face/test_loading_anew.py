"""Results of every kind, with all that they may hold, loaded where nothing else was: in a new process, by this version."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.house.import_graph import ROOMS
from support.places import ROOT
from support.saved_results import CASES, METHODS, SAVED

import fiberwalk as fw
from fiberwalk.base import saved_forms
from fiberwalk.loading import KINDS
from fiberwalk.protect.methods import METHODS as ALL_METHODS

FACE = ROOT / "src" / "fiberwalk"


def class_names(text: str) -> set[str]:
    """The classes in a file that say that they may be saved."""
    return set(re.findall(r'^@saved\("([^"]+)"', text, flags=re.MULTILINE))


def of_rooms() -> set[str]:
    return {name for room in ROOMS for path in (ROOT / room).rglob("*.py") for name in class_names(path.read_text())}


def of_face() -> set[str]:
    paths = [path for path in FACE.rglob("*.py") if path.relative_to(FACE).parts[0] not in ROOMS]
    return {name for path in paths for name in class_names(path.read_text())}


def document_of(path: Path) -> dict:
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("audit.json"))


def in_new_processes(code: str, *arguments: str) -> list[str]:
    """What code says of each argument, run by a process that has loaded nothing of ours; libraries are loaded once."""
    if not hasattr(os, "fork"):
        pytest.skip("needs processes that begin as copies of another")
    program = textwrap.dedent("""
        import importlib, os, sys, traceback
        import numba, numpy, pandas, scipy.optimize, scipy.sparse, scipy.special, scipy.stats, xarray
        xarray.DataArray([1])
        code, *arguments = sys.argv[1:]
        for argument in arguments:
            assert not any(name.split(".")[0] == "fiberwalk" for name in sys.modules)
            child = os.fork()
            if not child:
                try:
                    exec(code)
                except BaseException:
                    print("FAILED:", traceback.format_exc().splitlines()[-1])
                sys.stdout.flush()
                os._exit(0)
            os.waitpid(child, 0)
    """)
    done = subprocess.run([sys.executable, "-c", program, code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A file of every case, written by this process."""
    made = tmp_path_factory.mktemp("saved")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of laws that do not suit the table
        for name, make in CASES.items():
            make().save(made / f"{name}.fw")
    return made


@pytest.mark.slow
def test_the_cases_have_every_class_every_method_and_every_kind(folder):
    documents = [document_of(path) for path in folder.iterdir()]
    held = {name for one in documents for item in one["objects"] for name in item}
    assert held == of_rooms() | of_face()
    assert {one["fiberwalk"] for one in documents} == set(KINDS)
    assert set(METHODS) == set(ALL_METHODS)


def assert_loaded_anew(paths: list[Path]) -> None:
    code = "import fiberwalk as fw; again = fw.load(argument); again.save(argument + '.again'); print(repr(again))"
    said = in_new_processes(code, *map(str, paths))
    for path, words in zip(paths, said, strict=True):
        here = fw.load(path)
        assert words == repr(here), path.stem
        here.save(f"{path}.here")
        assert Path(f"{path}.again").read_bytes() == Path(f"{path}.here").read_bytes(), path.stem


@pytest.mark.slow
def test_a_new_process_loads_what_an_older_version_saved(tmp_path):
    copies = [Path(shutil.copy(SAVED / f"{name}.fw", tmp_path)) for name in FIRST]
    assert_loaded_anew(copies)


@pytest.mark.slow
def test_a_new_process_loads_results_with_every_law_and_every_method(folder):
    assert_loaded_anew(sorted(folder.glob("*.fw")))


def test_every_class_that_may_be_saved_is_found_by_a_new_process():
    """A class with the decorator in a file that nothing loads could be written, and not be read."""
    code = textwrap.dedent("""
        from fiberwalk.loading import KINDS, further_homes
        from fiberwalk.base import saved_forms
        importlib.import_module("fiberwalk." + KINDS[argument])
        for home in further_homes():
            importlib.import_module(home)
        print(*saved_forms._BY_NAME, sep=",")
    """)
    found = dict(zip(KINDS, (set(line.split(",")) for line in in_new_processes(code, *KINDS)), strict=True))
    assert set().union(*found.values()) == of_rooms() | of_face()
    for kind in ("audit", "margins"):  # these may hold whatever the rooms have
        assert of_rooms() | {"Audit", "Respondent"} <= found[kind]
    assert class_names('@saved("Oracle", kind="x")\nclass Oracle:') == {"Oracle"}  # the check itself can fail


def test_what_a_result_does_not_hold_is_not_loaded():
    code = "import fiberwalk as fw; fw.load(argument); print(*(name for name in sys.modules if 'fiberwalk.' in name))"
    (loaded,) = in_new_processes(code, str(SAVED / "map.fw"))
    assert "fiberwalk.results.map_result" in loaded.split()
    assert not {"fiberwalk.results.audit_result", "fiberwalk.posterior.belief"} & set(loaded.split())


def test_results_say_the_kind_under_which_they_are_looked_for():
    for kind, home in KINDS.items():
        importlib.import_module(f"fiberwalk.{home}")
        forms = [form for form in saved_forms._BY_NAME.values() if form.chosen.__module__ == f"fiberwalk.{home}"]
        assert [form.kind for form in forms if form.kind] == [kind]


# --- files of older versions ----------------------------------------------------------------------------------------

FIRST = {
    "audit_exact": "<Audit of 4 hidden cells, law 'uniform', exact (likelihood: support only): 0 known exactly, the highest "
    "risk of the others is 0.431>",
    "audit_by_chains_hypergeometric": "<Audit of 4 hidden cells, law 'hypergeometric', chains, connected (likelihood: "
    "support only): 0 known exactly, the highest risk of the others is 0.5>",
    "map": "<RUMap of 'original', 'rounding', 'suppression': 4 points, 6 runs; risk: 1/H (1/bits), the worst hidden cell; "
    "utility: mean squared precision, all cells>",
    "margins": "<MarginSets: 3 sets of margins, law 'hypergeometric'>",
    "reconstruction": "<Reconstruction of age, sex, town: 0 records certain, 20 possible; exact>",
    "sample_risk": "<SampleRisk of 10 of 100 people, Polya urn: R2 0.1754 (0.0691 to 0.3177)>",
    "sample_study": "<SampleStudy of 1 fractions, 1 models and 2 samples of 45 people>",
    "suppression": "<Suppression: of 16 cells and totals 2 are withheld as sensitive and 2 are to protect them; p <= 0.6 "
    "for every sensitive figure under the law uniform, at no more than intervals cost; proven to be the cheapest>",
    "table_study": "<TableStudy of 1 tables, 1 methods and 2 seeds>",
}
"""What was saved in format 1 by fiberwalk 0.1.0, in words."""


@pytest.mark.parametrize("name", FIRST)
def test_a_file_of_the_first_format_is_read(name):
    assert repr(fw.load(SAVED / f"{name}.fw")) == FIRST[name]


def spelled_out(path: Path) -> object:
    """All that a file says of its result, with numbers in the place of arrays and objects in the place of references."""
    document = document_of(path)
    with zipfile.ZipFile(path) as file:
        arrays = {one[:-4]: np.load(file.open(one)) for one in file.namelist() if one.endswith(".npy")}

    def told(item: object) -> object:
        if isinstance(item, list):
            return [told(one) for one in item]
        if not isinstance(item, dict):
            return item
        if set(item) == {"array"}:
            name, start, shape = item["array"]
            return [shape, arrays[name][start : start + int(np.prod(shape))].tolist()]
        if set(item) == {"object"}:
            return told(document["objects"][item["object"]])
        return {name: told(one) for name, one in item.items()}

    return told(document[document["fiberwalk"]])


def left_out(old: object, new: object) -> list[str]:
    """What an old file says and a new one does not; that the new one says more is no loss."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [f"{name}/{one}" for name in old for one in left_out(old[name], new.get(name, "nothing"))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [f"{i}/{one}" for i, pair in enumerate(zip(old, new, strict=True)) for one in left_out(*pair)]
    return [] if old == new or old != old else [f"{old} is now {new}"]


@pytest.mark.parametrize("name", FIRST)
def test_nothing_is_lost_when_it_is_saved_again(name, tmp_path):
    assert document_of(SAVED / f"{name}.fw")["format"] == 1
    fw.load(SAVED / f"{name}.fw").save(tmp_path / "again.fw")
    old, new = spelled_out(SAVED / f"{name}.fw"), spelled_out(tmp_path / "again.fw")
    assert left_out(old, new) == []
    assert left_out({"a": [1, 2]}, {"a": [1, 3], "b": 4}) == ["a/1/2 is now 3"]  # the check itself can fail


def test_all_stored_files_are_tested():
    assert {path.stem for path in SAVED.iterdir()} == set(FIRST)


def test_figures_of_the_first_format():
    stored = {name: fw.load(SAVED / f"{name}.fw") for name in FIRST}
    exact, now = stored["audit_exact"], CASES["audit_exact"]()
    pd.testing.assert_frame_equal(exact.cells, now.cells)
    assert list(exact.readings) == list(now.readings)
    for one, other in zip(exact.belief.pmfs, now.belief.pmfs, strict=True):
        assert one.probabilities.tolist() == pytest.approx(other.probabilities.tolist())
    pd.testing.assert_frame_equal(fw.bounds(exact.release), fw.bounds(now.release))
    sampled, solved = stored["audit_by_chains_hypergeometric"], CASES["law_hypergeometric"]()
    assert (sampled.method, sampled.converged, sampled.belief.law.name) == ("chains", True, "hypergeometric")
    same = sampled.cells.loc[solved.cells.index]
    assert same[["lower", "upper"]].equals(solved.cells[["lower", "upper"]])
    assert same["entropy"].to_numpy() == pytest.approx(solved.cells["entropy"].to_numpy(), abs=0.2)
    pd.testing.assert_frame_equal(stored["margins"].frame, CASES["margins"]().frame)
    runs = stored["map"].runs
    assert runs["risk"].round(4).tolist() == [np.inf, 0.6853, 0.6853, 0.4653, 0.4653, 0.3562]
    assert runs["seed"].dropna().tolist() == [1641411168, 1963192212] * 2
    pd.testing.assert_frame_equal(stored["reconstruction"].records, CASES["reconstruction"]().records)
    assert stored["sample_risk"].values.shape == (1, 20, 3)
    assert stored["sample_study"].runs["true_r2"].round(4).tolist() == [0.0852, 0.0871]
    assert stored["table_study"].runs["utility"].round(4).tolist() == [0.8913, 0.8605]
    assert stored["table_study"].runs.index.names == ["table", "method", "seed"]
