"""The hypergeometric law: how many good balls are among some that are drawn from an urn without replacement.

A 2 x 2 table of given margins has one free cell, and this is its law under prod 1/x!. Three methods, each the fastest in
its range: inversion (inverse transform) from 0 where a margin is small, inversion from the mode where the law is narrow
(both walk along the probabilities), and Stadlober's ratio of uniforms (HRUA, 1990), whose cost does not depend on the
spread.

Probabilities are computed as Loader (2000) does it: n! = sqrt(2 pi n) (n/e)^n exp(stirling_error(n)), and what is left of
the powers is a *deviance* of each count from its mean, which is small near the mode. So neither a logarithm nor the
difference of two large numbers is needed, and counts of 10^8 are as exact as small ones.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.jit import jit_inner, jit_lean
from ...base.random_streams import fraction

TABLED = 1024
"""Counts below this have their factorials in a table."""
SMALL = 14
"""Margins up to this are drawn by inversion from 0."""
NARROW, NARROW_BY_TABLE = 20.0, 5.0
"""Up to this variance a draw walks out from the mode; less far where a table of factorials makes trials cheap."""

HAT_SLOPE, HAT_SHIFT = 2.0 * math.sqrt(2.0 / math.e), 3.0 - 2.0 * math.sqrt(3.0 / math.e)
"""Stadlober's constants: a hat of half-width slope * sd + shift lies above every hypergeometric law."""
TWO_PI = 2.0 * math.pi
HALF_LOG_TWO_PI = 0.5 * math.log(TWO_PI)
NOTHING = 1e-18
"""A probability that is lost in rounding."""


def _stirling_errors(number: int) -> np.ndarray:
    """log n! - log(sqrt(2 pi n) (n/e)^n) for n = 0, 1, ...; the entry of 0 is not used."""
    errors = np.zeros(number)
    for n in range(number - 1, 0, -1):
        if n >= 32:
            errors[n] = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / n**2) / n**2) / n**2) / n
        else:
            errors[n] = errors[n + 1] + (n + 0.5) * math.log1p(1 / n) - 1
    return errors


_STIRLING_ERROR = _stirling_errors(TABLED)
_LOG_FACTORIAL = np.array([math.lgamma(n + 1) for n in range(TABLED)])


@jit_inner
def stirling_error(n: int) -> float:
    """What Stirling's formula lacks: log n! - log(sqrt(2 pi n) (n/e)^n), for n >= 1."""
    if n < TABLED:
        return float(_STIRLING_ERROR[n])
    inverse = 1.0 / n
    square = inverse * inverse
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0)))


@jit_lean
def log_factorial(n: int) -> float:
    """log n!, from a table or by Stirling's series, as exact as a double can be."""
    if n < TABLED:
        return float(_LOG_FACTORIAL[n])
    return (n + 0.5) * math.log(n) - n + HALF_LOG_TWO_PI + stirling_error(n)


@jit_inner
def deviance(count: int, mean: float) -> float:
    """count log(count / mean) + mean - count + stirling_error(count).

    The Poisson probability of a count is exp(-deviance) / sqrt(2 pi count). For a count of 0 the deviance is the mean, and
    the square root is to be left out.
    """
    if count == 0:
        return mean
    v = (count - mean) / (count + mean)
    if abs(v) < 0.1:
        # log((1 + v) / (1 - v)) = 2 (v + v^3/3 + v^5/5 + ...); the first term goes into (count - mean) v
        s = v * v
        tail = s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13))))))
        away = (count - mean) * v + 2.0 * count * v * tail
    else:
        away = count * math.log(count / mean) + mean - count
    return away + stirling_error(count)


@jit_lean
def draw_hypergeometric(good: int, bad: int, taken: int, random: np.ndarray) -> int:
    """The number of good balls among `taken` (at most good + bad) that are drawn blindly."""
    return draw_with_table(good, bad, taken, _LOG_FACTORIAL, random)


