"""The Bayesian snooper of Markov perturbation: what she believes who sees the published table and knows the method.

square    one square of four cells, exactly, as a frame over the values of its top-left cell (DFKPR01)
table     a whole table, whose squares share cells: an audit by the paths of steps that can have led to it

>>> import fiberwalk as fw
>>> fw.snooper.square([[3, 12], [15, 85]], theta=0.1)["posterior"].loc[2:4].round(3).to_dict()
{2: 0.112, 3: 0.605, 4: 0.218}
"""

from __future__ import annotations

from typing import Any

from .auditing import audit
from .base.errors import InputError
from .posterior.square import square
from .protect.as_published import as_protected
from .protect.perturbation.markov_perturbation import as_believed
from .release.release import Release
from .results.audit_result import Audit

__all__ = ["square", "table"]

ORDERS = ("given", "secret")


def table(
    published: Any,
    theta: Any = None,
    *,
    squares: Any = None,
    dims: Any = None,
    order: str | None = None,
    law: Any = "uniform",
    **options: Any,
) -> Audit:
    """What a snooper believes of a whole Markov-perturbed table, who may not know theta or the order of the steps.

    Perturbation is a path of steps within squares, and only the table at its end is published. The posterior of the true
    table sums over all paths that end there: the prior of the table where a path begins times the probability of its steps.
    Small tables are solved exactly; for larger ones Markov chains walk the hidden paths (data augmentation). `audit` does
    the same for a release of `markov_perturb`, with the theta and the order that it published.

    Parameters
    ----------
    published
        The published table, in any form; or a release from `markov_perturb` or `as_protected`, which knows its squares.
    theta
        A number; or the snooper's prior of it: a list of values that are equally probable, a mapping of value to
        probability, or a distribution of `scipy.stats` between 0 and 1 (taken at 40 points). With a release it may be left
        out: as published.
    squares, dims
        With a table: the squares, as for `markov_perturb`; every square of neighbouring categories when left out.
    order
        "given": the squares are listed in the order of the steps; "secret": she does not know the order, and every order is
        equally probable to her. Left out, it is as published with a release, and "secret" with a table.
    law, options
        As for `audit`: the prior of the true table; method, seed, tolerance, hidden_margins, progress...

    Returns
    -------
    Audit
        As from `audit`. Besides, `Audit.steps` tells of the steps, and `Audit.theta` what she learnt of theta.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.protect.markov_perturb([[3, 5, 1], [4, 2, 6]], theta=0.2, seed=1)
    >>> audit = fw.snooper.table(release, theta=[0.1, 0.2, 0.4], law="hypergeometric")
    >>> audit.theta["posterior"].round(3).to_dict()
    {0.1: 0.377, 0.2: 0.329, 0.4: 0.295}
    >>> audit.pmf(A="1", B="3").loc[1:5].round(3).to_dict()
    {1: 0.017, 2: 0.142, 3: 0.568, 4: 0.259, 5: 0.014}
    """
    if order is not None and order not in ORDERS:
        raise InputError(
            f"order={order!r}: 'given' where the squares are listed in the order of the steps, or 'secret'."
        )
    if not isinstance(published, Release):
        if theta is None:
            raise InputError("snooper.table(): say theta=, a number, or what is believed of it.")
        method = {"squares": "adjacent" if squares is None else squares, "dims": dims, "order": order or "secret"}
        return audit(as_protected(published, "markov_perturb", theta=theta, **method), law, **options)
    if squares is not None or dims is not None:
        raise InputError("snooper.table(): the release knows its squares; leave out squares= and dims=.")
    believed = as_believed(published, theta, None if order is None else order == "given")
    return audit(believed, law, **options)


def __dir__() -> list[str]:
    return sorted(__all__)
