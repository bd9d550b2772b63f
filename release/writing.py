"""Writing a release: the file's name says the format, and the format what of the release is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..base.errors import InputError
from .files.formats import format_to_write
from .own_table import own_table
from .public_rows import public_rows
from .public_view import public_view

if TYPE_CHECKING:
    from .release import Release


def write_release(release: Release, path: str | os.PathLike[str], *, total: str) -> None:
    """Write a release in the format that the file's name says."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a file is named by its path; this is a {type(path).__name__}.")
    name, file_format = os.fspath(path), format_to_write(path)
    if file_format.write_public is not None:
        file_format.write_public(public_rows(public_view(release), name, file_format.called), path, total)
    if file_format.write_own is not None:
        file_format.write_own(own_table(release, name, file_format.called), path)
