"""What published statistics mean, written from the definitions: a population is a list of people, a person a dict."""

from __future__ import annotations

from fractions import Fraction


def matches(person: dict, where: dict) -> bool:
    """Is a person of a group?"""
    return all(person[dim] in ([labels] if isinstance(labels, str) else labels) for dim, labels in where.items())


def mean(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def quantile(numbers: list[Fraction], q: Fraction) -> Fraction:
    """The number that the share q lies below; the middle between two where just that share does."""
    numbers = sorted(numbers)
    place = q * len(numbers)
    if place.denominator == 1:
        return (numbers[int(place) - 1] + numbers[int(place)]) / 2
    return numbers[int(place)]


def may_be_written(value: Fraction, written: str, decimals: int, rounding: str) -> bool:
    """May a figure have been published like this?"""
    figure, step = Fraction(written), Fraction(1, 10**decimals)
    return {
        "exact": figure == value,
        "nearest": abs(figure - value) <= step / 2,
        "down": figure <= value < figure + step,
        "up": figure - step < value <= figure,
    }[rounding]


def written(value: Fraction, decimals: int, rounding: str) -> str:
    """A figure as it is published; halves go up."""
    times = value * 10**decimals
    whole = {
        "nearest": (times + Fraction(1, 2)).__floor__(),
        "down": times.__floor__(),
        "up": times.__ceil__(),
    }[rounding]
    sign, digits = "-" if whole < 0 else "", str(abs(whole)).rjust(decimals + 1, "0")
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)
