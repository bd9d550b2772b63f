"""What the agency says of an auditor: which cells it watches, what is believed of them, and what is a breach."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.numbers import check_whole, is_number

REFUSED = "together with earlier answers, an answer to this request might tell too much"
"""The one notice of all refusals by an auditor."""
LEAST_PRIOR = 0.01
"""A predicate that was less probable beforehand is watched for becoming probable, not for becoming impossible."""
TAIL = 1e-6
"""Of a Poisson count, what may lie beyond the largest that is reckoned with."""


@dataclass(frozen=True, kw_only=True)
class Auditor:
    """Refuse requests whose answer might tell too much together with all earlier answers (Kenthapadi, Mishra, Nissim 2005).

    Before an answer is given, tables are drawn from all that the earlier answers, of all users, leave possible; what the
    server would have answered if each were the true one is looked at. It is a breach where the probability of a predicate of
    a cell, such as "exactly one person", becomes less than `least_ratio` of what it was before any answer, or more than its
    inverse. Where that is too probable, the request is refused.

    What is guaranteed: a refusal tells nothing. It follows from these parameters, from labels, from the requests and from
    the answers that were given before, and anybody who has them can work it out; neither the true table nor the secret seed
    takes part. Asking the same again changes nothing, and neither does asking who has the figures already.

    Of all answers that are ever given, some one is a breach with a probability of at most about `breach_share`, if the truth
    is a draw of the prior. Every answer costs the estimated probability that it is a breach, and a request is refused that
    would cost more than half of what is left; so the first ones may cost most, and in the end nothing new is answered. (The
    paper shares the probability out evenly among a number of answers that is fixed beforehand: less is answered.)

    What is estimated: probabilities, by a pool of so many `draws` (sequential Monte Carlo). Where too few of them speak for
    an answer, it is taken for a breach.

    Requests of which a figure sums watched cells and others besides are refused, and so are those that choose labels of a
    dim that they show. The auditor goes with counts by `random_round`, `perturb` or `add_noise`, zeros kept, and without
    rules about figures.

    Parameters
    ----------
    mu
        The expected count of each cell, known to everybody: one number for all, or a table of the cells that are watched,
        such as the last census. Beforehand counts are independent and Poisson with these means; 0 is an empty cell.
    filters
        Which cells are watched: {"region": "1"}, those with these labels; all when left out. Requests about other people
        only are none of its concern.
    at_most
        The largest count of a cell that is reckoned with; left out: beyond it is less than one in a million.
    predicates
        Sets of counts: [[1], [2]] watches whether a cell has one person, and whether it has two.
    least_ratio
        Of the probability of a predicate after an answer to that before any answer; at most, its inverse. Predicates that
        had less than 1% beforehand may become less probable.
    breach_share
        How probable it may be that any of all answers is a breach.
    draws
        Tables in the pool. With more of them less is refused because too few, under 100 in effect, speak for an answer.
    imagined
        How many of them are asked what the answer would have been: each answer with something new costs at least one of so
        many, and so fewer than imagined * breach_share are given.
    sweeps
        Steps that every table of the pool makes after each figure, for each cell.
    budget
        The most steps in all; a request that would take more is refused.
    seed
        From which the random numbers of the auditor follow. It is no secret, and not that of the server.

    Examples
    --------
    >>> import fiberwalk as fw, numpy as np
    >>> auditor = fw.server.Auditor(mu=1, predicates=[[1, 2]])
    >>> server = fw.server.TableServer(np.ones((4, 3, 2), dtype=int), mechanism="random_round", parameters={"base": 3},
    ...                                auditor=auditor, seed=4711)
    >>> server.tabulate("C").released, server.tabulate("A,B,C").released
    (True, False)
    """

    mu: Any
    filters: Mapping[str, Any] | None = None
    at_most: int | None = None
    predicates: Sequence[Sequence[int]] = ((1,), (2,))
    least_ratio: float = 0.1
    breach_share: float = 0.05
    draws: int = 30_000
    imagined: int = 1000
    sweeps: int = 2
    budget: int = 1_000_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        whole = {name: getattr(self, name) for name in ("draws", "imagined", "sweeps", "budget")}
        check_whole(**whole)
        if self.at_most is not None:
            check_whole(at_most=self.at_most)
        if self.imagined > self.draws:
            raise InputError(f"imagined={self.imagined}: at most as many as draws={self.draws}, each asked once.")
        if not is_number(self.least_ratio) or not 0 < self.least_ratio < 1:
            raise InputError(f"least_ratio={self.least_ratio!r}: a number above 0 and below 1.")
        if not is_number(self.breach_share) or not 0 <= self.breach_share < 1:
            raise InputError(f"breach_share={self.breach_share!r}: a share, from 0 to below 1.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"seed={self.seed!r}: a whole number of at least 0; it is no secret.")
        object.__setattr__(self, "predicates", _sets(self.predicates))

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Auditor:
        """An auditor from a TOML file: a line for each parameter.

        `mu` may name a CSV file beside it, whose last column is the expected count of the cell that the others name.

        Examples
        --------
        >>> import fiberwalk as fw, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "auditor.toml"
        >>> _ = path.write_text('mu = 1\\nbreach_share = 0.02\\nfilters = {region = "1"}\\n')
        >>> fw.server.Auditor.read(path).breach_share
        0.02
        """
        from ..setting_files import read_settings

        found = read_settings(path, [one.name for one in fields(Auditor)], "parameter", _not_of_a_file)
        if "mu" not in found:
            raise InputError(f"{os.fspath(path)}: an auditor needs mu, the expected count of each cell.")
        if isinstance(found["mu"], str):
            found["mu"] = _means(Path(path).parent / found["mu"])
        try:
            return Auditor(**found)
        except InputError as problem:
            raise InputError(f"{os.fspath(path)}: {problem}") from None

    @property
    def words(self) -> str:
        """What is refused, in a sentence."""
        shown = " or ".join("{" + ", ".join(map(str, counts)) + "}" for counts in self.predicates)
        where = "" if not self.filters else " with " + ", ".join(f"{dim}={of}" for dim, of in self.filters.items())
        return (
            f"an auditor refuses what might make it less than {self.least_ratio:g} or more than {1 / self.least_ratio:g} "
            f"times as probable as before that a cell{where} is in {shown}, so that any of all answers does with a "
            f"probability of at most {self.breach_share:g}; refusals tell nothing, probabilities are estimated by "
            f"{self.draws:,} draws"
        )


def _not_of_a_file(name: str, value: Any) -> str:
    """What a value of a file should be that no auditor can tell of."""
    if name == "mu" and not is_number(value) and not isinstance(value, str):
        return "a number, or the name of a CSV file of expected counts"
    if name == "filters" and not isinstance(value, dict):
        return 'a table of dims with their labels, {region = "1"}'
    return ""


def _means(path: Path) -> Any:
    """Expected counts, by the labels of their cells."""
    import pandas as pd

    from ...base.text_files import read_text

    read_text(path)  # says what is wrong with a file that cannot be read
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        *dims, last = frame.columns
        return frame.set_index(dims)[last].astype(float)
    except (ValueError, KeyError):
        raise InputError(f"{path}: a CSV file whose last column is a number, and whose others are dims.") from None


def _sets(predicates: Any) -> tuple[tuple[int, ...], ...]:
    """Predicates as sets of counts, or what is wrong with them."""
    listed = isinstance(predicates, Sequence) and not isinstance(predicates, str) and len(predicates) > 0
    for counts in predicates if listed else ():
        listed &= isinstance(counts, Sequence) and not isinstance(counts, str) and len(counts) > 0
    if not listed or not all(type(count) is int and count >= 0 for counts in predicates for count in counts):
        raise InputError(f"predicates={predicates!r}: a list of sets of counts, such as [[1], [2]].")
    return tuple(tuple(sorted(set(counts))) for counts in predicates)
