"""The same seed's draws of both sides, by hashes of each drawn table."""

from __future__ import annotations

from collections.abc import Sequence

Digests = Sequence[Sequence[str]]
"""[chain][draw]"""


def difference(new: Digests, old: Digests) -> str:
    """The first draw that differs, in words; empty where all are the same."""
    shapes = [(len(some), [len(chain) for chain in some]) for some in (new, old)]
    if shapes[0] != shapes[1]:
        return f"{sum(shapes[0][1])} draws of {shapes[0][0]} chains here, {sum(shapes[1][1])} of {shapes[1][0]} there"
    apart = [
        (draw, chain)
        for chain, both in enumerate(zip(new, old, strict=True))
        for draw, (one, other) in enumerate(zip(*both, strict=True))
        if one != other
    ]
    if not apart:
        return ""
    draw, chain = min(apart)
    return f"draw {draw + 1} of chain {chain + 1} is the first that differs; {len(apart)} of {sum(shapes[0][1])} do"
