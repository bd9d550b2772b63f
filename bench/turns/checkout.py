"""The files of a commit in a folder of their own, which is gone afterwards."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


class UnknownCommit(Exception):
    """Git does not know it, or there is no fiberwalk in it; in a sentence."""


def commit_of(ref: str, home: Path = HOME) -> str:
    """The full name of a commit."""
    found = _git(home, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if found.returncode:
        raise UnknownCommit(f"git knows no commit {ref!r} here; `git log --oneline` lists some.")
    return found.stdout.decode().strip()


def this_tree(home: Path = HOME) -> str:
    """The present tree in words."""
    changed = bool(_git(home, "status", "--porcelain").stdout.strip())
    return f"commit {commit_of('HEAD', home)[:7]}" + (", with uncommitted changes" if changed else "")


@contextmanager
def checked_out(commit: str, home: Path = HOME) -> Iterator[Path]:
    """A folder with the files of a commit.

    They are taken from `git archive`: nothing has to be registered with git and pruned later. Its files bear the time of the
    commit, and the folder its name, so that numba finds the machine code of an earlier run again.
    """
    folder = Path(tempfile.gettempdir()).resolve() / f"fiberwalk-{commit[:12]}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # somebody else is at it, or did not come to an end
        folder = Path(tempfile.mkdtemp(prefix=f"fiberwalk-{commit[:12]}-")).resolve()
    try:
        archive = _git(home, "archive", "--format=tar", commit)
        if archive.returncode:
            raise UnknownCommit(f"git cannot give the files of {commit[:12]}: {archive.stderr.decode().strip()}")
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="tar")
        if not (folder / "src" / "fiberwalk").is_dir():
            raise UnknownCommit(f"commit {commit[:12]} has no src/fiberwalk.")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _git(home: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(home), *words], check=False, capture_output=True)
