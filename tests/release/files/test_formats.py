"""The registry of formats: a further one is a line in it; what a format cannot hold is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.small_releases import SQUARE, TABLE, same_facts, written

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN, NO_VALUE, PUBLISHED
from fiberwalk.release.files import formats
from fiberwalk.release.files.format import Format
from fiberwalk.release.files.publication import Figure, Publication
from fiberwalk.release.tables.dims import TOTAL, Dim


def test_writing_what_a_format_cannot_hold(tmp_path):
    release = fw.suppress(TABLE, where=SQUARE)
    with pytest.raises(fw.InputError, match="must end in .csv, .parquet, .xlsx, .tab or .jj"):
        release.to_file(tmp_path / "out.ods")
    with pytest.raises(fw.InputError, match="holds the true value of every cell"):
        release.without_truth().to_file(tmp_path / "out.jj")
    with pytest.raises(fw.InputError, match="a long file cannot hold"):
        release.knows(SQUARE[0], own=1).to_file(tmp_path / "out.csv")
    with pytest.raises(fw.InputError, match="cannot be written"):
        release.to_file(tmp_path / "nowhere" / "out.csv")
    assert os.listdir(tmp_path) == []


def test_links_and_permissions_are_kept(tmp_path):
    real = tmp_path / "real.csv"
    real.write_text("old")
    real.chmod(0o600)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    fw.publish(TABLE, [""]).to_file(link)
    assert link.is_symlink()
    assert real.read_text().startswith("row,col")
    assert real.stat().st_mode & 0o777 == 0o600


def pipes() -> Format:
    """A toy format: a first line of | and a name, then label | figure, ? where it is hidden and = for the total."""

    def reads(path):
        return Path(path).read_text().startswith("|")

    def read(path, options):
        first, *lines = Path(path).read_text().splitlines()
        told = [line.split("|") for line in lines]
        dim = Dim(first[1:], tuple(label for label, _ in told if label != "="))
        figures = [
            Figure(
                (dim.total if label == "=" else dim.node(label),),
                None if text == "?" else int(text),
                HIDDEN if text == "?" else PUBLISHED,
                where=f"line {i}",
            )
            for i, (label, text) in enumerate(told, start=2)
        ]
        return Publication([dim], figures, os.fspath(path), options.missing, options.decimals)

    def write(rows, path, total):
        labels = [rows.dims[0].node_labels[node] for node in rows.keys[:, 0]]
        told = ["?" if value == NO_VALUE else str(value) for value in rows.value]
        lines = [f"{'=' if label == TOTAL else label}|{text}" for label, text in zip(labels, told, strict=True)]
        Path(path).write_text("\n".join([f"|{rows.dims[0].name}", *lines, ""]))

    return Format("a pipe file", reads, read, has_columns=False, endings=(".pipe",), write_public=write)


def test_a_further_format_is_a_line_in_the_registry(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "REGISTRY", (pipes(), *formats.REGISTRY))
    path = written(tmp_path, "|town\na|?\nb|?\nc|5\n=|12\n", "anything.txt")
    release = fw.read_release(path)
    assert fw.bounds(release).to_numpy().tolist() == [[0, 7], [0, 7]]
    release.to_file(tmp_path / "again.pipe")
    assert (tmp_path / "again.pipe").read_bytes() == path.read_bytes()
    # what builds the release and what a user says are checked as for any other format, in its own name
    with pytest.raises(
        fw.InputError, match=r"anything.txt, line 5: the grand total is 12, but its cells sum to 8, 4 less"
    ):
        fw.read_release(written(tmp_path, "|town\na|1\nb|2\nc|5\n=|12\n", "anything.txt"))
    with pytest.raises(fw.InputError, match="a pipe file has no columns to name; dims=, value=, status=, hierarchies="):
        fw.read_release(path, value="x")
    with pytest.raises(fw.InputError, match="a pipe file cannot hold linked tables"):
        release.knows({"town": "a"}, own=1).to_file(tmp_path / "again.pipe")
    with pytest.raises(fw.InputError, match="must end in .csv, .parquet, .xlsx, .tab, .jj or .pipe"):
        release.to_file(tmp_path / "out.ods")
    same_facts(
        release, fw.read_release(written(tmp_path, "town,value\na,\nb,\nc,5\nTotal,12\n"))
    )  # the others are there


def test_a_format_that_is_only_read_is_never_written(tmp_path, monkeypatch):
    only_read = replace(pipes(), endings=(), write_public=None)
    monkeypatch.setattr(formats, "REGISTRY", (only_read, *formats.REGISTRY))
    release = fw.read_release(written(tmp_path, "|town\na|?\nb|5\n=|12\n", "in.pipe"))
    with pytest.raises(fw.InputError, match="must end in .csv, .parquet, .xlsx, .tab or .jj"):
        release.to_file(tmp_path / "out.pipe")


def test_whose_a_file_is(tmp_path):
    jj = written(tmp_path, "0\n2\n", "numbers.csv")
    written(tmp_path, "a\n  <RECODEABLE>\n", "y.rda")
    called = {
        "x.jj": "jj_file",
        "x.PQ": "parquet_file",
        "x.parquet": "parquet_file",
        "x.csv": "long_file",
        "x.tab": "long_file",
        "y.tab": "tab_file",
        "x.XLSX": "excel_file",
        "x": "long_file",
    }
    for name, module in called.items():
        assert formats.format_of(written(tmp_path, "a,b", name)).read.__module__.endswith(f".{module}")
    assert formats.format_of(jj).called == "a JJ file"  # by its first lines
    assert formats.format_to_write(jj).called == "a long file"  # by its name
