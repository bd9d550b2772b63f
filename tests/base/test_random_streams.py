"""Random numbers inside kernels: those of the published generator, and even."""

from __future__ import annotations

import numpy as np

from fiberwalk.base.random_streams import below, fraction, next_word, streams


def test_random_words_are_those_of_the_published_generator():
    """xoshiro256++ from the state (1, 2, 3, 4), in plain integers."""
    mask = 2**64 - 1

    def turned(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    a, b, c, d = 1, 2, 3, 4
    state = np.zeros(16, dtype=np.uint64)
    state[:4] = 1, 2, 3, 4
    for _ in range(1000):
        expected = (turned((a + d) & mask, 23) + a) & mask
        t = (b << 17) & mask
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = turned(d, 45)
        assert int(next_word(state)) == expected
    assert int(expected) != 0
    first, second = streams(1, 2)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, streams(1, 2)[0])


def test_random_numbers_below_a_limit_are_even():
    from scipy.stats import chisquare, kstest

    random = streams(11, 1)[0]
    counts = np.bincount([below(random, 7) for _ in range(70_000)], minlength=7)
    assert chisquare(counts).pvalue > 1e-6
    assert kstest([fraction(random) for _ in range(20_000)], "uniform").pvalue > 1e-6
    assert {below(random, 1) for _ in range(10)} == {0}
