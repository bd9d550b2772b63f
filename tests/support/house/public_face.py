"""What users may call: the namespaces, and in each its names and their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import fiberwalk as fw

FOR_USERS = {
    "Release": ("knows", "knows_rule", "crosstab", "to_file", "without_truth"),
    "ServerRules": ("read",),
    "Certificate": (),
    "Log": ("entries", "to_frame", "close"),
}
"""Of a class whose other methods are for the rooms: those that are for users. Of other classes all are."""
MADE_BY_USERS = ("TableServer", "ServerRules", "Magnitude", "Log", "Auditor")
"""Classes that users make themselves; results are made by functions."""


def namespaces(called: str = "fw", namespace: ModuleType = fw) -> Iterator[tuple[str, ModuleType]]:
    """How each is called, with the first level first."""
    yield called, namespace
    for name in namespace.__all__:
        if inspect.ismodule(getattr(namespace, name)):
            yield from namespaces(f"{called}.{name}", getattr(namespace, name))


def calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything that a user calls, with its full name."""
    for called, namespace in namespaces():
        for name in namespace.__all__:
            value = getattr(namespace, name)
            if inspect.isclass(value):
                yield from ((f"{called}.{name}.{method}", part) for method, part in _methods(name, value))
            if inspect.isfunction(value) or name in MADE_BY_USERS:
                yield f"{called}.{name}", value


def _methods(name: str, made: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for method, part in inspect.getmembers(made, inspect.isfunction):
        if not method.startswith("_") and method in FOR_USERS.get(name, (method,)):
            yield method, part


def signature(called: str, value: Callable[..., Any]) -> str:
    """A call in one line, without annotations, which Pythons write differently."""
    parts = inspect.signature(value).parameters.values()
    return (
        f"{called}{inspect.Signature([part.replace(annotation=part.empty) for part in parts if part.name != 'self'])}"
    )


def parameters() -> set[str]:
    """The names of all parameters that users write."""
    every = [part for _, value in calls() for part in inspect.signature(value).parameters.values()]
    return {part.name for part in every if part.name != "self" and part.kind is not part.VAR_KEYWORD}


if __name__ == "__main__":
    print("\n".join(signature(*call) for call in calls()))
