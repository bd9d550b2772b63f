"""The notebooks run, show what is stored in them, and say nothing that they do not show."""

from __future__ import annotations

import ast
import base64
import builtins
import importlib.util
import io
import re
from html import unescape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from matplotlib.image import imread
from support.places import ROOT

import fiberwalk as fw

HOME = ROOT / "notebooks"


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"notebooks_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = _loaded(HOME / "run.py")
NOTEBOOKS = [pytest.param(path, id=path.stem) for path in run.notebooks()]
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w])")
TITLE = re.compile(r"""\btitle\s*=\s*"([^"]*)\"""")
PERCENT = re.compile(r"\s?(?:%|percent)")
CODE = re.compile(r"`([^`]+)`")
NOISE = re.compile(r"\bNaN\b|<NA>|\bNone\b(?! of)|\bdtype: ")
NEAR = 0.05
"""How far a stored number may lie from a new one: sampled figures differ a little from machine to machine."""
PINNED = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
SAME_ARVIZ, SAME_MATPLOTLIB = (f"{name}=={version(name)}" in PINNED for name in ("arviz", "matplotlib"))
"""Each version of ArviZ draws its own pictures, and another matplotlib sets crowded labels a little apart; those that are
stored are by the versions that `make test` installs."""
ALIKE, BLOCK = 0.012 if SAME_MATPLOTLIB else 0.015, 20
"""How far two pictures may lie apart, of black from white: the mean over squares of so many pixels. The two that are most
alike lie 0.018 apart."""
LAST = ["What this does not show", "What to try next"]
"""The headings that end every notebook."""


def _texts(cell: Any) -> list[str]:
    """What a code cell shows in words, tables included."""
    if cell.cell_type != "code":
        return []
    shown = []
    for output in run.joined(cell.outputs):
        data = output.get("data", {})
        shown += [output.get("text") or data.get("text/plain", "")]
        shown += [unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style.*?</style>", "", one, flags=re.S)))
                  for kind, one in data.items() if kind == "text/html"]  # fmt: skip
    return [re.sub(r"0x[0-9a-f]+", "0x", text) for text in shown]


def _pictures(cell: Any) -> list[bytes]:
    data = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [base64.b64decode(one["image/png"]) for one in data if "image/png" in one]


def _unlike(stored: bytes, fresh: bytes) -> str:
    """In what two pictures differ beyond what other fonts and versions change; empty where they do not."""
    one, other = (imread(io.BytesIO(png))[..., :3].mean(axis=2) for png in (stored, fresh))
    if not np.allclose(one.shape, other.shape, rtol=NEAR):
        return f"the stored picture has {one.shape} pixels, now it has {other.shape}"
    rows, columns = (min(sizes) // BLOCK for sizes in zip(one.shape, other.shape, strict=True))
    coarse = [
        image[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))
        for image in (one, other)
    ]
    apart = float(np.abs(coarse[0] - coarse[1]).mean())
    return f"the stored picture is another one ({apart:.3f})" if apart > ALIKE else ""


def _value(word: str) -> float:
    return float(word.replace(",", "").rstrip("."))


def _numbers(text: str) -> list[float]:
    return [_value(word) for word in NUMBER.findall(text)]


def _differ(stored: str, fresh: str) -> str:
    """In what two texts differ beyond spaces and small differences of numbers; empty where they do not."""
    words = [re.sub(r"[\s.-]+", " ", NUMBER.sub("#", text)) for text in (stored, fresh)]
    if words[0] != words[1]:
        return f"stored are the words {words[0]!r}, now they are {words[1]!r}"
    for old, new in zip(_numbers(stored), _numbers(fresh), strict=True):
        if abs(old - new) > NEAR * max(abs(old), abs(new), NEAR):
            return f"stored is {old}, now it is {new}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS)
def test_it_runs_and_shows_what_is_stored(path: Path) -> None:
    stored, fresh = nbformat.read(path, as_version=4), run.executed(path)
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        told = [output.text for output in new.get("outputs", []) if output.get("name") == "stderr"]
        assert not told, f"{new.id} warns: {told}"
        old_texts, new_texts = _texts(old), _texts(new)
        assert len(old_texts) == len(new_texts), f"{new.id} shows more or less than is stored: run `make notebooks`"
        if new.cell_type == "code" and "az.plot_" in new.source and not SAME_ARVIZ:
            assert _pictures(new), f"{new.id} draws nothing"
            continue
        for one, other in zip(old_texts, new_texts, strict=True):
            assert not _differ(one, other), f"{new.id}: {_differ(one, other)}; run `make notebooks`"
        for one, other in zip(_pictures(old), _pictures(new), strict=True):
            assert not _unlike(one, other), f"{new.id}: {_unlike(one, other)}; run `make notebooks`"


