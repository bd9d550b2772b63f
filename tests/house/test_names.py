"""The public names: all there, each loaded when it is first used, none hidden by a module; and their examples run."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import pytest
from support.import_graph import sources
from support.places import ROOT

import fiberwalk as fw

FILES = sources(ROOT)


def test_no_module_of_the_face_bears_a_public_functions_name():
    functions = {name for name in fw.__all__ if callable(getattr(fw, name))}
    assert functions.isdisjoint(one for one in FILES if "." not in one)


def test_public_names_are_all_there():
    for name in fw.__all__:
        assert getattr(fw, name) is not None
    assert set(fw.__all__) <= set(dir(fw))
    assert set(fw.__all__) == set(fw._HOME) | set(fw._MODULES)
    with pytest.raises(AttributeError, match="no attribute 'audti'"):
        _ = fw.audti


def test_the_version_is_said_once():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == fw.__version__
    assert f"version: {fw.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_importing_the_package_and_its_command_line_loads_nothing_heavy():
    code = "import sys, fiberwalk, fiberwalk.commands.main; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("numpy", "numba", "scipy", "pandas", "xarray", "matplotlib", "highspy", "arviz"):
        assert f"'{heavy}'" not in loaded


@pytest.mark.parametrize("name", [name for name, one in FILES.items() if ">>>" in one.path.read_text(encoding="utf-8")])
def test_examples_in_docstrings(name):
    module = importlib.import_module(f"fiberwalk.{name}" if name else "fiberwalk")
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(module, optionflags=options).failed == 0
