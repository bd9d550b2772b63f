"""How kernels take turns: by what their draws cost, and how quickly they move every cell."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from fiberwalk.sampler.chains.tuning import PIECES, Turns, effective_rates, in_short, race


@pytest.mark.parametrize(
    ("draws", "most", "expected"),
    [
        ((3, 5), 100, (3, 5)),
        ((60, 40), 100, (60, 40)),
        ((600, 400), 100, (60, 40)),
        ((4000, 3), 100, (99, 0)),  # the second has less than one draw of a hundred
        ((5, 5, 5), 2, (1, 1, 1)),  # all have less than one
    ],
)
def test_a_trial_sees_a_whole_round(draws, most, expected):
    turns = Turns(draws, (1, 7, 1)[: len(draws)])
    assert in_short(turns, most) == Turns(expected, turns.stretch)


@dataclass
class Pretended:
    """A trial in which every cell keeps a share of its deviation from one draw to the next, as often as it is told."""

    kept: np.ndarray
    rng: np.random.Generator
    cost: float = 1000.0
    begin: tuple[float, ...] = (0.0, 0.0)
    steps: list[int] = field(default_factory=list)
    piece: int = 0

    @property
    def draws(self) -> int:
        return PIECES * self.piece

    def go_on(self, draws: int) -> None:
        self.piece = draws // PIECES
        self.steps.append(draws)
        parts = [self._walk(begin, PIECES // len(self.begin)) for begin in self.begin]
        seen = np.concatenate(parts)
        self.means, self.squares = seen.mean(axis=1), (seen**2).mean(axis=1)

    def _walk(self, begin: float, pieces: int) -> np.ndarray:
        """[piece, draw, cell]; a cell that keeps everything stays where it began, the others vary around nought by one."""
        noise = self.rng.normal(size=(pieces * self.piece, len(self.kept))) * np.sqrt(1 - self.kept**2)
        values = np.empty_like(noise)
        now = np.where(self.kept == 1.0, begin, self.rng.normal(size=len(self.kept)))
        for k, new in enumerate(noise):
            values[k] = now = self.kept * now + new
        return values.reshape(pieces, self.piece, -1)


def test_rates_are_those_of_the_effective_draws():
    kept = np.repeat([0.0, 0.5, 0.8, 0.9], 50)
    trial = Pretended(kept, np.random.default_rng(1))
    trial.go_on(1 << 13)
    found = (1.0 / effective_rates([trial])).reshape(4, 50).mean(axis=1)
    assert found == pytest.approx([(1 + phi) / (1 - phi) for phi in (0.0, 0.5, 0.8, 0.9)], rel=0.25)


def test_a_way_that_stays_where_it_began_is_the_slowest_of_all():
    """The negative control: from one start alone it would be left out, as a cell that nobody moved."""
    rng = np.random.default_rng(2)
    moving, stuck = Pretended(np.full(20, 0.9), rng), Pretended(np.ones(20), rng, begin=(-1.0, 1.0))
    for trial in (moving, stuck):
        trial.go_on(1 << 10)
    quick, slow = effective_rates([moving, stuck])
    assert slow.max() < quick.min()
    alone = Pretended(np.ones(20), rng, begin=(1.0,))
    alone.go_on(1 << 10)
    assert effective_rates([alone]).size == 0


def test_the_slowest_cells_decide_the_race():
    """One way is quick for all cells but a few, the other middling for all: a run ends with the few."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        uneven = Pretended(np.array([0.2] * 45 + [0.995] * 5), rng)
        even = Pretended(np.full(50, 0.9), rng)
        others = [Pretended(np.full(50, 0.98), rng) for _ in range(4)]
        assert race([uneven, *others, even]) is even


def test_a_race_goes_on_until_enough_was_seen_of_the_slowest_cells_and_no_longer():
    rng = np.random.default_rng(3)
    quick = [Pretended(np.full(10, 0.1), rng, cost=2e5) for _ in range(4)]
    race(quick)
    assert [len(trial.steps) for trial in quick] == [1] * 4
    slow = [Pretended(np.full(10, phi), rng, cost=2e5) for phi in (0.9, 0.99, 0.99, 0.99)]
    assert race(slow) is slow[0]
    assert sorted(len(trial.steps) for trial in slow) == [1, 1, 2, 2]
    assert slow[0].steps[1] == 4 * slow[0].steps[0]  # and then the better of two is known, as well as it can be


def test_ways_that_move_nothing_do_not_race_for_ever():
    trials = [Pretended(np.ones(5), np.random.default_rng(4), begin=(0.0,)) for _ in range(3)]
    assert race(trials) is trials[0]
