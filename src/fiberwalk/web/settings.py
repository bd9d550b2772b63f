"""What an office sets when it opens a service: its title, who may come in, and how much they may ask."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..base.errors import InputError
from ..base.numbers import check_whole

LEAST_TOKEN = 16
"""Characters of a token: fewer could be guessed."""


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """How a service of tables is run.

    Parameters
    ----------
    title
        What the page and the interfaces call the data.
    readers
        {name: token} of those who may ask for tables. Empty: everybody may, without a name.
    auditors
        {name: token} of those who may look at the log, its ranking and the risk of an answer. Empty: nobody.
    user_header
        The header in which a reverse proxy names whoever it let in, such as "X-Forwarded-User". Only where nobody reaches
        the service past the proxy: whoever does can call herself anything.
    max_cells
        The most figures of an answer, totals included.
    per_minute
        The most requests of one name in a minute; those without a name are one.
    per_minute_in_all
        The most requests of all in a minute.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.server.ServiceSettings(title="Census 2021", auditors={"carol": "a long secret word"}).title
    'Census 2021'
    """

    title: str = "Tables on request"
    readers: Mapping[str, str] = field(default_factory=dict, repr=False)
    auditors: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_header: str | None = None
    max_cells: int = 1_000_000
    per_minute: int | None = None
    per_minute_in_all: int | None = None

    def __post_init__(self) -> None:
        check_whole(max_cells=self.max_cells)
        for name in ("per_minute", "per_minute_in_all"):
            if getattr(self, name) is not None:
                check_whole(**{name: getattr(self, name)})
        tokens = [*self.readers.items(), *self.auditors.items()]
        for name, token in tokens:
            if not isinstance(token, str) or len(token) < LEAST_TOKEN:
                raise InputError(f"the token of {name!r}: a text of at least {LEAST_TOKEN} characters.")
        if len({token for _, token in tokens}) < len(tokens):
            raise InputError("two names have the same token.")


def read_tokens(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """The tokens of a TOML file with the tables [readers] and [auditors], a line name = "token" each."""
    from ..base.text_files import read_text

    return as_tokens(read_text(path), os.fspath(path))


def as_tokens(text: str, where: str) -> dict[str, dict[str, str]]:
    """The tokens of such a text."""
    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # its words quote the line, and so the token
        raise InputError(f"{where}: not a well-formed TOML file.") from None
    for role, tokens in found.items():
        if role not in ("readers", "auditors") or not isinstance(tokens, dict):
            raise InputError(f'{where}: tables [readers] and [auditors], with lines such as anna = "token".')
    return {role: found.get(role, {}) for role in ("readers", "auditors")}
