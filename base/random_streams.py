"""Random numbers inside kernels: xoshiro256++ (Blackman and Vigna 2021), one state of four words for each stream."""

from __future__ import annotations

import numpy as np

from .jit import jit_inner, jit_lean

PADDED = 16
"""Words that a state takes, of which four count: streams on different threads never share a cache line."""


def streams(seed: int | np.random.SeedSequence, number: int) -> list[np.ndarray]:
    """Independent states, all spawned from one seed."""
    parent = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    states = []
    for child in parent.spawn(number):
        state = np.zeros(PADDED, dtype=np.uint64)
        state[:4] = child.generate_state(4, np.uint64)
        states.append(state)
    return states


@jit_lean
def next_word(state: np.ndarray) -> np.uint64:
    """The next 64 random bits of a stream."""
    word, state[0], state[1], state[2], state[3] = stepped(state[0], state[1], state[2], state[3])
    return word


@jit_inner
def stepped(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """64 random bits and the state after them, for loops that keep the state in registers."""
    mixed = a + d
    word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
    c ^= a
    d ^= b
    return word, a ^ d, b ^ c, c ^ (b << np.uint64(17)), (d << np.uint64(45)) | (d >> np.uint64(19))


@jit_inner
def scattered(word: np.uint64, k: np.uint64) -> np.uint64:
    """The k-th of many words made from one (SplitMix64: Steele, Lea and Flood 2014); none waits for the one before."""
    z = word + k * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit_lean
def below(state: np.ndarray, n: int) -> int:
    """A whole number from 0 to n - 1, exactly uniform: words that would favour some are drawn again (Lemire 2019)."""
    many = np.uint64(n)
    whole = np.uint64(0x100000000)
    if many > whole:  # bits, as many as the number has, until they make one that is small enough
        mask = many - np.uint64(1)
        for shift in (1, 2, 4, 8, 16, 32):
            mask |= mask >> np.uint64(shift)
        while True:
            bits = next_word(state) & mask
            if bits < many:
                return np.int64(bits)  # type: ignore[return-value]
    unfair = whole % many
    while True:
        product = (next_word(state) >> np.uint64(32)) * many
        if (product & np.uint64(0xFFFFFFFF)) >= unfair:
            return np.int64(product >> np.uint64(32))  # type: ignore[return-value]


@jit_lean
def fraction(state: np.ndarray) -> float:
    """A uniform number from 0 up to but not including 1, of 53 random bits."""
    return (next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
