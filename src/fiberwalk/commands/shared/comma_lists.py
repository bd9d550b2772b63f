"""What an option writes in one text, joined by commas: names, the labels of a cell, the weights of a risk."""

from __future__ import annotations


def names(text: str | None) -> list[str] | None:
    """Names that are joined by commas."""
    return [name.strip() for name in text.split(",")] if text else None


def cell_of(text: str, option: str) -> dict[str, str]:
    """A cell that an option writes as DIM=LABEL for every dim."""
    from ...base.errors import InputError

    pairs = [part.partition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in pairs):
        raise InputError(f"{option} {text}: write it as DIM=LABEL for every dim, joined by commas.")
    return {dim.strip(): label.strip() for dim, _, label in pairs}


def numbers_or_norm(text: str | None) -> list[float] | str | None:
    """The weights of a risk's terms, or the name of a norm (l2) by which they are put together."""
    if text is None:
        return None
    try:
        return [float(weight) for weight in text.split(",")]
    except ValueError:
        return text
