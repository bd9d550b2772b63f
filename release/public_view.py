"""What of a release is public: the one door by which anything of it leaves.

Files, crosstabs, notebooks and saved audits without truth are made from a `PublicView` and take nothing else. Two releases
that tell their readers the same have the same one, whatever their agencies keep.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .facts.facts import HIDDEN, PRIMARY
from .told import Told

if TYPE_CHECKING:
    from .release import Release


@dataclass(frozen=True, eq=False, repr=False)
class PublicView(Told):
    """A release as its readers have it. It never had the truth, nor anything else that only the agency knows."""

    def __repr__(self) -> str:
        dims = ", ".join(dim.name for dim in self.dims)
        return f"<PublicView of {dims}: {self.n_cells} cells, {len(self.sums)} known sums>"


def public_view(release: Release) -> PublicView:
    """What readers are told: without the truth, the seeds, what is assumed to be known around the truth, and, unless the
    publication shows it, which cells are primary."""
    public_fields: dict[str, Any] = {field.name: getattr(release, field.name) for field in fields(Told)}
    if not release.flagged:
        public_fields["status"] = np.where(release.status == PRIMARY, HIDDEN, release.status).astype(
            release.status.dtype
        )
        public_fields["asked_primary"] = release.asked_primary[:0]
    elif release.if_flagged is not None:
        public_fields["if_guessed"] = release.if_flagged
    if release.told is not None:
        public_fields["lower"], public_fields["upper"] = release.told
        public_fields["beforehand"] = ""
        public_fields["notes"] = tuple(note for note in release.notes if not note.startswith(release.beforehand))
    public_fields["applied"] = tuple(replace(method, seed=None, own_words="") for method in release.applied)
    return PublicView(**public_fields)