@jit_inner
def draw_with_table(good: int, bad: int, taken: int, log_factorials: np.ndarray, random: np.ndarray) -> int:
    """The same, quicker where log_factorials[n] = log n! reaches up to n = good + bad."""
    total = good + bad
    few, part = min(good, bad), min(taken, total - taken)
    small, other = min(few, part), max(few, part)
    if small <= SMALL:
        both = _from_zero(small, other, total, random)
    else:
        most, many, whole = float(small), float(other), float(total)
        mode = int((most + 1.0) * (many + 1.0) / (whole + 2.0))
        inverse = 1.0 / whole
        mean = most * many * inverse
        # Divided by total^2 (total - 1), or by a little less: a wider hat is right too, and total >= 30 here.
        variance = mean * ((whole - most) * (whole - many)) * (inverse * inverse * (1.0 + 1.04 * inverse))
        tabled = total < len(log_factorials)
        if variance < (NARROW_BY_TABLE if tabled else NARROW):
            peak = (
                _peak_by_table(mode, small, other, total, log_factorials)
                if tabled
                else _peak(mode, small, other, total)
            )
            both = _from_mode(mode, peak, small, other, total, random)
        elif tabled:
            both = _ratio_of_uniforms_by_table(mode, mean, variance, small, other, total, log_factorials, random)
        else:
            both = _ratio_of_uniforms(mode, mean, variance, small, other, total, random)
    # `both` counts the balls that are of the rarer kind and in the smaller part.
    if bad < good:
        both = part - both
    if 2 * taken > total:
        both = good - both
    return both


@jit_inner
def _from_zero(small, other, total, random):  # type: ignore[no-untyped-def]
    """Inversion: walk up from 0. All probabilities are scaled by total (total - 1) ... so that nothing is divided first."""
    if small == 0:
        return 0
    rest = float(total - other)
    whole = float(total)
    step, scale = rest, whole
    for i in range(1, small):
        step *= rest - i
        scale *= whole - i
    left = fraction(random) * scale
    k = 0
    while left >= step and k < small:
        left -= step
        k += 1
        step *= (float(other - k + 1) * float(small - k + 1)) / (float(k) * float(total - other - small + k))
    return k


@jit_inner
def _four(log_factorials, a, b, c, d):  # type: ignore[no-untyped-def]
    """log(a! b! c! d!). Numba does not look whether an unsigned index is below 0, which saves some time."""
    first = log_factorials[np.uint64(a)] + log_factorials[np.uint64(b)]
    return first + (log_factorials[np.uint64(c)] + log_factorials[np.uint64(d)])


@jit_inner
def _peak_by_table(mode, small, other, total, log_factorials):  # type: ignore[no-untyped-def]
    """The probability of the mode, by factorials."""
    margins = _four(log_factorials, small, total - small, other, total - other) - log_factorials[np.uint64(total)]
    return math.exp(margins - _four(log_factorials, mode, small - mode, other - mode, total - small - other + mode))


@jit_lean
def _peak(mode, small, other, total):  # type: ignore[no-untyped-def]
    """The probability of the mode, by deviances."""
    most, many, whole = float(small), float(other), float(total)
    a, b, c, d = mode, small - mode, other - mode, total - small - other + mode
    fit = small * (many / whole)
    away = deviance(a, fit) + deviance(b, most - fit) + deviance(c, many - fit) + deviance(d, whole - most - many + fit)
    margins = (
        stirling_error(small) + stirling_error(total - small) + stirling_error(other) + stirling_error(total - other)
    )
    sizes = (most * many / whole) * ((whole - most) * (whole - many))
    inner = (max(a, 1.0 / TWO_PI) * float(b)) * (float(c) * max(d, 1.0 / TWO_PI))
    return math.exp(margins - stirling_error(total) - away) * math.sqrt(sizes / (inner * TWO_PI))


