"""The likelihood of a line of a table whose records moved within it, each by itself: as a whole, or cell by cell.

Let a record be worth a number that depends on its category, chosen so that the sum over the n records of a line tells how
many each category has. The likelihood of every such sum is evidence on that combination of cells, and is *exact*, as long as
the sums are few. A line of two categories is known by one of its cells, and may be longer. Of other lines each cell is taken
by itself: x of its records stayed each with the same probability, and each of the n - x others came with the mean
probability of the other categories, by their shares as far as the published ones tell them. A line of D cells has only D - 1
degrees of freedom, so that every cell counts as (D - 1) / D of a figure. That is a *cellwise approximation*.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...base.errors import TooLarge

MOST_NUMBERS = 1000
"""A line of three and more categories is taken as a whole where numbers below this tell all its lines; else cell by cell."""
MOST_PRODUCTS = 1_000_000
"""The most products of probabilities for a line of two categories, which is then exact."""
FEW_PRODUCTS = 50_000
"""The same for a cell of a longer line, which is not exact; with more, its published count is taken as normal."""
MOST_WEIGHTS = 100_000_000
"""The most log-weights that are kept for the lines of one table: 800 MB."""
TINY = 1e-300
"""The least probability of what is possible, even if floating point makes it 0."""
LEAST = 1e-15
"""No value that is possible counts for less than this part of the most probable: an approximation excludes nothing."""
ROUNDS = 200
"""Steps of the EM algorithm that estimates the true shares of the categories from the published ones."""


# --- a line as a whole -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=10_000)
def worths(records: int, categories: int, most: int = MOST_NUMBERS) -> tuple[int, ...] | None:
    """What a record of each category is worth, so that the sum over a line of so many records tells the line.

    The least such numbers, one after the other, the first being 0; None where a sum would not be below `most`.
    """
    if records >= most:
        return None
    chosen, sums, sizes, more = [0], np.zeros(1, np.int64), np.zeros(1, np.int64), np.arange(records + 1)
    while len(chosen) < categories:
        within = sizes[:, None] + more <= records
        for worth in range(chosen[-1] + 1, -(-most // records)):
            after = (sums[:, None] + more * worth)[within]
            if len(np.unique(after)) == len(after):
                break
        else:
            return None
        sums, sizes = after, (sizes[:, None] + more)[within]
        chosen.append(worth)
    return tuple(chosen)


class Lines:
    """The likelihood of lines under one matrix: tables of all lines by all lines, of as many records as are asked for."""

    def __init__(self, matrix: np.ndarray, most: int = MOST_NUMBERS) -> None:
        self.matrix, self.most = matrix, most
        self._tables: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def likelihood(self, published: np.ndarray) -> np.ndarray | None:
        """P(published line | true line) by the number that tells the true line: the sum of what its records are worth.

        Numbers that tell no line have none. Of two categories, the number is the first count. None where there are too many
        numbers.
        """
        n = int(published.sum())
        if len(published) == 2:
            figure, (stay, come) = int(published[0]), self.matrix[:, 0].tolist()
            if (n + 1) * (figure + 1) > MOST_PRODUCTS:
                return None
            chances = _two_ways(figure, n, stay, come, MOST_PRODUCTS)
            return np.where(_possible(figure, n, stay, np.array([come])), np.maximum(chances, TINY), 0.0)
        worth = worths(n, len(published), self.most)
        if worth is None:
            return None
        if n not in self._tables:
            self._tables[n] = _all_by_all(n, self.matrix, np.array(worth))
        numbers, chances = self._tables[n]
        by_number = np.zeros(int(numbers.max()) + 1)
        by_number[numbers] = chances[:, np.flatnonzero(numbers == published @ worth)[0]]
        return by_number


def _all_by_all(records: int, matrix: np.ndarray, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of all lines of so many records, and P(one is published | another is true), a row a true line.

    One record after the other: the first category that a true line has gives one of its records to any that is published.
    """
    single = np.eye(len(worth), dtype=np.int64)
    lines, numbers, chances = np.zeros((1, len(worth)), np.int64), np.zeros(1, np.int64), np.ones((1, 1))
    for _ in range(records):
        place = np.zeros(int(numbers.max()) + 1, np.int64)
        place[numbers] = np.arange(len(numbers))
        fewer = chances
        numbers, first = np.unique((numbers[:, None] + worth).ravel(), return_index=True)
        lines = (lines[:, None] + single).reshape(-1, len(worth))[first]
        giver = (lines > 0).argmax(axis=1)
        before = fewer[place[numbers - worth[giver]]]
        chances = np.zeros((len(lines), len(lines)))
        for category in range(len(worth)):
            has = np.flatnonzero(lines[:, category])
            chances[:, has] += matrix[giver, category][:, None] * before[:, place[numbers[has] - worth[category]]]
    return numbers, chances


