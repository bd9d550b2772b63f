"""The Bayesian snooper of one Markov-perturbed square, exactly (Duncan, Fienberg, Krishnan, Padman and Roehrig 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.numbers import is_number
from ..fiber.laws.by_name import as_law
from ..fiber.laws.law import Law, relative_weights
from ..fiber.laws.priors import prior as prior_of_cells
from ..protect.as_published import as_protected
from ..protect.perturbation.markov_perturbation import MarkovPerturbation, log_step_likelihood, refuse_cut
from ..protect.perturbation.theta_prior import ThetaPrior
from ..release.facts.facts import NO_LIMIT
from ..release.release import Release
from ..release.tables.dims import key_words
from ..release.tables.tables import as_table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Seen:
    """A published square and all that is public of it; its cells are top left, top right, bottom left and bottom right."""

    release: Release
    cells: np.ndarray
    theta: float

    @property
    def figures(self) -> np.ndarray:
        """What was published of the four cells."""
        assert self.release.figures is not None
        return self.release.figures[self.cells]

    @property
    def corner(self) -> str:
        """The top-left cell in words."""
        return self.release.words(self.release.keys[self.cells[0]])


def square(published: Any, theta: float | None = None, prior: Any = None, *, capped: bool = False) -> pd.DataFrame:
    """What a snooper believes of the top-left cell w of a 2 x 2 table after its Markov perturbation.

    She sees the published square and knows theta, so that she can say how probable each w made what she sees (likelihood),
    and turns it around by Bayes' theorem: posterior(w) is proportional to likelihood(w) prior(w). Every step keeps the
    square's totals: with the top row total r, the left column total c (read so that c >= r) and the grand total n, w lies
    between lo = max(0, r + c - n) and hi = min(r, c), and

        published = lo + Binomial(w - lo, 1 - theta) + Binomial(hi - w, f),    f = w theta / (c - w),

    which sums over how many of the people who could leave stayed, and how many came in. f = 0 at w = hi, where none can.

    Parameters
    ----------
    published
        A table of 2 x 2 counts in any form; or a release of `markov_perturb` with one square, which says theta itself.
        Knowledge that was added to a release is for `audit`.
    theta
        How likely a person who can leave the cell is to do so: from 0 to the largest at which every f is a probability.
    prior
        What she believed of w before: value -> probability (a dict or Series), an array of the probabilities of lo to hi,
        a function of w, `beta_binomial(...)`, `unimodal(...)` or `frequencies_of(...)`; or a law of all four cells, as
        `prior(...)` makes it. Left out, every value is as probable. It is scaled to add up to 1 over lo to hi.
    capped
        Let theta be larger, with f cut off at 1, as `markov_perturb` does unless told otherwise.

    Returns
    -------
    pandas.DataFrame
        Indexed by w, from lo to hi: likelihood, prior and posterior.

    Examples
    --------
    The paper's square has the totals 15, 100 and 18, 97; its cell is published as 3. Its Table 3 lists the likelihood,
    which is no distribution over w: only with a prior does it become one.

    >>> import fiberwalk as fw
    >>> paper = fw.examples.dfkpr01_square()
    >>> fw.snooper.square(paper.published, 0.1).loc[1:4].round(4)
       likelihood   prior  posterior
    w
    1      0.0026  0.0625     0.0026
    2      0.1151  0.0625     0.1125
    3      0.6193  0.0625     0.6051
    4      0.2235  0.0625     0.2184

    With the prior of its Table 4, which expects small values:

    >>> fw.snooper.square(paper.published, 0.1, paper.prior)["posterior"].loc[1:4].round(4).to_dict()
    {1: 0.0052, 2: 0.2248, 3: 0.6049, 4: 0.1455}
    """
    import pandas as pd

    seen = _of_release(published, theta) if isinstance(published, Release) else _of_table(published, theta, capped)
    top_left, top_right, bottom_left, _ = seen.figures.tolist()
    row, column, total = top_left + top_right, top_left + bottom_left, int(seen.figures.sum())
    low, log_likelihood = log_step_likelihood(top_left, row, column, total, seen.theta)
    values = np.arange(low, low + len(log_likelihood))
    log_prior = _log_prior(prior, seen, values)
    log_posterior = _normalised(log_likelihood + log_prior)
    if log_posterior is None:
        raise InputError(
            f"{seen.corner}, published as {top_left}: with theta={seen.theta:g} it was {_ends(values, log_likelihood)}, and "
            f"the prior allows only {_ends(values, log_prior)}."
        )
    columns = {"likelihood": log_likelihood, "prior": log_prior, "posterior": log_posterior}
    return pd.DataFrame({name: np.exp(logs) for name, logs in columns.items()}, index=pd.Index(values, name="w"))


def _of_table(published: Any, theta: float | None, capped: bool) -> Seen:
    table = as_table(published)
    if table.values.shape != (2, 2):
        shape = " x ".join(map(str, table.values.shape))
        raise InputError(
            f"square() is for a table of 2 x 2 cells, and this one is {shape}: snooper.table(table, theta=...) answers for "
            "a whole table."
        )
    if not is_number(theta):
        problem = "" if theta is None else f"; it is {theta!r}"
        raise InputError(
            f"square() needs theta=, a number that says how likely a person is to leave the cell{problem}."
        )
    if not capped:
        refuse_cut(table.values.ravel(), theta, key_words((0, 0), table.dims))
    return Seen(as_protected(table, "markov_perturb", theta=theta), np.arange(4), float(theta))


def _of_release(release: Release, theta: float | None) -> Seen:
    public = next(
        (applied.mechanism for applied in release.applied if isinstance(applied.mechanism, MarkovPerturbation)), None
    )
    if public is None or release.figures is None:
        raise InputError(
            "this release is not Markov-perturbed: give square() the published table of 2 x 2, and theta=."
        )
    if len(public.squares) != 1:
        raise InputError(
            f"this release has {len(public.squares)} squares, and square() is for one: audit() answers for a whole table."
        )
    if isinstance(public.theta, ThetaPrior):
        raise InputError("theta of this release is not known: snooper.table() answers where it has a prior.")
    if theta is not None and theta != public.theta:
        raise InputError(f"theta={theta!r}: the release says that it is {public.theta:g}; leave it out.")
    cells = public.squares.cells[0]
    if (release.lower[cells] > 0).any() or (release.upper[cells] < NO_LIMIT).any():
        raise InputError("square() reads published figures alone: audit() answers for what is known besides.")
    return Seen(release, cells, public.theta)


def _log_prior(prior: Any, seen: Seen, values: np.ndarray) -> np.ndarray:
    """The prior of the top-left cell, in logarithms. The other three cells follow from it, and their weights count too."""
    weigh = _law(prior, seen, values).on(seen.release)
    log_weights = np.zeros(len(values))
    for cell, figure, sign in zip(seen.cells.tolist(), seen.figures.tolist(), (1, -1, -1, 1), strict=True):
        then = figure + sign * (values - int(seen.figures[0]))
        cell_weights = relative_weights(weigh, cell, int(then.min()), int(then.max()))
        if cell_weights is not None:
            log_weights += cell_weights[::sign]
    normalised = _normalised(log_weights)
    if normalised is None:
        raise InputError(
            f"the priors of the square's cells exclude each other: together they leave {seen.corner} none of its values "
            f"{values[0]} to {values[-1]}."
        )
    return normalised


def _law(prior: Any, seen: Seen, values: np.ndarray) -> Law:
    """What was given as a prior, as a law of the four cells."""
    if prior is None or isinstance(prior, str) or hasattr(prior, "on"):
        return as_law("uniform" if prior is None else prior)
    if hasattr(prior, "to_dict"):
        prior = prior.to_dict()
    elif isinstance(prior, (np.ndarray, list, tuple)):
        if np.shape(prior) != values.shape:
            raise InputError(
                f"the prior on {seen.corner} has {np.size(prior)} probabilities, and the cell {len(values)} possible "
                f"values, {values[0]} to {values[-1]}."
            )
        prior = dict(zip(values.tolist(), prior, strict=True))
    labels = zip(seen.release.dims, seen.release.keys[seen.cells[0]].tolist(), strict=True)
    return prior_of_cells([({dim.name: dim.labels[node] for dim, node in labels}, prior)])


def _normalised(log_weights: np.ndarray) -> np.ndarray | None:
    """Logarithms of probabilities that add up to 1; None where all are 0."""
    from scipy.special import logsumexp

    total = logsumexp(log_weights)
    return None if np.isneginf(total) else log_weights - total


def _ends(values: np.ndarray, logs: np.ndarray) -> str:
    """The least and the most value with a probability, in words."""
    possible = values[logs > -np.inf]
    return str(possible[0]) if len(possible) == 1 else f"from {possible[0]} to {possible[-1]}"
