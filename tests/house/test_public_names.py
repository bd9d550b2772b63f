"""The public names and signatures are those that are stored, and a parameter means the same wherever it is taken."""

from __future__ import annotations

import re

from support.house.public_face import calls, parameters, signature
from support.places import ROOT

STORED = ROOT / "tests" / "house" / "public_names.txt"
MEANINGS = "## Words of the interface"
ONLY_THERE = {
    "no_header", "no_flags", "not_sharp", "replace", "outsiders_only", "nats", "protected_by", "strata", "merge",
    "example",
    "html", "csv", "json", "save", "out", "note", "plot", "list", "seed_file",  # where answers go
    "fail_above", "fail_if_none", "fail_on_disclosure", "check", "cluster", "knows", "only_bounds", "primary",
    "last", "audit", "engine",  # of the log and the data of a server
    "demo", "host", "port", "workers", "title", "tokens", "user_header", "per_minute", "per_minute_in_all",  # of a service
}  # fmt: skip
"""Options of the command line that no function has."""


def meanings() -> list[tuple[str, str]]:
    """The rows of the list in CONTRIBUTING."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(MEANINGS)[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", section, flags=re.MULTILINE)


def test_a_change_of_what_users_call_is_a_decision():
    """If it is meant: CONTRIBUTING says how the list is made anew."""
    assert STORED.read_text(encoding="utf-8").splitlines() == [signature(*call) for call in calls()]


def test_every_parameter_has_one_meaning():
    listed = meanings()
    assert [name for name, _ in listed] == sorted({name for name, _ in listed})
    assert {name for name, _ in listed} == parameters()
    assert len({meaning for _, meaning in listed}) >= len(listed) - 8  # a and b, ax and axes, several of one kind


def test_options_of_the_command_line_are_words_of_the_interface():
    from fiberwalk.commands.main import main

    words = parameters()
    used = set()
    for command in main.commands.values():
        for option in command.params:
            for text in option.opts:
                if text.startswith("--"):
                    name = text.removeprefix("--").replace("-", "_")
                    known = {name, f"{name}s", f"{name[:-1]}ies"} & words
                    used.add(name)
                    assert known or name in ONLY_THERE, f"fiberwalk {command.name} {text}"
    assert used >= ONLY_THERE
