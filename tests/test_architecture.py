"""What the folders promise: imports go one way, heavy libraries load late, kernels notice edited callees."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import fiberwalk as fw

ROOT = Path(__file__).parents[1]
CORRIDOR = ["release", "fiber", "moves", "sampler", "protect", "posterior", "risk"]
SOURCES = [path for folder in CORRIDOR for path in sorted((ROOT / folder).glob("*.py"))]
FACE = sorted((ROOT / "src" / "fiberwalk").glob("*.py"))


def imported_folders(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            found |= {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("fiberwalk.")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fiberwalk."):
            found.add(node.module.split(".")[1])
    return found


def goes_backwards(folder: str, imports: set[str]) -> set[str]:
    return {one for one in imports if one not in CORRIDOR or CORRIDOR.index(one) >= CORRIDOR.index(folder)}


def test_imports_go_one_way():
    wrong = [
        (str(p.relative_to(ROOT)), bad) for p in SOURCES if (bad := goes_backwards(p.parent.name, imported_folders(p)))
    ]
    assert wrong == []
    assert goes_backwards("fiber", {"risk"})  # the check itself can fail


def test_every_folder_is_installed_and_linked():
    for folder in CORRIDOR:
        assert (ROOT / "src" / "fiberwalk" / folder).resolve() == ROOT / folder
        importlib.import_module(f"fiberwalk.{folder}")


def test_no_module_of_the_face_bears_a_public_functions_name():
    functions = {name for name in fw.__all__ if callable(getattr(fw, name))}
    assert functions.isdisjoint(path.stem for path in FACE)


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
    code = "import sys, fiberwalk, fiberwalk.command_line; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("numpy", "numba", "scipy", "pandas", "xarray", "matplotlib", "highspy", "arviz"):
        assert f"'{heavy}'" not in loaded


@pytest.mark.parametrize("path", [p for p in SOURCES + FACE if ">>>" in p.read_text()], ids=lambda p: p.stem)
def test_examples_in_docstrings(path):
    folder = "" if path.parent.name == "fiberwalk" else f".{path.parent.name}"
    stem = "" if path.stem == "__init__" else f".{path.stem}"
    module = importlib.import_module(f"fiberwalk{folder}{stem}")
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(module, optionflags=options).failed == 0


def test_an_edited_callee_is_seen_by_a_cached_caller(tmp_path):
    """Numba alone would go on running the old machine code of a callee in another file (numba issue 1833)."""
    package = tmp_path / "fake"
    (package / "fiber").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "fiber" / "__init__.py").write_text("")
    (package / "fiber" / "jit.py").write_text((ROOT / "fiber" / "jit.py").read_text())
    callee = package / "fiber" / "callee.py"
    callee.write_text("from .jit import jit\n@jit\ndef inner(x):\n    return x + 1\n")
    (package / "fiber" / "caller.py").write_text(
        "from .jit import jit\nfrom .callee import inner\n@jit\ndef outer(x):\n    return inner(x) * 10\n"
    )
    code = "from fake.fiber.caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"

    def call() -> list[str]:
        environment = {"FIBERWALK_CACHE_DIR": str(tmp_path / "cache"), "PATH": "", "PYTHONPATH": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert call() == ["20", "0"]
    assert call() == ["20", "1"]  # the cache is used
    callee.write_text("from .jit import jit\n@jit\ndef inner(x):\n    return x + 5\n")
    assert call() == ["60", "0"]  # and is left where a callee changed


def test_kernels_run_where_nothing_can_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = textwrap.dedent("""
        from fiberwalk.fiber.jit import cache_folder, jit
        @jit
        def double(x):
            return 2 * x
        print(cache_folder(), double(4))
    """)
    import os

    environment = {**os.environ, "FIBERWALK_CACHE_DIR": str(blocked / "x")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["None", "8"], done.stderr
