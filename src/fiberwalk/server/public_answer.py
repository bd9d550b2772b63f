"""What whoever asked may have of an answer: the one door by which anything of it leaves."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from .cube.request import Request

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, eq=False, repr=False)
class PublicAnswer:
    """A table on request as its reader has it, or why there is none. It never had the truth, the data or the secret.

    Parameters
    ----------
    request
        What was asked for.
    table
        The protected figures; None where the request was refused. Not a number: the figure is withheld.
    notice
        Why there is no table; of one that is shown in part, what is left out.
    shows
        What its figures are: "count", "weighted count", "sum of turnover", "mean of turnover".
    protected_by
        The method and its parameters, as far as they are words and numbers.
    """

    request: Request
    table: xr.DataArray | None
    notice: str
    shows: str
    protected_by: str

    @property
    def released(self) -> bool:
        """Is there a table?"""
        return self.table is not None

    def __repr__(self) -> str:
        return f"<PublicAnswer to {self.words}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import public_answer_html

        return in_notebook(public_answer_html, self)

    @property
    def words(self) -> str:
        """What was asked for, and whether it is answered."""
        return f"{self.request.words}: " + ("released" if self.released else f"refused, because {self.notice}")

    def to_frame(self) -> pd.DataFrame:
        """The table with one row a figure: a column for each dim, and one that is called what it shows.

        >>> import fiberwalk as fw
        >>> fw.server.tabulate([[30, 12], [9, 25]], "A").public().to_frame()["count"].tolist()
        [42, 34]
        """
        import pandas as pd

        table = self._released()
        index = pd.MultiIndex.from_product([table[dim].values for dim in table.dims], names=list(table.dims))
        return index.to_frame(index=False).assign(**{self.shows: table.values.ravel()})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table, one row a figure; a withheld figure is left empty."""
        from ..base.text_files import write_csv

        write_csv(self.to_frame(), path)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table as a Parquet file (needs fiberwalk[parquet])."""
        from ..base.text_files import written_whole

        frame = self.to_frame()
        with written_whole(path) as temporary:
            try:
                frame.to_parquet(temporary, index=False)
            except ImportError:
                raise InputError(f"{path}: writing Parquet needs pyarrow; install fiberwalk[parquet].") from None

    def to_json_stat(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """The table as a dataset of JSON-stat 2 (json-stat.org), which is also written where a path is given.

        >>> import fiberwalk as fw
        >>> dataset = fw.server.tabulate([[30, 12], [9, 25]], "A,B").public().to_json_stat()
        >>> dataset["id"], dataset["size"], dataset["value"]
        (['A', 'B'], [2, 2], [30, 12, 9, 25])
        """
        table = self._released()
        figures = table.values.ravel()
        values: list[Any] = figures.tolist()
        withheld = np.flatnonzero(np.isnan(figures)).tolist()
        for place in withheld:
            values[place] = None
        dataset: dict[str, Any] = {
            "version": "2.0",
            "class": "dataset",
            "label": f"{self.shows} by {' x '.join(map(str, table.dims))}",
            "note": self._notes(),
            "id": list(map(str, table.dims)),
            "size": list(table.shape),
            "dimension": {
                str(dim): {"label": str(dim), "category": {"index": [str(label) for label in table[dim].values]}}
                for dim in table.dims
            },
            "value": values,
            "extension": {"filters": {dim: list(labels) for dim, labels in self.request.whole.where}},
        }
        if withheld:
            dataset["status"] = {str(place): "withheld" for place in withheld}
        if path is not None:
            import json

            from ..base.text_files import written_whole

            with written_whole(path) as temporary:
                temporary.write_text(json.dumps(dataset, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return dataset

    def _notes(self) -> list[str]:
        """What a reader should know besides the figures."""
        return [
            f"{self.request.words}; protected by {self.protected_by}.",
            *([f"{self.notice}."] if self.notice else []),
        ]

    def _released(self) -> xr.DataArray:
        if self.table is None:
            raise InputError(f"there is no table: it was refused, because {self.notice}.")
        return self.table
