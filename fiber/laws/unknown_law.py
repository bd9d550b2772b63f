"""Laws in files: figures matched to the cells of the release; of a law of the user's own, its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ...base.errors import InputError
from ...base.saved_forms import form_of, saved

if TYPE_CHECKING:
    from ...release.release import Release


@saved("UnknownLaw")
@dataclass(frozen=True)
class UnknownLaw:
    """What a file keeps of a law of the user's own: what it was called, not its weights."""

    name: str
    words: str
    call: str
    """What a report writes for it."""

    def on(self, release: Release) -> NoReturn:
        """Refused: there are no weights."""
        raise InputError(
            f"this audit was loaded from a file, which holds the answers under the law {self.name!r} but not its weights; "
            "audit the release again with law=, then ask."
        )


def on_paper(law: Any, release: Release) -> Any:
    """A law of a release as files hold it; one that is given by its name, or None, stays as it is."""
    if law is None or isinstance(law, str):
        return law
    portable = law.portable(release) if hasattr(law, "portable") else law
    if form_of(portable) is not None:
        return portable
    return UnknownLaw(str(portable.name), str(portable.words), getattr(portable, "call", type(portable).__name__))
