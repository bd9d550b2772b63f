"""The server of tables behind the door, and who is asking."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ..server.answer import Answer
from ..server.cube.request import Request
from ..server.ranking.ranking import Ranking
from ..server.table_server import TableServer
from .asking import as_asked
from .problems import Problem
from .settings import ServiceSettings


@dataclass(frozen=True)
class Person:
    """Whoever is asking."""

    name: str
    auditor: bool = False


@dataclass(frozen=True, eq=False)
class Service:
    """What all interfaces answer from."""

    server: TableServer
    settings: ServiceSettings
    rankings: dict[str | None, Ranking] = field(default_factory=dict)
    """Of everybody's answers and of each user's, as far as an auditor looked at them."""

    @property
    def open(self) -> bool:
        """May everybody ask for tables?"""
        return not self.settings.readers and self.settings.user_header is None

    def person(self, authorization: str | None, named_by_proxy: str | None) -> Person:
        """Who is asking, by a token or the word of a reverse proxy."""
        settings = self.settings
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            found = None
            for people, auditor in ((settings.auditors, True), (settings.readers, False)):
                for name, own in people.items():  # all are looked at, however soon one is found
                    if hmac.compare_digest(own.encode(), token.strip().encode("utf-8", "replace")):
                        found = Person(name, auditor)
            if found is None or scheme.lower() != "bearer":
                raise Problem(401, "Unknown token", "Send a token that was given to you: Authorization: Bearer TOKEN.")
            return found
        if settings.user_header is not None and named_by_proxy:
            return Person(named_by_proxy, named_by_proxy in settings.auditors)
        if not self.open:
            raise Problem(
                401, "Who is asking?", "This service is for people with a token: Authorization: Bearer TOKEN."
            )
        return Person("")

    def answer(self, person: Person, request: Request) -> Answer:
        """Answer a request and write it down, unless there are too many."""
        self.refuse_too_much(person, request)
        return self.server.tabulate(**as_asked(request), user=person.name)

    def refuse_too_much(self, person: Person, request: Request) -> None:
        """Refuse more than the settings allow."""
        cells = max(self.cells(request), self.server.cube.cells(request))  # a part is cut from the whole table
        if cells > self.settings.max_cells:
            raise Problem(
                403,
                "Too many figures",
                f"The table has {cells:,} figures; at most {self.settings.max_cells:,} are sent.",
            )
        minute_ago = (datetime.now(UTC) - timedelta(minutes=1)).isoformat(timespec="milliseconds")
        for most, user, whose in (
            (self.settings.per_minute, person.name, "you have"),
            (self.settings.per_minute_in_all, None, "all have"),
        ):
            if most is not None and self.server.log.asked_since(minute_ago, user) >= most:
                raise Problem(
                    429, "Too many requests", f"In the last minute {whose} asked for {most:,} tables.", retry=30
                )

    def cells(self, request: Request) -> int:
        """The figures of an answer, totals included."""
        number = 1
        for labels in self.server.cube.shown(request).values():
            number *= len(labels) + bool(request.totals)
        return number
