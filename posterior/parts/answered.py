"""What was found of a release, part by part, before it is put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.laws.support import Support
from .pmf import Pmf

if TYPE_CHECKING:
    from ..paths.hidden_path import PathBelief


@dataclass(frozen=True, eq=False)
class BlockAnswer:
    """The laws of the questions about one block, and how many tables it has where they were counted."""

    pmfs: tuple[Pmf, ...]
    tables: int | None
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class Answered:
    """For each question the laws of its parts, and where they come from."""

    parts: list[list[Pmf]]
    answers: list[BlockAnswer]
    evidence: tuple[str, ...] = ()
    """What chains showed."""
    stopped: str = ""
    path: PathBelief | None = None


def open_questions(support: Support, picked: Any) -> Any:
    """The questions without what is decided: that is known, and counted already."""
    questions = sp.csc_array(picked, copy=True)
    for column in np.flatnonzero(support.solved.decided):
        questions.data[questions.indptr[column] : questions.indptr[column + 1]] = 0
    questions.eliminate_zeros()
    return questions
