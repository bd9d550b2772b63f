"""The ranking of a server: whose answers, which people, and by which method its figures are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.errors import InputError, did_you_mean
from ...base.numbers import check_whole, is_number
from ...protect.mechanism.mechanism import Reading
from ...protect.methods import METHODS
from ...release.release import unpublished
from ...release.tables.dims import Dim
from ..cube.request import as_request
from ..protecting.protection import Protection
from .as_published import AsPublished
from .groups import Group, Groups
from .ranking import Ranking
from .solving import Solver

if TYPE_CHECKING:
    from ..answer import Answer
    from ..log.entries import Entry
    from ..table_server import TableServer


def ranking_of(
    server: TableServer, ask: Callable[[Entry], Answer | None], user: str | None, filters: Any, sure: float, small: int
) -> Ranking:
    """A ranking that has taken up nothing yet."""
    if user is not None and user not in server.log.users:
        raise InputError(f"user={user!r} has asked for nothing; {did_you_mean(user, server.log.users)}")
    if not (is_number(sure) and 0 < sure <= 1):
        raise InputError(f"sure={sure!r}: a probability from which on a cell counts as known, such as 0.95.")
    check_whole(small=small)
    protection = server.maker.after
    if server.before is not None or server.maker.lattice is not None:
        raise InputError(
            "figures of a cube that was protected beforehand, and of tables that are rounded together, are not changed each "
            "by itself, and no ranking reads them: audit answers one by one (fw.audit(answer.release()))."
        )
    groups = Groups(server.cube)
    solver = Solver(groups, _reading(protection), protection is not None and protection.keyed, int(small))
    return Ranking(server.log, user, float(sure), int(small), groups, solver, ask, _inside(groups, server, filters))


def _reading(protection: Protection | None) -> Reading:
    """What the method does to a count, as everybody may know it."""
    if protection is None:
        return AsPublished()
    read = METHODS[protection.name].read
    assert read is not None
    return read(unpublished((Dim("people", ("all",)),)), **protection.parameters)[0]


def _inside(groups: Groups, server: TableServer, filters: Mapping[str, Any] | None) -> Callable[[Group], bool]:
    """Which groups are within the people that are looked at."""
    if not filters:
        return lambda group: True
    request = as_request([next(iter(server.offered))], filters, server.offered)
    (part,) = groups.of(replace(request, dims=()))

    def inside(group: Group) -> bool:
        return all(
            not (groups.meant(dim, number) & ~groups.meant(dim, limit)).any()
            for dim, (number, limit) in enumerate(zip(group, part, strict=True))
            if limit
        )

    return inside
