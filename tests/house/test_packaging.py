"""What is installed is what stands in the tree; sdist and wheel build, with links or without, and run."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.house.import_graph import ROOMS, sources
from support.places import ROOT

SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "src", *ROOMS)
"""What a build looks at."""


def test_all_packages_of_the_tree_are_installed_and_no_others():
    tree = {name for name, one in sources(ROOT).items() if one.path.name == "__init__.py"}
    assert sorted(SETUP["packages"]) == sorted(f"fiberwalk.{name}" if name else "fiberwalk" for name in tree)


def test_every_folder_with_modules_is_a_package():
    assert {
        one.path.parent for one in sources(ROOT).values() if not (one.path.parent / "__init__.py").exists()
    } == set()


def test_every_room_is_linked_and_named_by_itself():
    assert SETUP["package-dir"] == {"": "src"} | {f"fiberwalk.{room}": room for room in ROOMS}
    for room in ROOMS:
        link = ROOT / "src" / "fiberwalk" / room
        assert not link.is_symlink() or link.resolve() == ROOT / room  # an sdist has no links, and needs none
        importlib.import_module(f"fiberwalk.{room}")


def test_every_file_that_is_no_module_is_installed():
    """Templates and tables are read from the package: one that `package-data` forgets is missed only after installing."""
    named = SETUP["package-data"]
    for folder in [*(ROOT / room for room in ROOMS), ROOT / "src" / "fiberwalk"]:
        home = ROOT / "src" if folder.name == "fiberwalk" else ROOT
        for path in folder.rglob("*"):
            if not path.is_file() or path.suffix in (".py", ".pyc") or "__pycache__" in path.parts:
                continue
            package = ".".join(path.parent.relative_to(home).parts)
            package = package if package.startswith("fiberwalk") else f"fiberwalk.{package}"
            assert any(path.match(pattern) for pattern in [*named["*"], *named.get(package, [])]), path


def copied(home: Path, *, links: bool) -> Path:
    """The sources as a checkout has them, or as a zip or a checkout without links does."""
    home.mkdir()
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            forgotten = shutil.ignore_patterns(
                "__pycache__", "*.egg-info", *(() if links else ROOMS if name == "src" else ())
            )
            shutil.copytree(source, home / name, symlinks=True, ignore=forgotten)
        else:
            shutil.copy(source, home / name)
    if not links:
        for room in ROOMS:
            # what a checkout without links has in their place
            (home / "src" / "fiberwalk" / room).write_text(f"../../{room}")
    return home


def built(home: Path, *, kind: str) -> Path:
    """The one file that the build backend makes, in a process of its own; no network, nothing fetched."""
    code = f"import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
    (home / "dist").mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "-c", code, "dist"], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return home / "dist" / done.stdout.splitlines()[-1]


def installed(wheel: Path, home: Path) -> Path:
    """A wheel over the environment that is here, whose dependencies serve it."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    done = subprocess.run([*pip, "--target", str(home), str(wheel)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return home


def demo(home: Path, folder: Path) -> str:
    """What `fiberwalk demo` prints from there."""
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(home)}
    where = [sys.executable, "-c", "import fiberwalk.sampler; print(fiberwalk.sampler.__file__)"]
    told = subprocess.run(where, cwd=folder, env=environment, capture_output=True, text=True)
    assert Path(told.stdout.strip()).is_relative_to(home), told.stdout + told.stderr
    command = [str(home / "bin" / "fiberwalk"), "demo"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of the package in a wheel."""
    with zipfile.ZipFile(wheel) as file:
        return {one: file.read(one) for one in file.namelist() if one.startswith("fiberwalk/") and one[-1] != "/"}


@pytest.mark.slow
def test_sdist_and_wheels_build_and_run(tmp_path):
    """From a checkout, from its sdist, and from a checkout without links: the same wheel, and it runs."""
    checkout = copied(tmp_path / "with", links=True)
    with tarfile.open(built(checkout, kind="sdist")) as file:
        file.extractall(tmp_path / "sdist", filter="data")
    (from_sdist,) = (tmp_path / "sdist").iterdir()
    wheels = {
        "checkout": built(checkout, kind="wheel"),
        "sdist": built(from_sdist, kind="wheel"),
        "no links": built(copied(tmp_path / "without", links=False), kind="wheel"),
    }
    expected = {
        "/".join(["fiberwalk", *one.path.relative_to(ROOT / "src" / "fiberwalk").parts])
        if one.path.is_relative_to(ROOT / "src")
        else "/".join(["fiberwalk", *one.path.relative_to(ROOT).parts])
        for one in sources(ROOT).values()
    }
    files = {name: contents(wheel) for name, wheel in wheels.items()}
    assert expected <= set(files["checkout"])
    assert {"fiberwalk/py.typed", "fiberwalk/report/page.html", "fiberwalk/moves/bases/known_bases.json"} <= set(
        files["checkout"]
    )
    assert files["checkout"] == files["sdist"] == files["no links"]
    home = installed(wheels["sdist"], tmp_path / "installed")
    assert "4 hidden cells are known exactly" in demo(home, tmp_path / "at work")


def test_the_sdist_has_what_its_tests_need():
    """Nothing that git keeps is forgotten, but for what only a checkout needs."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    tops = {line.split("/")[0] for line in listed.stdout.splitlines()} - {".ci", ".gitignore"}
    by_itself = {"pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "src", *ROOMS}
    assert {one for one in tops - by_itself if one not in manifest} == set()
