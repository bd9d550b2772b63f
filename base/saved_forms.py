"""Which classes may stand in saved files, and under which names: each says so itself, by a decorator.

`@saved("Pmf")` on a frozen dataclass or a named tuple lets files hold it, field by field under their names. A class that is
renamed keeps the name that files know, and a new field has a default, for the files that were written before it. Where a
file must hold something else than memory does, a method `_saved_form_()` gives the object to be written.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Form:
    """How files know a class."""

    chosen: type
    name: str
    kind: str = ""
    """What a file is called that holds one of these as its whole content; empty for what is only a part of others."""

    @property
    def fields(self) -> list[str]:
        """The names of the fields that are written."""
        made: Any = self.chosen
        return [field.name for field in fields(made)] if is_dataclass(made) else list(made._fields)


_BY_NAME: dict[str, Form] = {}
_BY_CLASS: dict[type, Form] = {}


def saved(name: str, kind: str = "") -> Callable[[Class], Class]:
    """Let files hold a class under a name; with a kind, as a result that has a file of its own."""

    def registered(chosen: Class) -> Class:
        known = _BY_NAME.get(name)
        # a module that is loaded anew makes its classes anew
        if known is not None and _home(known.chosen) != _home(chosen):
            raise ValueError(f"files know {_home(known.chosen)} as {name!r}: {_home(chosen)} needs another name")
        _BY_NAME[name] = _BY_CLASS[chosen] = Form(chosen, name, kind)
        return chosen

    return registered


def form_of(item: Any) -> Form | None:
    """How files know an object; None where they cannot hold it. A class derived from one that they know is another."""
    return _BY_CLASS.get(type(item))


def form_named(name: str, homes: Iterable[str] = ()) -> Form | None:
    """What a name in a file stands for; None where nothing does.

    A class is known once its module is loaded: `homes` are modules that are loaded, one after the other, until the name is
    known. The name itself never says what is loaded.
    """
    for home in homes:
        if name in _BY_NAME:
            break
        importlib.import_module(home)
    return _BY_NAME.get(name)


def as_written(item: Any) -> Any:
    """The object that a file holds in the place of another; most stand for themselves."""
    return item._saved_form_() if hasattr(item, "_saved_form_") else item


def _home(chosen: type) -> str:
    return f"{chosen.__module__}.{chosen.__qualname__}"
