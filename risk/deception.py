"""When an interval deceives: many values are possible, and yet the intruder may be nearly sure."""

from __future__ import annotations


def count_deceives(
    support: int, p_modal: float, entropy: float, *, certainty: float = 0.5, bits: float = 1.0, sure_of: str = ""
) -> str:
    """Why a count is not as safe as its interval looks, in words; empty where it is.

    Parameters
    ----------
    support, p_modal, entropy
        The number of attainable values, the probability of the most probable one, and the entropy in bits.
    certainty, bits
        The largest probability that a value may have, and the least entropy that must be left.
    sure_of
        The most probable value, if it is to be named.

    Examples
    --------
    >>> count_deceives(9, 0.7, 1.4)
    'one of 9 possible values has probability 0.7'
    >>> count_deceives(9, 0.3, 2.4)
    ''
    """
    reasons = []
    if p_modal > certainty:
        which = f"{sure_of}, one of {support:,} possible values," if sure_of else f"one of {support:,} possible values"
        reasons.append(f"{which} has probability {p_modal:.2g}")
    if entropy < bits:
        reasons.append(f"{entropy:.2g} bits of entropy are left, of {support:,} possible values")
    return "; ".join(reasons)


def magnitude_deceives(
    reach: float, p_near: float, *, percent: float = 10, certainty: float = 0.5, guess: str = ""
) -> str:
    """Why a magnitude is not as safe as its interval looks, in words; empty where it is.

    Parameters
    ----------
    reach
        Half the width of the interval, in percent of the truth.
    p_near
        The probability of being within `percent` of the truth.
    guess
        What stands for the truth where that is not known.

    Examples
    --------
    >>> magnitude_deceives(40, 0.8)
    'within 10% of the truth with probability 0.8, although the interval reaches 40% to either side'
    """
    if p_near <= certainty:
        return ""
    interval = f"reaches {reach:.3g}% to either side" if reach < float("inf") else "is wider"
    return (
        f"within {percent:g}% of {guess or 'the truth'} with probability {p_near:.2g}, although the interval {interval}"
    )