def _untold(notebook: Any) -> list[str]:
    """The figures of prose and titles that no output and no code shows; years, and whole numbers below 10, are free."""
    code = [TITLE.sub("", cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    code += [text for cell in notebook.cells if cell.cell_type == "markdown" for text in CODE.findall(cell.source)]
    outputs = [text for cell in notebook.cells for text in _texts(cell)]
    shown = np.abs([value for text in (*code, *outputs) for value in _numbers(text)])
    found = []
    for cell in notebook.cells:
        told = cell.source if cell.cell_type == "markdown" else " ".join(TITLE.findall(cell.source))
        prose = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", " ", told)
        for match in NUMBER.finditer(prose):
            word = match.group()
            value, digits = abs(_value(word)), len(word.partition(".")[2])
            if digits == 0 and (value < 10 or 1900 <= value <= 2030):
                continue
            half = 0.5 * 10.0**-digits * (1 + 1e-9)
            near = np.abs(shown - value) <= half
            if PERCENT.match(prose, match.end()):
                near |= np.abs(100 * shown - value) <= half
            if not near.any():
                found.append(f"{cell.id}: ...{prose[max(0, match.start() - 30) : match.end()]}")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_figures_in_the_prose_are_shown(path: Path) -> None:
    assert not _untold(nbformat.read(path, as_version=4)), "prose or a title tells what nothing there shows"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_it_is_stored_complete(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    numbers = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert numbers == list(range(1, len(numbers) + 1)), "cells were run out of order, or not at all: `make notebooks`"
    assert (run.PICTURES / f"{path.stem}.png").read_bytes() == run.picture(notebook)
    assert not re.search(r"/(?:home|root|tmp|work|Users)/", path.read_text()), "a path of somebody's machine is stored"
    assert path.name in (HOME.parent / "README.md").read_text(), "the gallery of the README does not show it"
    noise = [(cell.id, NOISE.findall(text)) for cell in notebook.cells for text in _texts(cell) if NOISE.search(text)]
    assert not noise, "tables are shown to people"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_it_is_a_story_with_an_end(path: Path) -> None:
    """It has a title, pictures but not too many, the same two headings at the end, links that lead somewhere; what its last
    lines propose can be typed after its cells."""
    notebook = nbformat.read(path, as_version=4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert re.findall(r"^#+ ", prose, flags=re.M).count("# ") == 1
    assert re.findall(r"^## (.*)", prose, flags=re.M)[-2:] == LAST
    assert 2 <= sum(len(_pictures(cell)) for cell in notebook.cells) <= 7
    for target in re.findall(r"\]\((?!http)([^)#]+)", prose):
        assert (HOME / target).exists(), target
    proposed = [" ".join(one.split()) for one in CODE.findall(prose.rpartition(LAST[1])[2])]
    proposed = [one for one in proposed if re.search(r"[(=]", one)]
    assert len(proposed) >= 3
    known = _names(code) | set(dir(builtins))
    for line in proposed:
        nodes = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)]
        known |= {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        assert _names(line) <= known, line
        for name in re.findall(r"\bfw\.(\w+)", line):
            assert hasattr(fw, name), line


def _names(code: str) -> set[str]:
    """All names that code uses, assigns, imports or defines."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def test_what_is_printed_in_pieces_is_one_text() -> None:
    pieces = [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in (("stdout", "a\n"), ("stdout", "b\n"), ("stderr", "c\n"), ("stdout", "d\n"))
    ]
    assert [one.text for one in run.joined(pieces)] == ["a\nb\n", "c\n", "d\n"]
    assert pieces[0].text == "a\n"


def test_a_difference_is_seen() -> None:
    assert not _differ("risk  0.512 of 7 cells", "risk 0.513 of 7 cells")
    assert "stored is 7" in _differ("risk 0.51 of 7 cells", "risk 0.51 of 8 cells")
    assert "words" in _differ("exact 0.5", "chains 0.5")
    near = [("2.50", "0.25 and 2.5"), ("30%", "0.301"), ("30 percent", "0.301"), ("1,000", "1000"), ("7 of 9", "")]
    assert [_untold(_told(*one)) for one in near] == [[]] * len(near)
    far = [("2.50", "2.6"), ("30", "0.301"), ("54 times", "53"), ("13 of 48", "13 of 47")]
    assert all(_untold(_told(*one)) for one in far)
    titled = _told("", "0.7")
    titled.cells[1].source = 'plot(title="probability 0.73")'
    assert _untold(titled) == ["shown: ...probability 0.73"]


def _told(prose: str, printed: str) -> Any:
    shown = nbformat.v4.new_code_cell("", id="shown", outputs=[nbformat.v4.new_output("stream", text=printed)])
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(prose), shown])


def test_another_picture_is_seen() -> None:
    notebook = nbformat.read(run.notebooks(["01"])[0], as_version=4)
    one, other = [picture for cell in notebook.cells for picture in _pictures(cell)][:2]
    assert not _unlike(one, one)
    assert "stored picture" in _unlike(one, other)