@jit_inner
def _from_mode(mode, peak, small, other, total, random):  # type: ignore[no-untyped-def]
    """Inversion: walk out from the mode, whose probability is known, up and down in turns."""
    a, b, c, d = mode, small - mode, other - mode, total - small - other + mode
    k = -1
    while k < 0:
        left = fraction(random) - peak
        up = down = peak
        # what the four cells hold at the upper and at the lower end of what was walked through
        a_up, b_up, c_up, d_up = float(a), float(b), float(c), float(d)
        a_down, b_down, c_down, d_down = a_up, b_up, c_up, d_up
        k = mode if left < 0.0 else -1
        while k < 0 and up + down > NOTHING:
            # two values on either side at a time: a wrongly predicted jump costs more than a value too many
            up_1 = up * ((b_up * c_up) / ((a_up + 1.0) * (d_up + 1.0)))
            up_2 = up_1 * (((b_up - 1.0) * (c_up - 1.0)) / ((a_up + 2.0) * (d_up + 2.0)))
            down_1 = down * ((a_down * d_down) / ((b_down + 1.0) * (c_down + 1.0)))
            down_2 = down_1 * (((a_down - 1.0) * (d_down - 1.0)) / ((b_down + 2.0) * (c_down + 2.0)))
            four = (up_1 + up_2) + (down_1 + down_2)
            if left < four:
                k = int(a_up) + 1
                if left >= up_1:
                    k = int(a_down) - 1
                if left >= up_1 + down_1:
                    k = int(a_up) + 2
                if left >= up_1 + down_1 + up_2:
                    k = int(a_down) - 2
            left -= four
            up, down = up_2, down_2
            a_up, b_up, c_up, d_up = a_up + 2.0, b_up - 2.0, c_up - 2.0, d_up + 2.0
            a_down, b_down, c_down, d_down = a_down - 2.0, b_down + 2.0, c_down + 2.0, d_down - 2.0
    return k


@jit_inner
def _ratio_of_uniforms_by_table(mode, mean, variance, small, other, total, log_factorials, random):  # type: ignore[no-untyped-def]
    """Stadlober's HRUA: a point drawn evenly from a region under a hat, kept if it lies under the law itself."""
    rest = total - small - other
    at_mode = _four(log_factorials, mode, small - mode, other - mode, rest + mode)
    width = HAT_SLOPE * math.sqrt(variance + 0.5) + HAT_SHIFT
    k = -1
    while k < 0:
        height = 1.0 - fraction(random)
        place = mean + 0.5 + width * ((fraction(random) - 0.5) / height)
        if place >= 0.0 and place < small + 1.0:
            k = int(place)
            gain = at_mode - _four(log_factorials, k, small - k, other - k, rest + k)
            # kept if 2 log(height) <= log(law(k) / law(mode)); two quick tests spare most logarithms
            if height * (4.0 - height) - 3.0 > gain and (
                height * (height - gain) >= 1.0 or 2.0 * math.log(height) > gain
            ):
                k = -1
    return k


@jit_inner
def _ratio_of_uniforms(mode, mean, variance, small, other, total, random):  # type: ignore[no-untyped-def]
    """The same by deviances, for large counts."""
    rest = total - small - other
    fit_b, fit_c, fit_d = small - mean, other - mean, rest + mean
    b, c, d = small - mode, other - mode, rest + mode
    at_mode = deviance(mode, mean) + deviance(b, fit_b) + deviance(c, fit_c) + deviance(d, fit_d)
    size_at_mode = (float(mode) * float(b)) * (float(c) * float(d))
    width = HAT_SLOPE * math.sqrt(variance + 0.5) + HAT_SHIFT
    k = -1
    while k < 0:
        height = 1.0 - fraction(random)
        place = mean + 0.5 + width * ((fraction(random) - 0.5) / height)
        if place >= 0.0 and place < small + 1.0:
            k = int(place)
            b, c, d = small - k, other - k, rest + k
            away = deviance(k, mean) + deviance(b, fit_b) + deviance(c, fit_c) + deviance(d, fit_d)
            none = 1.0 / TWO_PI
            size = (max(k, none) * max(b, none)) * (max(c, none) * max(d, none))
            # height^2 <= law(k) / law(mode)
            if height * height > math.exp(at_mode - away) * math.sqrt(size_at_mode / size):
                k = -1
    return k
