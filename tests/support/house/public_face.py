"""What users may call: the namespaces, and in each its names and signatures."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import fiberwalk as fw


def namespaces(called: str = "fw", namespace: ModuleType = fw) -> Iterator[tuple[str, ModuleType]]:
    """How each is called, with the first level first."""
    yield called, namespace
    for name in namespace.__all__:
        if inspect.ismodule(getattr(namespace, name)):
            yield from namespaces(f"{called}.{name}", getattr(namespace, name))
