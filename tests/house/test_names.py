"""The public names: all there, each loaded when it is first used, none hidden by a module; and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import subprocess
import sys
from collections import Counter

import pytest
from support.house.import_graph import sources
from support.house.public_face import calls, namespaces
from support.places import ROOT

import fiberwalk as fw

FILES = sources(ROOT)


NAMESPACES = dict(namespaces())


def test_a_person_can_hold_the_first_level_in_mind():
    assert len(dir(fw)) <= 41


@pytest.mark.parametrize("called", NAMESPACES)
def test_a_namespace_shows_what_is_public_and_nothing_else(called):
    namespace = NAMESPACES[called]
    assert [name for name in dir(namespace) if name != "__version__"] == sorted(namespace.__all__)
    for name in namespace.__all__:
        value = getattr(namespace, name)
        assert not name.startswith("_")
        assert inspect.ismodule(value) or value.__module__.startswith("fiberwalk.")
        assert value.__doc__, f"{called}.{name}"
    with pytest.raises(AttributeError, match="has no attribute 'audti'$"):
        _ = namespace.audti


@pytest.mark.parametrize("called", ["fw", "fw.protect", "fw.risk", "fw.survey"])
def test_who_looks_in_the_wrong_namespace_is_told_the_right_one(called):
    with pytest.raises(AttributeError, match="has no attribute 'log_normal'; it is fw.laws.log_normal$"):
        _ = NAMESPACES[called].log_normal


@pytest.mark.parametrize("called", NAMESPACES)
def test_no_module_bears_a_public_name_of_its_package(called):
    """Python makes a module that was loaded an attribute of its package: it would take the place of a function."""
    package = NAMESPACES[called].__name__.removeprefix("fiberwalk").removeprefix(".")
    functions = {name for name in NAMESPACES[called].__all__ if not inspect.ismodule(getattr(NAMESPACES[called], name))}
    modules = {name.rpartition(".")[2] for name in FILES if name.rpartition(".")[0] == package}
    assert functions.isdisjoint(modules)


def test_a_name_is_public_in_one_place():
    """What a user may call, she finds in one namespace."""
    places = Counter(
        id(value)
        for namespace in NAMESPACES.values()
        for value in (getattr(namespace, name) for name in namespace.__all__)
    )
    assert set(places.values()) == {1}


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


def test_an_audit_of_a_plain_table_loads_neither_csgraph_nor_scipy_s_solvers():
    """Loading them takes longer than the answer."""
    code = """
import sys, numpy, fiberwalk as fw
release = fw.publish(numpy.random.default_rng(1).poisson(4.0, (3, 3, 3)), ["A,B", "A,C", "B,C"])
fw.audit(release, law="uniform", method="chains", seed=1, progress=False)
print(sorted(sys.modules))
"""
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "'fiberwalk.sampler.chains.starts'" in loaded
    for heavy in ("scipy.optimize", "scipy.sparse.csgraph", "pandas", "matplotlib", "arviz"):
        assert f"'{heavy}'" not in loaded


@pytest.mark.parametrize("name", [name for name, one in FILES.items() if ">>>" in one.path.read_text(encoding="utf-8")])
def test_examples_in_docstrings(name):
    module = importlib.import_module(f"fiberwalk.{name}" if name else "fiberwalk")
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(module, optionflags=options).failed == 0


def test_every_public_function_has_an_example():
    without = [called for called, value in calls() if inspect.isfunction(value) and ">>>" not in (value.__doc__ or "")]
    classes = {f"{called}.{name}" for called, one in NAMESPACES.items() for name in one.__all__ if name[0].isupper()}
    assert [called for called in without if called.rpartition(".")[0] not in classes] == []
