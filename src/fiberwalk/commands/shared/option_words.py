"""Sentences of the Python interface in the words of the command line: `rate=2` is `--rate 2` there."""

from __future__ import annotations

import re

import click

CALLED = {
    "margins": "margin", "hierarchies": "hierarchy", "filters": "filter", "count": "value",
    "keys": "keyed", "groups": "merge", "log_base": "nats", "mechanisms": "mechanism", "hidden_margins": "hidden_margin",
}  # fmt: skip
"""Parameters whose option has another name, where the command has none of their own."""
OPPOSITE = {
    "alone": "outsiders_only",
    "flags": "no_flags",
    "header": "no_header",
    "sharp": "not_sharp",
}
"""Parameters that an option sets to False."""


def in_options(sentence: str, command: click.Command) -> str:
    """The sentence with options in place of parameters, as far as the command has them.

    Cells are written as dim=label, and a dim may have the name of an option. So a parameter with a value is taken for one
    only at the beginning of a sentence, in the parentheses of a call, or where the value is quoted, True or False.
    """
    known = {part.name: part.opts[0] for part in command.params if isinstance(part, click.Option)}
    methods = _methods()

    def option(name: str) -> str | None:
        return known.get(name) or known.get(CALLED.get(name, ""))

    def of_call(match: re.Match[str]) -> str:
        flag = option(match["name"])
        return match[0] if flag is None else f"{flag} {match['value']}".rstrip()

    def bare(match: re.Match[str]) -> str:
        return option(match["name"]) or match[0]

    def opposite(match: re.Match[str]) -> str:
        return known.get(OPPOSITE.get(match["name"], ""), match[0])

    def method(match: re.Match[str]) -> str:
        return match["name"].replace("_", "-") if match["name"] in methods else match[0]

    sentence = re.sub(r" \(on the command line [^()]*\)", "", sentence)
    sentence = re.sub(
        r"\bknows\(\.\.\., at_(least|most)=\.\.\.\)", _known if "knows" in known else r"--at-\1", sentence
    )
    sentence = re.sub(r"\bpublish\(\)", "publish", sentence)
    sentence = re.sub(r"(?:fw\.)?\w+\((?P<name>[a-z_]+)=(?P<value>[^()]*)\)", of_call, sentence)
    sentence = re.sub(r"^(?P<name>[a-z_]+)=(?P<value>[^:\s][^:]*?)(?=: )", of_call, sentence)
    sentence = re.sub(r"\b(?P<name>[a-z_]+)=(?P<value>'[^']*')", of_call, sentence)
    sentence = re.sub(r"\b(?P<name>[a-z_]+)=False\b", opposite, sentence)
    sentence = re.sub(r"\b(?P<name>[a-z_]+)=(?:True\b|(?=[\s.,;:)]|$))", bare, sentence)
    return re.sub(r"\b(?P<name>[a-z_]+)\(\)", method, sentence)


def _known(match: re.Match[str]) -> str:
    """How the option says what is known."""
    return f"--knows 'DIM=LABEL {'>=' if match[1] == 'least' else '<='} NUMBER'"


def _methods() -> set[str]:
    from ...protect.methods import METHODS

    return set(METHODS)
