"""A server behind the door of the service: the same requests over HTTP, by the JSON interface of readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

import fiberwalk as fw


@dataclass(frozen=True, eq=False)
class Got:
    """What came back, as the library names it."""

    released: bool
    notice: str
    table: xr.DataArray | None = None


class OverHttp:
    """Whoever asks a service for tables."""

    def __init__(self, server: fw.server.TableServer) -> None:
        from fastapi.testclient import TestClient

        self.client = TestClient(fw.server.application(server))

    def tabulate(self, dims: Sequence[str], filters: Mapping[str, Sequence[str]] | None = None) -> Got:
        """A table, a refusal, or what is wrong with the request as the library says it."""
        asked = [("dims", ",".join(dims))]
        asked += [("filter", f"{dim}={label}") for dim, labels in (filters or {}).items() for label in labels]
        answer = self.client.get("/api/table", params=asked)
        if answer.status_code == 200:
            return Got(True, "", _table(answer.json()))
        said = answer.json()["detail"]
        if answer.status_code == 403:
            return Got(False, said.removesuffix("."))
        raise fw.InputError(said)


def _table(dataset: Mapping[str, Any]) -> xr.DataArray:
    """JSON-stat 2, its contents in one variable, as labelled figures."""
    labels = {}
    for name in dataset["id"]:
        category = dataset["dimension"][name]["category"]
        index = category["index"]
        codes = index if isinstance(index, list) else sorted(index, key=index.__getitem__)
        labels[name] = [category.get("label", {}).get(code, code) for code in codes]
    figures = xr.DataArray(np.array(dataset["value"]).reshape(dataset["size"]), coords=labels, dims=list(labels))
    return figures.squeeze([name for name in dataset.get("role", {}).get("metric", [])], drop=True)
