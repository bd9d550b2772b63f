"""How fine what was counted is read, what counting in bins costs, and where windows are best placed anew.

A bin's values are taken to be equally probable, which makes an entropy too large: by w^2/(24 sd^2 ln 2) bits for a normal
law in bins of width w. Other laws may have narrow peaks, so the cost is not assumed but measured, from what is lost when
neighbouring bins are joined: about four times as much each time. Narrow bins cost draws, as each is a probability to be
estimated: bins are read as wide as they can be at no cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit
from ..lines.weights import Weights
from .windows import Windows, empty_windows, joined

LEVELS = 12
"""How often neighbouring bins are joined at most."""
PARTS = 8.0
"""Bins are at most one such part of a standard deviation wide."""
FREE = 0.001
"""Bits that joining bins may cost."""
REACH, LEAST_REACH = 8.0, 4.0
"""Standard deviations on either side for which windows are placed, where there are counters enough and where not."""
_LN2 = float(np.log(2.0))


class Reading(NamedTuple):
    """What all chains counted, in bins that are no finer than they need to be."""

    windows: Windows
    excess: np.ndarray
    """Of each question the bits by which its bins make its entropy too large."""
    doubt: np.ndarray
    """How much of that is an estimate."""


def read(
    windows: Windows,
    weights: Weights,
    upper: np.ndarray,
    effective: np.ndarray,
    deviation: np.ndarray,
    stride: np.ndarray,
    one_value: np.ndarray,
) -> Reading:
    """Join bins where that costs nothing, and measure what the bins cost.

    `upper` are the greatest values of the questions, `effective` their effective draws, `deviation` their standard
    deviations, `stride` is what all differences of a question's values are multiples of, and `one_value` is one of these.
    """
    excess, doubt = np.zeros(len(windows.start)), np.zeros(len(windows.start))
    wide = np.flatnonzero(windows.shift > 0)
    if not len(wide):
        return Reading(windows, excess, doubt)
    bits, seen = np.zeros((len(wide), LEVELS)), np.ones((len(wide), LEVELS), dtype=np.int64)
    unmet = np.zeros((len(wide), LEVELS))
    draws = np.where(np.isfinite(effective[wide]), np.maximum(effective[wide], 1.0), 1e18)
    spread, width = deviation[wide], np.ldexp(1.0, windows.shift[wide].astype(np.int32))
    _by_levels(windows, wide, np.maximum(stride, 1), one_value, bits, unmet, seen)
    bits += (seen - 1) / (2.0 * _LN2 * draws[:, None])  # Miller-Madow: few draws make an entropy too small
    listed = _listed_from(weights, wide)
    level = np.zeros(len(wide), dtype=np.int64)
    for joins in range(1, LEVELS):
        able = (level == joins - 1) & (width * 2.0**joins <= spread / PARTS) & (listed < 0)
        level[able & (np.abs(bits[:, joins] - bits[:, 0]) <= FREE)] = joins
    measured = np.maximum(bits[:, 1] - bits[:, 0], 0.0) / 3.0
    # Where all that was counted is in one or two bins, joining them tells nothing: then at least as of a normal law.
    parts = np.divide(width, spread, out=np.full(len(wide), np.inf), where=spread > 0)
    normal = np.minimum(parts**2 / (24.0 * _LN2), windows.shift[wide])
    doubt[wide] = np.where(parts > 2.0 / PARTS, np.maximum(measured, normal), measured)
    doubt[wide] += bits[np.arange(len(wide)), level] - bits[:, 0]
    excess[wide] = doubt[wide] + unmet[np.arange(len(wide)), level]
    for k in np.flatnonzero(listed >= 0):
        gaps, uneven = _unevenness(windows, int(wide[k]), weights, int(upper[wide[k]]))
        excess[wide[k]] += gaps + uneven
        doubt[wide[k]] += uneven
    return Reading(joined(windows, wide, windows.shift[wide] + level), excess, np.abs(doubt))


def _listed_from(weights: Weights, questions: np.ndarray) -> np.ndarray:
    """Where the listed weights of some questions begin; -1 for those that have none, such as sums, or a smooth formula."""
    begins = np.full(len(questions), -1, dtype=np.int64)
    columns = questions < len(weights.start)
    smooth = weights.tail[questions[columns], 0] != 0
    begins[columns] = np.where(smooth, -1, weights.start[questions[columns]])
    return begins


@jit
def _by_levels(
    windows: Windows,
    questions: np.ndarray,
    stride: np.ndarray,
    one_value: np.ndarray,
    bits: np.ndarray,
    unmet: np.ndarray,
    seen: np.ndarray,
) -> None:
    """Write the entropy of some questions, and how many bins were seen, after joining neighbours so many times.

    The values of a bin that can be met are taken to be equally probable; `unmet` is by how much more the entropy would be if
    all were.
    """
    scratch = np.zeros(int(windows.size.max()) + 1)
    for i in range(len(questions)):
        q = questions[i]
        size, count, total, most = windows.size[q], 0.0, 0.0, 0.0
        for k in range(size):
            count += windows.counters[windows.start[q] + k]
            scratch[k] = max(count, 0.0)
            total += scratch[k]
            most = max(most, count)
        first = windows.origin[q] >> windows.shift[q]
        for level in range(bits.shape[1]):
            entropy, number, bits_inside = 0.0, 0, 0.0
            width = 1 << (windows.shift[q] + level)
            for k in range(size):
                if scratch[k] > 1e-9 * most:
                    share = scratch[k] / total
                    entropy -= share * np.log2(share)
                    number += 1
                    begin = (first + k) * width - one_value[q]
                    met = (begin + width - 1) // stride[q] - (begin - 1) // stride[q]
                    bits_inside += share * np.log2(float(max(met, 1)))
            bits[i, level] = entropy + bits_inside
            unmet[i, level] = windows.shift[q] + level - bits_inside
            seen[i, level] = max(number, 1)
            # join those that lie in the same bin of twice the width, wherever the window begins
            odd, last = first & 1, 0
            for k in range(size):
                place = (k + odd) >> 1
                if k > 0 and place == last:
                    scratch[place] += scratch[k]
                else:
                    scratch[place] = scratch[k]
                last = place
            first, size = first >> 1, last + 1


@jit
def _unevenness(windows: Windows, q: int, weights: Weights, last: int) -> tuple[float, float]:
    """By how many bits an entropy is smaller than that of even bins: for values that are excluded, and for values that weigh
    otherwise than their neighbours.

    Inside a bin a value is as probable as it is weighed, but for an even slope: what the other cells leave to it changes
    slowly, and makes up for the slope of its own weights.
    """
    width = 1 << windows.shift[q]
    at, log_weight, step = np.empty(width, dtype=np.int64), np.empty(width), np.empty(width)
    count = total = gaps = uneven = 0.0
    for k in range(windows.size[q]):
        count += windows.counters[windows.start[q] + k]
        if count <= 1e-9 * windows.credits[q]:
            continue
        n = steps = 0
        begin = windows.origin[q] + k * width
        for value in range(max(begin, weights.first[q]), min(begin + width - 1, last) + 1):
            log_w = weights.value[weights.start[q] + value - weights.first[q]]
            if log_w > -np.inf:
                if n > 0 and at[n - 1] == value - 1:
                    step[steps] = log_w - log_weight[n - 1]
                    steps += 1
                at[n], log_weight[n] = value, log_w
                n += 1
        if n == 0:
            continue
        slope = np.median(step[:steps]) if steps > 0 else 0.0
        largest = -np.inf
        for i in range(n):
            log_weight[i] -= slope * (at[i] - begin)
            largest = max(largest, log_weight[i])
        mass = mean = 0.0
        for i in range(n):
            share = np.exp(log_weight[i] - largest)
            mass += share
            mean += share * (log_weight[i] - largest)
        bits_inside = (np.log(mass) - mean / mass) / np.log(2.0)
        gaps += count * (windows.shift[q] - np.log2(float(n)))
        uneven += count * max(np.log2(float(n)) - bits_inside, 0.0)
        total += count
    return (gaps / total, uneven / total) if total > 0.0 else (0.0, 0.0)


def where_the_mass_is(
    windows: Windows, mean: np.ndarray, deviation: np.ndarray, lower: np.ndarray, upper: np.ndarray, most: int
) -> Windows:
    """Empty windows; those of wide questions placed anew: about the mean, no farther than came up, as fine as can be."""
    origin, size, shift = windows.origin.copy(), windows.size.copy(), windows.shift.copy()
    wide = np.flatnonzero(shift > 0)
    if not len(wide):
        return empty_windows(origin, size, shift)
    reach = np.clip(most / (2 * PARTS), LEAST_REACH, REACH) * deviation[wide]
    ends = np.array([_seen_ends(windows, int(q)) for q in wide])
    beyond = (ends[:, 1] - ends[:, 0]) // 4 + 1
    low = np.maximum(np.maximum(mean[wide] - reach, ends[:, 0] - beyond), lower[wide]).astype(np.int64)
    high = np.minimum(np.minimum(mean[wide] + reach, ends[:, 1] + beyond), upper[wide]).astype(np.int64)
    high = np.maximum(high, low)
    room = most if most < 2 * PARTS * REACH * 2 else most // 2  # what comes up farther out finds counters, too
    finer = np.zeros(len(wide), dtype=np.int64)
    while True:
        begin = low >> finer << finer
        number = ((high - begin) >> finer) + 1
        over = number > room
        if not over.any():
            break
        finer += over
    origin[wide], size[wide], shift[wide] = begin, number, finer
    return empty_windows(origin, size, shift)


def _seen_ends(windows: Windows, q: int) -> tuple[int, int]:
    """The least and the greatest value of the bins in which anything was counted."""
    plain = np.cumsum(windows.counters[windows.start[q] : windows.start[q] + windows.size[q]])
    seen = np.flatnonzero(plain > 1e-9 * max(1.0, plain.max(initial=0.0)))
    first, last = (int(seen[0]), int(seen[-1])) if len(seen) else (0, int(windows.size[q]) - 1)
    origin, shift = int(windows.origin[q]), int(windows.shift[q])
    return origin + (first << shift), origin + ((last + 1) << shift) - 1
