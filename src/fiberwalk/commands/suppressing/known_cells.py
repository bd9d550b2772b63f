"""What a published table tells all the same: cells that are known exactly, although it does not show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ...release.release import Release

MOST_CELLS = 1_000
"""Hidden cells up to which bounds are quick enough to be looked at unasked."""
OPEN = "fiberwalk: note: "


def warn_of_known_cells(release: Release) -> None:
    """Say on stderr how many cells are known exactly, and never what they are."""
    sentence = known_cells(release)
    if sentence:
        click.echo(f"{OPEN}{sentence}", err=True)


def known_cells(release: Release) -> str:
    """A sentence on the cells (and withheld totals) that are not published and known exactly; empty where there are none."""
    import warnings

    from ...answers import bounds
    from ...base.errors import FiberwalkError
    from ...release.facts.facts import HIDDEN, PRIMARY

    public = release.without_truth()
    hidden = int((public.lower < public.upper).sum())
    if hidden > MOST_CELLS:
        withheld = (public.status == HIDDEN) | (public.status == PRIMARY)
        return (
            f"{hidden:,} figures are not published; `fiberwalk bounds` tells if some are known."
            if withheld.any()
            else ""
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = bounds(public, sharp=False, progress=False)
    except FiberwalkError:
        return ""  # figures without limits, or of a method that takes an audit
    known = frame.index[frame["lower"] == frame["upper"]]
    if not len(known):
        return ""
    first = known[0] if isinstance(known[0], tuple) else (known[0],)
    words = ", ".join(f"{name}={label}" for name, label in zip(known.names, first, strict=True))
    how_many = (
        f"{words}, which is withheld or changed, is"
        if len(frame) == 1
        else f"of {len(frame):,} figures that are withheld or changed {len(known):,} (first {words}) "
        f"{'is' if len(known) == 1 else 'are'}"
    )
    return f"{how_many} known exactly from what is published; look with `fiberwalk audit` before it leaves."
