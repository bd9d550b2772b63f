"""The log of a server in an SQLite database: who asked for what, when, and whether it was answered."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import InputError
from .entries import Entry, Version, read, written

if TYPE_CHECKING:
    import pandas as pd

    from ..cube.request import Request

FORMAT = 1
_CHANGES: dict[int, tuple[str, ...]] = {}
"""By which statements a log of each format becomes one of the next: whoever changes the tables below raises FORMAT, and adds
what an office's log needs to come along."""
_TABLES = """
create table if not exists about (format integer not null);
create table if not exists versions (number integer primary key, digest text unique not null, words text not null);
create table if not exists answers (
    number integer primary key autoincrement, at text not null, user text not null, request text not null,
    released integer not null, notice text not null, by_figures integer not null,
    version integer not null references versions, digest text not null
);
create index if not exists answers_of_users on answers (user, at);
create index if not exists answers_in_time on answers (at);
"""
_COLUMNS = "number, at, user, request, released, notice, by_figures, version, digest"
_WAIT_SECONDS = 30


class Log:
    """Everything that was asked of a server. It holds requests, users and notices, never a figure.

    Parameters
    ----------
    path
        A file, which is made where there is none, for its owner alone; several processes may share it. Left out: the log is
        kept in memory.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> server = fw.server.TableServer([[30, 12], [9, 25]], rules=fw.server.ServerRules(max_dims=1), seed=1)
    >>> _ = server.tabulate("A", user="anna"), server.tabulate("A,B", user="ben")
    >>> server.log.to_frame()[["user", "request", "released"]].values.tolist()
    [['anna', 'A', True], ['ben', 'A x B', False]]
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        try:
            if self.path is not None and not self.path.exists():
                self.path.touch(mode=0o600)
            self._database = sqlite3.connect(
                ":memory:" if self.path is None else self.path, timeout=_WAIT_SECONDS, check_same_thread=False,
                isolation_level=None,
            )  # fmt: skip
            self._closed = weakref.finalize(self, self._database.close)
            if self.path is not None:
                # Written down before an answer leaves, and there after a kill; only a machine that loses its power may lose
                # the last ones. To force each of them to the disk takes longer than the answers do.
                self._database.execute("pragma journal_mode=wal")
                self._database.execute("pragma synchronous=normal")
            self._bring_up_to_date()
            self._database.executescript(_TABLES)
            self._rows("insert into about select ? where not exists (select * from about)", FORMAT)
        except OSError as problem:
            raise InputError(f"{self.path}: the log cannot be made there ({problem.strerror}).") from None
        except sqlite3.DatabaseError as problem:
            raise InputError(f"{self.path}: this is no log of a server ({problem}).") from None

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else str(self.path)
        return f"<Log {where}: {len(self):,} requests>"

    def __len__(self) -> int:
        return int(self._rows("select count(*) from answers")[0][0])

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def entries(self, user: str | None = None, *, after: int = 0) -> list[Entry]:
        """What was asked, in order: by everybody or one user, and with numbers after a given one."""
        of_user = "" if user is None else "and user = ?"
        query = f"select {_COLUMNS} from answers where number > ? {of_user} order by number"
        return [_entry(row) for row in self._rows(query, after, *([] if user is None else [user]))]

    def number_after(self, number: int, user: str | None = None) -> int:
        """How many requests were made after one of them, by everybody or one user."""
        of_user = "" if user is None else "and user = ?"
        query = f"select count(*) from answers where number > ? {of_user}"
        return int(self._rows(query, number, *([] if user is None else [user]))[0][0])

    def entry(self, number: int) -> Entry:
        """One request by its number."""
        return _entry(self._rows(f"select {_COLUMNS} from answers where number = ?", number)[0])

    def asked_since(self, at: str, user: str | None = None) -> int:
        """How many requests were made since a moment (UTC, as ISO 8601 has it), by everybody or one user."""
        of_user = "" if user is None else "and user = ?"
        query = f"select count(*) from answers where at >= ? {of_user}"
        return int(self._rows(query, at, *([] if user is None else [user]))[0][0])

    @property
    def users(self) -> tuple[str, ...]:
        """Who has asked."""
        return tuple(row[0] for row in self._rows("select distinct user from answers order by user"))

    @property
    def versions(self) -> dict[int, Version]:
        """What the server has been: its data, keys, rules and method."""
        rows = self._rows("select number, digest, words from versions")
        return {number: Version(digest, words) for number, digest, words in rows}

    def to_frame(self) -> pd.DataFrame:
        """A row for each request."""
        import pandas as pd

        rows = [
            (one.number, one.at, one.user, one.request.words, one.released, one.notice, one.version) for one in self
        ]
        columns = ["number", "at", "user", "request", "released", "notice", "version"]
        return pd.DataFrame(rows, columns=columns).set_index("number")

    def number_of(self, version: Version) -> int:
        """The number of a version of the server, which is new where nothing was answered by it yet."""
        self._rows("insert or ignore into versions (digest, words) values (?, ?)", version.digest, version.words)
        return int(self._rows("select number from versions where digest = ?", version.digest)[0][0])

    def append(
        self, user: str, request: Request, released: bool, notice: str, by_figures: bool, version: int, digest: str
    ) -> int:
        """Write one request down, before its answer leaves; its number."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        values = (at, user, written(request), released, notice, by_figures, version, digest)
        columns, marks = _COLUMNS.removeprefix("number, "), ", ".join("?" * len(values))
        with self._lock:
            done = self._database.execute(f"insert into answers ({columns}) values ({marks})", values)
        return int(done.lastrowid or 0)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else writes: what is read stays true until one's own request is written down."""
        self._rows("begin immediate")
        try:
            yield
        except BaseException:
            self._rows("rollback")
            raise
        self._rows("commit")

    def close(self) -> None:
        """Close the file; it is closed as well where the log is no longer used."""
        self._closed()

    def _bring_up_to_date(self) -> None:
        """Make a log of an earlier format one of this, all or nothing, while no other process does."""
        with self.alone():
            there = self._rows("select * from sqlite_master where name = 'about'")
            rows = self._rows("select format from about") if there else []
            if not rows:
                return
            (found,) = rows[0]
            if found > FORMAT or any(step not in _CHANGES for step in range(found, FORMAT)):
                newer = "a newer fiberwalk made it" if found > FORMAT else "it is too old"
                raise InputError(
                    f"{self.path}: a log of format {found}; this fiberwalk reads format {FORMAT}: {newer}."
                )
            for step in range(found, FORMAT):
                for statement in _CHANGES[step]:
                    self._rows(statement)
            self._rows("update about set format = ?", FORMAT)

    def _rows(self, query: str, *values: object) -> list[tuple]:
        """What the database answers; every statement is written by itself, and stays when the process is killed."""
        with self._lock:
            return self._database.execute(query, values).fetchall()


def _entry(row: tuple) -> Entry:
    number, at, user, request, released, notice, by_figures, version, digest = row
    return Entry(number, at, user, read(request), bool(released), notice, bool(by_figures), version, digest)