# --- cell by cell ------------------------------------------------------------------------------------------------------


def shares_before(published: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The maximum-likelihood shares of the categories before PRAM, from what was published of all lines together (EM).

    None is taken to be less than half a record.
    """
    total = float(published.sum())
    shares = np.full(len(published), 1 / len(published))
    for _ in range(ROUNDS if total else 0):
        drawn = shares @ matrix
        shares = shares * (matrix @ np.divide(published / total, drawn, out=np.zeros_like(drawn), where=drawn > 0))
    shares = np.maximum(shares, 0.5 / max(total, 1.0))
    return np.asarray(shares / shares.sum())


class Cells:
    """The likelihood of single cells under one matrix, by the shares of the categories; each is worked out once."""

    def __init__(self, matrix: np.ndarray, shares: np.ndarray) -> None:
        self.matrix, self.shares = matrix, shares
        self._known: dict[tuple[int, int, int], tuple[int, np.ndarray]] = {}
        self._left = MOST_WEIGHTS

    def given(self, category: int, figure: int, n: int) -> tuple[int, np.ndarray]:
        """The first value that a cell may have, and log P(figure | value) from there on, times (D - 1) / D."""
        if (category, figure, n) not in self._known:
            self._left -= n + 1
            if self._left < 0:
                raise TooLarge(
                    f"pram(): the counts that the published lines leave possible are more than {MOST_WEIGHTS:,} in all; "
                    "publish a table with fewer cells."
                )
            self._known[category, figure, n] = self._worked_out(category, figure, n)
        return self._known[category, figure, n]

    def _worked_out(self, category: int, figure: int, n: int) -> tuple[int, np.ndarray]:
        many, stay = len(self.matrix), float(self.matrix[category, category])
        others = np.delete(np.arange(many), category)
        come = self.matrix[others, category]
        possible = _possible(figure, n, stay, come)
        if not possible.any():
            return 0, np.empty(0)
        mean = float(come @ self.shares[others] / self.shares[others].sum())
        chances = _two_ways(figure, n, stay, mean, FEW_PRODUCTS)
        chances = np.where(possible, np.maximum(chances, LEAST * chances[possible].max()), 0.0)
        first, last = np.flatnonzero(possible)[[0, -1]]
        with np.errstate(divide="ignore"):
            return int(first), (many - 1) / many * np.log(chances[first : last + 1])


def _possible(figure: int, n: int, stay: float, come: np.ndarray) -> np.ndarray:
    """Which true values of a cell a published one does not exclude: of x records and n - x others, the fewest and most."""
    x = np.arange(n + 1)
    fewest = x * (stay == 1) + (n - x) * bool((come == 1).all())
    most = x * (stay > 0) + (n - x) * bool((come > 0).any())
    return np.asarray((fewest <= figure) & (figure <= most))


def _two_ways(figure: int, n: int, stay: float, come: float, most: int) -> np.ndarray:
    """P(figure | x) for x = 0..n: a binomial number of x records stayed, and one of the n - x others came.

    Where more than `most` probabilities would have to be multiplied, their sum is taken as normal.
    """
    x = np.arange(n + 1)
    if (n + 1) * (figure + 1) > most:
        variance = x * stay * (1 - stay) + (n - x) * come * (1 - come) + 1 / 12
        away = (figure - x * stay - (n - x) * come) ** 2 / variance
        return np.asarray(np.exp(-(away - away.min()) / 2) / np.sqrt(variance))
    number = np.arange(figure + 1)
    stayed, came = _binomial(number, x, stay), _binomial(number, x, come)
    return np.asarray((stayed * came[::-1, ::-1]).sum(axis=1))


def _binomial(number: np.ndarray, records: np.ndarray, chance: float) -> np.ndarray:
    """How probable each number is among so many records, a row for each number of records."""
    from scipy.special import gammaln, xlog1py, xlogy

    log_factorials = gammaln(np.arange(len(records)) + 1.0)
    others = records[:, None] - number
    ways = log_factorials[records][:, None] - gammaln(number + 1.0) - log_factorials[others]
    logs = ways + xlogy(number, chance) + xlog1py(np.maximum(others, 0), -chance)
    return np.where(others >= 0, np.exp(np.minimum(logs, 0.0)), 0.0)
