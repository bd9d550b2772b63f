"""What the folders promise: imports go one way, at any depth and inside functions too, in no circle; no room is full."""

from __future__ import annotations

from functools import cache

import pytest
from support.house.import_graph import ROOMS, Source, circles, import_graph, imported, siblings, sources, steps_back
from support.places import ROOT

FILES = sources(ROOT)
FOLDERS = sorted({one.folder for one in FILES.values()})

ORDER = {
    "": ROOMS,
    "release": ("tables", "facts", "statistics", "files"),
    "fiber": ("equations", "solvers", "blocks", "bounds", "laws", "exact"),
    "moves": ("bases", "families", "people"),
    "sampler": ("lines", "tallies", "kernels", "chains"),
    "protect": ("mechanism", "rounding", "perturbation", "records", "withholding"),
    "posterior": ("parts", "paths", "keyed_figures", "particles", "populations", "goodness_of_fit"),
}
"""The sub-rooms of a room in the order in which they use each other; its loose files come after them."""
MOST_FILES = 15
"""Modules of a folder, besides its __init__; a room that would have more gets sub-rooms."""


@cache
def whole_graph():
    """Read when a test first asks for it, not by every process that collects tests."""
    return import_graph(FILES)


def test_no_file_is_in_a_circle():
    assert circles(whole_graph()) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: one or "face")
def test_no_folder_is_in_a_circle_with_its_neighbours(folder):
    assert circles(siblings(whole_graph(), folder)) == []


@pytest.mark.parametrize("folder", ORDER, ids=lambda one: one or "rooms")
def test_no_import_steps_back(folder):
    inside = siblings(whole_graph(), folder)
    assert set(ORDER[folder]) <= set(inside)
    assert steps_back(inside, ORDER[folder]) == []


def test_no_file_takes_a_name_from_a_package_that_collects_names():
    """A name comes from the file that defines it; only users take it from a namespace."""
    collecting = {name for name, one in FILES.items() if one.path.name == "__init__.py"}
    wrong = {(name, other) for name, others in whole_graph().items() for other in others & collecting}
    assert wrong == set()


@pytest.mark.parametrize("top", [*ROOMS, "src/fiberwalk", "tests", "bench"])
def test_no_folder_is_full(top):
    for folder in [ROOT / top, *(one for one in (ROOT / top).rglob("*") if one.is_dir() and not one.is_symlink())]:
        modules = [one.name for one in folder.glob("*.py") if one.name != "__init__.py"]
        assert len(modules) <= MOST_FILES, folder


def test_tests_stand_in_the_same_tree():
    """A folder of tests for each room and sub-room that has some; the face's are in tests/face/."""
    others = {"bench", "house", "notebooks", "support"}
    for path in (ROOT / "tests").rglob("test_*.py"):
        folder = path.parent.relative_to(ROOT / "tests").parts
        assert folder, path
        if folder[0] not in others:
            assert ".".join(folder[1:] if folder[0] == "face" else folder) in FOLDERS, path


def test_the_checks_can_fail(tmp_path):
    """A circle by way of an import in a function, a step back two folders deep, and what type checkers alone see."""
    texts = {
        "fiber/deep/one.py": "def f():\n    from ...risk.two import g\n",
        "risk/two.py": "import fiberwalk.fiber.deep.one\n",
        "risk/three.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..src import x\n",
        "risk/__init__.py": "from .two import g\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    files = sources(tmp_path)
    graph = import_graph(files)
    assert circles(graph) == [["fiber.deep.one", "risk.two"]]
    assert steps_back(siblings(graph, ""), ROOMS) == [("fiber", "risk")]
    assert circles(siblings(graph, "")) == [["fiber", "risk"]]
    assert graph["risk.three"] == set()
    (tmp_path / "fiber/deep/four.py").write_text("from ...risk import g\nfrom . import one\n")
    assert set(imported(Source("fiber.deep.four", tmp_path / "fiber/deep/four.py"), files)) == {
        "risk",
        "fiber.deep.one",
    }
