"""SipHash-2-4 (Aumasson and Bernstein 2012): a keyed hash of whole numbers, of many at once.

Whoever does not have the key cannot tell its results from random numbers. It is what decides how a cell is changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

Key = tuple[int, int]
"""128 bits, as two halves."""
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_ALL = 2**64 - 1
_TURN = {by: (np.uint64(by), np.uint64(64 - by)) for by in (13, 16, 17, 21, 32)}


def siphash(words: Sequence[np.ndarray], key: Key) -> np.ndarray:
    """The hash of each message: its n-th word of 64 bits stands in the n-th array."""
    shape = np.broadcast_shapes(*(word.shape for word in words))
    a, b, c, d = (np.full(shape, start ^ half, np.uint64) for start, half in zip(_START, (*key, *key), strict=True))
    spare = np.empty(shape, dtype=np.uint64)
    length = np.array((8 * len(words) % 256) << 56, dtype=np.uint64)
    for word in (*words, length):
        d ^= word
        _rounds(2, a, b, c, d, spare)
        a ^= word
    c ^= np.uint64(0xFF)
    _rounds(4, a, b, c, d, spare)
    a ^= b
    c ^= d
    a ^= c
    return a


def _rounds(times: int, a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, spare: np.ndarray) -> None:
    """So many rounds, in place."""
    for _ in range(times):
        a += b
        _turn(b, _TURN[13], spare)
        b ^= a
        _turn(a, _TURN[32], spare)
        c += d
        _turn(d, _TURN[16], spare)
        d ^= c
        a += d
        _turn(d, _TURN[21], spare)
        d ^= a
        c += b
        _turn(b, _TURN[17], spare)
        b ^= c
        _turn(c, _TURN[32], spare)


def _turn(bits: np.ndarray, by: tuple[np.uint64, np.uint64], spare: np.ndarray) -> None:
    """Turn every word to the left, in place."""
    np.right_shift(bits, by[1], out=spare)
    np.left_shift(bits, by[0], out=bits)
    np.bitwise_or(bits, spare, out=bits)


def secret_number(seed: int, *words: str, size: int = 8) -> int:
    """A number of some bytes that follows from a secret seed and some words, and tells nothing of either."""
    return int.from_bytes(_keyed(seed, "\x1f".join(words).encode(), size).digest(), "big")


def secret_number_of_many(seed: int, words: Iterable[str], size: int) -> int:
    """The same of words that are too large to be held together."""
    state, between = _keyed(seed, b"", size), ""
    for word in words:
        state.update(between.encode() + word.encode())
        between = "\x1f"
    return int.from_bytes(state.digest(), "big")


def _keyed(seed: int, start: bytes, size: int) -> hashlib.blake2b:
    secret = seed.to_bytes((seed.bit_length() + 7) // 8 or 1, "big")[-64:]
    return hashlib.blake2b(start, key=secret, digest_size=size)


def secret_key(seed: int, purpose: str) -> Key:
    """A key of its own for a purpose, from a seed."""
    bits = secret_number(seed, purpose, size=16)
    return bits >> 64, bits & _ALL


def from_0_to_1(bits: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from the first 53 of 64 random bits."""
    numbers: np.ndarray = (bits >> np.uint64(11)) * 2.0**-53
    return numbers
