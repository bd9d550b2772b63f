"""Run notebooks from top to bottom, store what they show, and write the picture of each for the gallery.

    python notebooks/run.py             all of them (`make notebooks`)
    python notebooks/run.py 01 06       those whose names begin so

The picture of a notebook is that of its cell with the tag `gallery`.
"""

from __future__ import annotations

import base64
import os
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
LONGEST = 600
"""Seconds that a cell may take, on a slow machine whose compiled code is not stored yet."""


def notebooks(beginnings: list[str] | None = None) -> list[Path]:
    """The notebooks in their order; those whose names begin so, if any are given."""
    return [path for path in sorted(HERE.glob("[0-9]*.ipynb")) if path.name.startswith(tuple(beginnings or [""]))]


def executed(path: Path) -> Any:
    """The notebook as it is after running in a fresh process; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    # ArviZ says once a day that it is being rewritten, when it is imported
    quiet = {"PYTHONWARNINGS": "ignore::FutureWarning:arviz", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = NotebookClient(
        notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": str(HERE)}}
    )
    client.execute(env=os.environ | quiet)
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """Without what differs from run to run or shows nothing: times, ids drawn at random, the traces of progress."""
    for k, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{k:02}"
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        if cell.cell_type == "code":
            cell.outputs = joined([one for one in cell.outputs if one.get("data") != {"text/plain": ""}])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """What was printed as one text: it arrives in as many pieces as it happens to."""
    found: list[Any] = []
    for one in outputs:
        if found and "name" in one and found[-1].get("name") == one["name"]:
            found[-1] = nbformat.from_dict({**found[-1], "text": found[-1]["text"] + one["text"]})
        else:
            found.append(one)
    return found


def picture(notebook: Any) -> bytes:
    """The picture for the gallery."""
    for cell in notebook.cells:
        if "gallery" in cell.metadata.get("tags", ()):
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output.data["image/png"])
    raise SystemExit("no cell with the tag 'gallery' shows a picture")


def main(beginnings: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    for path in notebooks(beginnings):
        began = time.monotonic()
        notebook = executed(path)
        nbformat.write(notebook, path)
        (PICTURES / f"{path.stem}.png").write_bytes(picture(notebook))
        print(f"{path.name}: {time.monotonic() - began:.0f} seconds")


if __name__ == "__main__":
    main(sys.argv[1:])
