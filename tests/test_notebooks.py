"""The notebooks run, show what is stored in them, and say nothing that they do not show."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

HOME = Path(__file__).resolve().parents[1] / "notebooks"


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
NEAR = 0.05
"""How far a stored number may lie from a new one: sampled figures differ a little from machine to machine."""


def _texts(cell: Any) -> list[str]:
    """What a code cell shows in words, tables included; pictures are not compared."""
    if cell.cell_type != "code":
        return []
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in run.joined(cell.outputs)]
    return [re.sub(r"0x[0-9a-f]+", "0x", text) for text in shown]


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
        for one, other in zip(old_texts, new_texts, strict=True):
            assert not _differ(one, other), f"{new.id}: {_differ(one, other)}; run `make notebooks`"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_figures_in_the_prose_are_shown(path: Path) -> None:
    """Every figure that the prose tells is in an output or in the code; years, and whole numbers below 100, are free."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [text for cell in notebook.cells for text in _texts(cell)]
    shown = [value for text in (*code, *outputs) for value in _numbers(text)]
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", cell.source)
        for word in NUMBER.findall(prose):
            value = abs(_value(word))
            digits = len(word.partition(".")[2].rstrip("%"))
            if digits == 0 and (value < 100 or 1900 <= value <= 2030):
                continue
            half = 0.5 * 10.0**-digits * (1 + 1e-9)
            near = any(abs(abs(seen) - value) <= half or abs(100 * abs(seen) - value) <= half for seen in shown)
            assert near, f"{cell.id} of {path.name} says {word}, and nothing there shows it"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_it_is_stored_complete(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    numbers = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert numbers == list(range(1, len(numbers) + 1)), "cells were run out of order, or not at all: `make notebooks`"
    assert (run.PICTURES / f"{path.stem}.png").read_bytes() == run.picture(notebook)
    assert not re.search(r"/(?:home|root|tmp|work|Users)/", path.read_text()), "a path of somebody's machine is stored"
    assert path.name in (HOME.parent / "README.md").read_text(), "the gallery of the README does not show it"


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
