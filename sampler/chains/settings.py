"""How chains are run and when they stop: one object from the user's call to the chains of every unit."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError
from ...base.numbers import check_seed, check_whole
from ...base.text_files import check_writable

MOST_BYTES = 8_000_000_000
"""What all chains may take where nobody says otherwise."""
BATCHES = 64
"""The most of a chain."""
FIRST_LENGTH = 16
"""Draws of a batch at first."""
TOLERANCE = 0.02
"""Bits, where nobody says otherwise."""
FIRST_LOOK = BATCHES * FIRST_LENGTH
"""Draws of a chain before it is looked at for the first time."""
DECISIVE = ("seed", "chains", "tolerance", "max_draws")
"""What the draws depend on: where chains run, are saved and how much they may take changes none of them."""


@dataclass(frozen=True, eq=False)
class ChainSettings:
    """How chains are run, and when they stop. What makes no sense is refused in the user's words."""

    seed: int | None = 1
    """None: a new one each time."""
    chains: int = 4
    """How many there are."""
    tolerance: float = TOLERANCE
    """Three standard errors of every entropy are to be below this, in bits."""
    max_draws: int | None = None
    """Of each chain; None: they go on as long as their errors shrink as they should."""
    executor: Executor | None = None
    """Where they run; None: in threads of this process."""
    checkpoint: str | os.PathLike[str] | None = None
    """The file to which they are saved, and from which they go on."""
    memory: int = MOST_BYTES
    """Bytes that all chains together may take."""

    def __post_init__(self) -> None:
        check_whole(chains=self.chains, **({} if self.max_draws is None else {"max_draws": self.max_draws}))
        if self.max_draws is not None and self.max_draws < FIRST_LOOK:
            raise InputError(
                f"max_draws={self.max_draws!r}: at least {FIRST_LOOK:,}, after which chains are first looked at."
            )
        if isinstance(self.tolerance, bool) or not isinstance(self.tolerance, (int, float)) or not self.tolerance > 0:
            raise InputError(f"tolerance={self.tolerance!r}: a number of bits above 0.")
        check_seed(self.seed)
        if self.seed is None and self.checkpoint is not None:
            raise InputError("a checkpoint needs a seed: without one the work could not be taken up again.")
        if self.executor is not None and not hasattr(self.executor, "submit"):
            raise InputError(
                f"executor={self.executor!r}: an Executor of concurrent.futures, or what client.get_executor() of Dask "
                "gives."
            )
        if self.checkpoint is not None:
            if not isinstance(self.checkpoint, (str, os.PathLike)):
                raise InputError(f"checkpoint={self.checkpoint!r}: the name of a file.")
            check_writable(self.checkpoint)
        # the same whole numbers have the same name in a checkpoint, whatever their type
        for name in ("seed", "chains", "max_draws"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else int(value))

    @property
    def decisive(self) -> dict[str, Any]:
        """Those that the draws depend on, by their names."""
        return {name: getattr(self, name) for name in DECISIVE}
