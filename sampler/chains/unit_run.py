"""The chains of one unit: what was counted, how it is judged at a look, and whether to go on.

A look comes when batches are full, so at 1,024, 2,048, 4,096, ... draws, and in between where errors are foreseen to be
small enough. Chains that do not yet agree are still on their way from their starts: all that they noted is discarded
(burn-in), and the count begins anew. The answer is good enough when it passes the rule, and again after an eighth more
draws: of many looks some come at moments at which errors are underestimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import InputError
from ...base.plain_file import Damaged
from ..kernels.ladder.trips import TRIPS, TRIPS_EACH, crossed, round_trips
from ..tallies.resolution import PARTS, Reading, read, where_the_mass_is
from ..tallies.spread import ShareErrors, share_errors
from ..tallies.windows import Windows, add_to, cover, entropies, first_windows, log_densities, plain_counts
from .chain import Chain, Reference
from .chain_state import checked, state_of, whole_number, windows_of, windows_state
from .chain_state import restore as restore_chain
from .diagnostics import LARGEST_RHAT, LEAST_DRAWS, Batches, Counted, Diagnosis, diagnose, effective_draws, good_enough
from .settings import BATCHES, ChainSettings
from .unit import Unit

APART = 1.1
"""Chains with a larger R-hat have not yet forgotten where they started."""
COARSE, MOST_PLACED = 0.1, 8
"""What bins may cost, as a share of the tolerance, before windows are placed anew; and how often that is done."""
CONFIRMED = 1.125
"""Times the draws of a look that was good after which it must be so again."""
AHEAD = 1.02
"""The next look comes at so many times the draws that are foreseen to be enough."""
FEWEST_BATCHES = 16
"""Batches of a chain from which a variance is told."""
COARSEST = 2.0
"""Times by which bins of surprisals may be wider than those in which entropies are read."""
PATIENT, HOPELESS = 1 << 20, 16.0
"""Without a limit, chains that have made PATIENT draws are given up if they would need more than HOPELESS times as many."""
USUAL_VARENTROPY = 1.0
"""Of -log2 p(x), in bits squared: that of a normal law, about."""

COUNTED = ("good_looks", "good_since", "to_look", "epochs", "discarded", "placed", "looked_at", "made_then", "untold")
DECIDED = ("warm", "finished")
TUNED_OTHERWISE = (
    "the checkpoint was begun on a machine where the same chains were tuned otherwise (another processor, perhaps): finish "
    "it there, or begin anew with another file."
)


@dataclass(eq=False)
class UnitRun:
    """Where the chains of one unit stand."""

    unit: Unit
    chains: list[Chain]
    joint: Sequence[Sequence[int]] = ()
    """Groups of the unit's questions that are counted together."""
    reference: Reference | None = None
    pooled: Windows | None = None
    diagnosis: Diagnosis | None = None
    share_errors: ShareErrors | None = None
    good_looks: int = 0
    """2: the answer is good enough."""
    good_since: int = 0
    """The draws at the first of the looks in a row that were good."""
    to_look: int = BATCHES
    """Batches until the next look."""
    epochs: int = 0
    """How many have begun."""
    discarded: int = 0
    warm: bool = False
    """Are the first draws, which depend on where chains started, discarded (burn-in)?"""
    looked_at: int = 0
    """Draws of each chain that the last look was at; `joint_looked_at`: its joint shares, if discarded after it."""
    joint_looked_at: tuple[np.ndarray, ...] = ()
    placed: int = 0
    """How often windows were placed anew because they were too coarse."""
    made_then: int = 0
    """All draws of one chain at the last look."""
    finished: bool = False
    untold: int = 0
    """Draws of one chain, the first that count, of which no surprisals are known: there was no fine reference yet."""

    @property
    def draws(self) -> int:
        """Draws of one chain that count."""
        return self.chains[0].batch * self.chains[0].length

    @property
    def made(self) -> int:
        """Draws of one chain in all."""
        return self.discarded + self.draws

    @property
    def certificate(self) -> Certificate:
        """The unit's, with what chains showed of separate peaks."""
        return crossed(self.unit.certificate, self.unit.kernels[0], self._rooms)

    @property
    def _rooms(self) -> list[Any]:
        """Of the first kernel, one of each chain."""
        return [chain.rooms[0] for chain in self.chains]

    def joint_shares(self) -> tuple[np.ndarray, ...]:
        """How often each combination of values of a group came up, from the lower bounds on."""
        lower, upper = self.unit.question_bounds()
        counts = np.sum([chain.tally.joint_counts for chain in self.chains], axis=0)
        shares = []
        for k, group in enumerate(self.joint):
            first = self.chains[0].tally.joint_first[k : k + 2]
            shape = [int(upper[question] - lower[question] + 1) for question in group]
            group_counts = counts[first[0] : first[1]].reshape(shape)
            shares.append(group_counts / max(1, group_counts.sum()))
        return tuple(shares)

    def state(self) -> dict[str, Any]:
        """What changed up to the last look."""
        diagnosis, errors, reference = self.diagnosis, self.share_errors, self.reference
        return {
            "tuned": self.unit.digest(),
            **{name: getattr(self, name) for name in (*COUNTED, *DECIDED)},
            "chains": [state_of(self.unit, chain) for chain in self.chains],
            "reference": None
            if reference is None
            else (windows_state(reference.windows), reference.logs, reference.epoch),
            "pooled": windows_state(self.pooled),
            "diagnosis": None
            if diagnosis is None
            else tuple(getattr(diagnosis, entry.name) for entry in fields(diagnosis)),
            "share_errors": None
            if errors is None
            else (windows_state(errors.windows), errors.variance, errors.variance_up_to, errors.growth),
            "joint_looked_at": self.joint_looked_at,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        if state["tuned"] != self.unit.digest():
            raise InputError(TUNED_OTHERWISE)
        n_questions = self.unit.n_questions

        def windows(arrays: Any) -> Windows | None:
            return None if arrays is None else windows_of(arrays, n_questions)

        for name in COUNTED:
            setattr(self, name, whole_number(state[name], 0))
        for name in DECIDED:
            setattr(self, name, bool(state[name]))
        if not 1 <= self.to_look <= BATCHES:
            raise Damaged
        self.reference = None
        if state["reference"] is not None:
            arrays, logs, epoch = state["reference"]
            self.reference = Reference(
                windows_of(arrays, n_questions), checked(logs, arrays[4].shape), whole_number(epoch, 1, self.epochs)
            )
        first = self.chains[0]
        for chain, saved in zip(self.chains, state["chains"], strict=True):
            restore_chain(self.unit, chain, saved, self.reference)
            alike = (chain.batch, chain.length, chain.epoch, chain.epoch_began)
            if alike != (first.batch, first.length, first.epoch, first.epoch_began) or chain.epoch_began > chain.batch:
                raise Damaged
        self.pooled = windows(state["pooled"])
        shapes = [shares.shape for shares in self.joint_shares()] if state["joint_looked_at"] else []
        self.joint_looked_at = tuple(map(checked, state["joint_looked_at"], shapes))
        self.diagnosis = self.share_errors = None
        if state["diagnosis"] is not None:
            kinds = [bool if entry.name in ("exact", "never_moved") else float for entry in fields(Diagnosis)]
            arrays_and_kinds = zip(state["diagnosis"], kinds, strict=True)
            self.diagnosis = Diagnosis(*(checked(array, (n_questions,), kind) for array, kind in arrays_and_kinds))
        if state["share_errors"] is not None:
            arrays, variance, up_to, growth = state["share_errors"]
            self.share_errors = ShareErrors(
                windows_of(arrays, n_questions),
                checked(variance, variance.shape[:1]),
                checked(up_to, variance.shape[:1]),
                checked(growth, (n_questions,)),
            )

    def reopen(self, settings: ChainSettings) -> bool:
        """Go on to another look, although this one was good enough; False where there are no draws left for it."""
        self.finished = self._at_the_end(settings)
        return not self.finished

    def _at_the_end(self, settings: ChainSettings) -> bool:
        """Is the limit of draws reached? Where there is none: would chains need far too many more?"""
        if settings.max_draws is not None:
            return self.made >= settings.max_draws
        return self.made >= PATIENT and self.times_needed(settings.tolerance) > HOPELESS

    def times_needed(self, tolerance: float) -> float:
        """How many times as many draws the stop rule wants, if errors go on shrinking as they should."""
        if self.diagnosis is None or not self.draws:
            return 1.0
        open_columns, diagnosis = ~self.diagnosis.exact, self.diagnosis
        if not open_columns.any():
            return 1.0
        ess, rhat = float(diagnosis.ess[open_columns].min()), float(diagnosis.rhat[open_columns].max())
        error = float(diagnosis.entropy_error[open_columns].max())
        if self.reference is None:  # at a first look the error is known only from the effective draws
            error = float(np.sqrt(USUAL_VARENTROPY / max(ess, 1.0)))
        further = (rhat**2 - 1.0) / (LARGEST_RHAT**2 - 1.0) if np.isfinite(rhat) else np.inf
        return max((3.0 * error / tolerance) ** 2, LEAST_DRAWS / max(ess, 1.0), further, self.trips_needed, 1.0)

    @property
    def trips_needed(self) -> float:
        """How many times as many trips between separate peaks the stop rule wants; at most 1 where there are enough."""
        trips = round_trips(self.unit.kernels[0], self._rooms)
        if trips is None:
            return 0.0
        return max(TRIPS / max(float(trips.sum()), 0.5), TRIPS_EACH / max(float(trips.min()), 0.5))

    @property
    def due(self) -> bool:
        """Is there something to look at? What was looked at already must not count as a second look."""
        return not self.finished and self.chains[0].batch > 1 and self.made != self.made_then

    def look(self, settings: ChainSettings, last: bool = False) -> None:
        """Judge the chains at the end of a batch; decide whether to go on, and unless it is the last look, from where."""
        tolerance = settings.tolerance
        counted, batches = self._counted(), self._batches()
        pooled, excess, doubt = self._read(counted, batches.sums, batches.squares)
        diagnosis = self._judged(pooled, batches)
        error = np.hypot(diagnosis.entropy_error, np.where(diagnosis.exact, 0.0, doubt))
        error[self.unit.aside] = 0.0
        self.diagnosis = diagnosis = replace(diagnosis, entropy_error=error, excess=excess)
        self.pooled, self.looked_at, self.made_then = pooled, self.draws, self.made
        full = self.chains[0].batch == BATCHES
        if not full and self.reference is None and self.warm and not last:
            self._begin_epoch(pooled)
            self.untold = self.draws
            self._plan(settings)
            return
        if not full and (last or self.reference is None):
            return
        apart = diagnosis.rhat[~diagnosis.exact].max(initial=0.0) > APART
        self._count_looks(not apart and good_enough(diagnosis, tolerance) and self.trips_needed <= 1.0)
        if self.good_looks >= 2 or self._at_the_end(settings):
            self.finished = True
        if full:
            self._begin_epoch(pooled)
            if not self.finished and not last:
                windows, centre = self._placed_anew(counted, batches.sums, batches.squares)
                finer = windows.shift < counted.shift
                coarse = bool((finer & (doubt > tolerance * COARSE)).any()) and self.placed < MOST_PLACED
                if apart or coarse or not self.warm:
                    self.placed += coarse
                    told = not self._too_coarse(counted, batches)[finer].any()
                    self._forget(windows, centre, 2 if apart else 1)
                    self.reference = self.reference if told else None
        self._plan(settings)

    def _count_looks(self, good: bool) -> None:
        """A look that is good counts as the second where the first was long enough ago."""
        if not good:
            self.good_looks = 0
        elif self.good_looks == 0:
            self.good_looks, self.good_since = 1, self.draws
        elif self.draws >= CONFIRMED * self.good_since:
            self.good_looks = 2

    def _begin_epoch(self, pooled: Windows) -> None:
        """What was counted is the reference from now on. Surprisals that are told by different references are not to be
        compared: those of an epoch are kept as deviations from its mean."""
        for chain, centred in zip(self.chains, self._centred(), strict=True):
            chain.surprise[: chain.batch] = centred
        logs = np.zeros(len(pooled.counters))
        log_densities(pooled, logs)
        self.epochs += 1
        self.reference = Reference(pooled, logs, self.epochs)

    def _centred(self) -> np.ndarray:
        """[chain, batch, question]: surprisals of all batches, those of the present epoch less their mean."""
        began, batch = self.chains[0].epoch_began, self.chains[0].batch
        surprise = np.stack([chain.surprise[:batch] for chain in self.chains])
        surprise[:, began:] -= surprise[:, began:].mean(axis=(0, 1))
        return surprise

    def _forget(self, windows: Windows, centre: np.ndarray, longer: int) -> None:
        """Discard all that was noted (burn-in); batches are so many times longer from now on."""
        self.discarded, self.joint_looked_at, self.warm = self.made, self.joint_shares(), True
        self.good_looks = self.untold = 0
        for chain in self.chains:
            chain.forget(windows, centre)
            chain.length *= longer

    def _too_coarse(self, counted: Windows, batches: Batches) -> np.ndarray:
        """Questions whose bins are so wide that what is surprising does not show in them: errors would seem too small."""
        _, deviation = self._moments(batches.sums, batches.squares)
        return np.ldexp(1.0, counted.shift.astype(np.int32)) > deviation * (COARSEST / PARTS)

    def _plan(self, settings: ChainSettings) -> None:
        """The next look comes when errors are foreseen to be small enough, or when batches are full."""
        batch, length = self.chains[0].batch, self.chains[0].length
        if batch == BATCHES:
            batch, length = batch // 2, 2 * length
        times = AHEAD * self.times_needed(settings.tolerance)
        wanted = CONFIRMED * self.good_since if self.good_looks else times * self.draws
        batches = int(min(np.ceil(wanted / length), BATCHES)) - batch if self.draws else BATCHES
        batches += batches % 2
        if settings.max_draws is not None:
            batches = min(batches, -(-(settings.max_draws - self.made) // length))
        if self.warm and self.reference is None:
            batches = min(batches, FEWEST_BATCHES)
        self.to_look = int(np.clip(batches, 1 if self.finished else 2, BATCHES - batch))

    def _counted(self) -> Windows:
        """What all chains have counted together."""
        values = self.chains[0].tally.windows.origin
        pooled = first_windows(values, values, values)
        for chain in self.chains:
            pooled = cover(pooled, chain.tally.windows, chain.most)
            add_to(pooled, chain.tally.windows)
        return pooled

    def _batches(self) -> Batches:
        """The latest draws in an even number of batches: halves are compared."""
        chains, batch = self.chains, self.chains[0].batch
        even = batch - batch % 2
        sums = np.stack([chain.sums[batch - even : batch] for chain in chains])
        squares = np.stack([chain.squares[batch - even : batch] for chain in chains])
        return Batches(sums, squares, chains[0].length)

    def _judged(self, pooled: Windows, batches: Batches) -> Diagnosis:
        """Diagnose the chains by their batches and by what they have counted."""
        chains, unit, n_questions = self.chains, self.unit, self.unit.n_questions
        batch, length = chains[0].batch, batches.length
        bits, seen = np.zeros(n_questions), np.zeros(n_questions, dtype=np.int64)
        entropies(pooled, bits, seen)
        starts, counts = np.zeros(n_questions, dtype=np.int64), np.zeros(int(pooled.size.sum()))
        plain_counts(pooled, starts, counts)
        lower, upper = unit.question_bounds()
        told = batch + -self.untold // length
        before, used = self.diagnosis, min(batches.sums.shape[1], told - told % 2)
        complete = self.reference is not None and told >= FEWEST_BATCHES
        if complete:
            self._note_share_errors()
        counted = Counted(seen.astype(float), len(chains) * batch * length, (counts, starts))
        if complete:
            counted = counted._replace(
                surprise=self._centred()[:, batch - used :],
                means=np.stack([chain.means[batch - used : batch] for chain in chains]),
                curvature=None if self.share_errors is None else self.share_errors.curvature(pooled),
            )
        diagnosis = diagnose(batches, lower < upper, counted)
        if self.share_errors is not None and complete:
            self.share_errors = replace(self.share_errors, growth=diagnosis.growth)
        if not complete and before is not None and self.draws >= self.looked_at:
            # Stopped too early to tell: more draws have made no error larger.
            return replace(
                diagnosis, entropy_error=before.entropy_error, mean_error=before.mean_error, growth=before.growth
            )
        return diagnosis

    def _note_share_errors(self) -> None:
        """What the batches of this epoch show of how shares vary; as long as they are few, what those of the last showed."""
        assert self.reference is not None
        first = self.chains[0]
        noted = share_errors(
            self.reference.windows,
            [chain.spread for chain in self.chains],
            (first.batch - first.epoch_began) / first.batch,
        )
        if noted is not None:
            self.share_errors = noted
        elif self.share_errors is not None:
            self.share_errors = self.share_errors.with_draws(max(1.0, self.draws / max(1, self.looked_at)))

    def _read(self, counted: Windows, sums: np.ndarray, squares: np.ndarray) -> Reading:
        """What was counted in bins as wide as they may be; exact values stay as they are."""
        stride = np.gcd.reduce([chain.stride for chain in self.chains], axis=0)
        effective = np.zeros(len(stride))
        if counted.shift.any():
            effective = effective_draws(sums, squares, self.chains[0].length)
        _, deviation = self._moments(sums, squares)
        unit = self.unit
        upper = unit.question_bounds()[1]
        return read(counted, unit.weights, upper, effective, deviation, stride, unit.first_values())

    def _placed_anew(self, counted: Windows, sums: np.ndarray, squares: np.ndarray) -> tuple[Windows, np.ndarray]:
        """Empty windows where the newer half of the draws was, and the middle of these."""
        late = slice(sums.shape[1] // 2, None)
        mean, deviation = self._moments(sums[:, late], squares[:, late])
        bounds = self.unit.question_bounds()
        return where_the_mass_is(counted, mean, deviation, *bounds, self.chains[0].most), np.rint(mean)

    def _moments(self, sums: np.ndarray, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation of all questions in some batches."""
        draws = sums.shape[0] * sums.shape[1] * self.chains[0].length
        mean = sums.sum(axis=(0, 1)) / draws
        variance = np.maximum(squares.sum(axis=(0, 1)) / draws - mean**2, 0.0)
        return self.chains[0].tally.centre + mean, np.sqrt(variance)
