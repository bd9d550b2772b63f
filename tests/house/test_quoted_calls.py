"""What README, notebooks and help quote can be called so: functions with such parameters, commands with such options."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
from collections.abc import Iterator
from types import ModuleType

import pytest
from support.places import ROOT

import fiberwalk as fw
from fiberwalk.commands.main import main

PAGES = ["README.md", "CONTRIBUTING.md", "notebooks/README.md"]
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("*.ipynb"))


def snippets(name: str) -> Iterator[str]:
    """Pieces of Python of a page or notebook: blocks, cells, and what stands between backticks."""
    text = (ROOT / name).read_text(encoding="utf-8")
    cells = json.loads(text)["cells"] if name.endswith(".ipynb") else [{"cell_type": "markdown", "source": [text]}]
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            yield source
            continue
        yield from re.findall(r"```python\n(.*?)```", source, flags=re.DOTALL)
        yield from re.findall(r"`(fw\.[^`]*\([^`]*\))`", source)


def wrong_calls(snippet: str) -> Iterator[str]:
    """Calls of public names with parameters that these do not have."""
    try:
        tree = ast.parse(re.sub(r"^[%!].*$", "", snippet, flags=re.MULTILINE))
    except SyntaxError:  # words that are not meant to be run
        return
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not re.fullmatch(r"fw(\.\w+)+", ast.unparse(call.func)):
            continue  # no call, or a method of what a call gives
        place: object = fw
        for part in ast.unparse(call.func).split(".")[1:]:
            if not isinstance(place, ModuleType):
                break
            if part not in place.__all__:
                yield f"{ast.unparse(call.func)} is no public name"
                break
            place = getattr(place, part)
        else:
            taken = inspect.signature(place).parameters
            if not any(part.kind is part.VAR_KEYWORD for part in taken.values()):
                yield from (
                    f"{ast.unparse(call.func)}({word.arg}=)"
                    for word in call.keywords
                    if word.arg and word.arg not in taken
                )


def wrong_options(text: str) -> Iterator[str]:
    """Command lines with options that the command does not have."""
    for line in re.findall(r"(?:^\$? *|`)fiberwalk ([a-z][^`\n]*)", text, flags=re.MULTILINE):
        try:
            name, *words = shlex.split(line)
        except ValueError:
            continue
        if name in main.commands:
            known = {text for option in main.commands[name].params for text in (*option.opts, *option.secondary_opts)}
            yield from (
                f"fiberwalk {name} {word}" for word in words if word.startswith("--") and word not in {*known, "--help"}
            )


@pytest.mark.parametrize("name", [*PAGES, *NOTEBOOKS])
def test_what_is_quoted_can_be_called(name):
    assert [wrong for snippet in snippets(name) for wrong in wrong_calls(snippet)] == []
    assert list(wrong_options((ROOT / name).read_text(encoding="utf-8"))) == []


def test_examples_in_help_have_their_options():
    assert [wrong for command in main.commands.values() for wrong in wrong_options(command.epilog or "")] == []


def test_the_checks_can_fail():
    assert list(wrong_calls("fw.sample(release, cells='hidden').mean()")) == ["fw.sample(cells=)"]
    assert list(wrong_calls("fw.swap(table, 'A')")) == ["fw.swap is no public name"]
    assert list(wrong_options("`fiberwalk test t.csv --model A`")) == ["fiberwalk test --model"]
