"""A release that is the end of a hidden path of steps within squares: what an intruder knows of the path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.errors import InputError
from ...protect.perturbation.elementary_squares import Squares
from ...protect.perturbation.markov_perturbation import MarkovPerturbation
from ...protect.perturbation.theta_prior import ThetaPrior
from ...release.release import Release


@dataclass(frozen=True, eq=False)
class HiddenPaths:
    """The published table, the squares of the steps, and what is known of their order and of theta."""

    release: Release
    end: np.ndarray
    squares: Squares
    order_known: bool
    thetas: np.ndarray
    theta_prior: np.ndarray
    capped: bool = True

    def named(self, square: int) -> str:
        """A square by its corner, in the user's words."""
        cells = self.squares.cells[square]
        first, last = (self.release.words(self.release.keys[cells[k]]) for k in (0, 3))
        return f"the square from {first} to {last}"


def hidden_paths(release: Release) -> HiddenPaths | None:
    """The hidden paths of a release; none where it is not the end of one, or evidence says all there is to say of it."""
    for applied in release.applied:
        mechanism = applied.mechanism
        if isinstance(mechanism, MarkovPerturbation) and applied.beyond_evidence:
            assert release.figures is not None
            theta = mechanism.theta
            if not isinstance(theta, ThetaPrior):
                theta = ThetaPrior(np.array([theta], dtype=float), np.ones(1))
            return HiddenPaths(
                release,
                release.figures,
                mechanism.squares,
                mechanism.order_known,
                theta.values,
                theta.probabilities,
                mechanism.capped,
            )
    return None


def no_path(paths: HiddenPaths, square: int) -> InputError:
    """What to say where no step within a square can end as it must, whatever came before."""
    thetas = f"theta = {paths.thetas[0]:g}" if len(paths.thetas) == 1 else "any theta that is believed possible"
    return InputError(
        f"no path leads to the published table: with {thetas} no step within {paths.named(square)} ends where it must, "
        "whatever it began with."
    )


def refuse_paths(release: Release, question: str) -> None:
    """Refuse what is only known of laws that are products over cells and sums."""
    if hidden_paths(release) is not None:
        raise InputError(
            f"{question} is not worked out where the published table is the end of a hidden path; fiberwalk.sample(release) "
            "draws whole tables, and their shares tell."
        )
