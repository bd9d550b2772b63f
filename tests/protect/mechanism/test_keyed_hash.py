"""SipHash-2-4 on arrays: the official test vectors, and a naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiberwalk.protect.mechanism.keyed_hash import (
    from_0_to_1,
    secret_key,
    secret_number,
    secret_number_of_many,
    siphash,
)

KEY = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
VECTORS = {
    0: 0x726FDB47DD0E0E31,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
    16: 0x3F2ACC7F57C29BDB,
    24: 0xB8AD50C6F649AF94,
}
"""Of the messages 00 01 02 ... of so many bytes, under the key 00 01 ... 0f (vectors_sip64 of the reference code)."""
MASK = 2**64 - 1


def naive(message: bytes, key: tuple[int, int]) -> int:
    """As the paper writes it, one message at a time."""
    v = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]

    def turned(x: int, by: int) -> int:
        return (x << by | x >> 64 - by) & MASK

    def one_round() -> None:
        v[0] = (v[0] + v[1]) & MASK
        v[2] = (v[2] + v[3]) & MASK
        v[1], v[3] = turned(v[1], 13) ^ v[0], turned(v[3], 16) ^ v[2]
        v[0] = turned(v[0], 32)
        v[2] = (v[2] + v[1]) & MASK
        v[0] = (v[0] + v[3]) & MASK
        v[1], v[3] = turned(v[1], 17) ^ v[2], turned(v[3], 21) ^ v[0]
        v[2] = turned(v[2], 32)

    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        one_round()
        one_round()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        one_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@pytest.mark.parametrize("length", VECTORS)
def test_official_vectors(length):
    message = bytes(range(length))
    assert naive(message, KEY) == VECTORS[length]
    if length and length % 8 == 0:
        words = [np.array([w], dtype=np.uint64) for w in np.frombuffer(message, dtype="<u8")]
        assert int(siphash(words, KEY)[0]) == VECTORS[length]


@settings(max_examples=50, deadline=None)
@given(
    st.tuples(st.integers(0, MASK), st.integers(0, MASK)),
    st.lists(st.tuples(st.integers(0, MASK), st.integers(0, MASK)), min_size=1, max_size=5),
)
def test_many_at_once_are_the_same_as_one_by_one(key, messages):
    words = [np.array(column, dtype=np.uint64) for column in zip(*messages, strict=True)]
    expected = [naive(b"".join(word.to_bytes(8, "little") for word in message), key) for message in messages]
    assert siphash(words, key).tolist() == expected
    assert int(siphash([words[0][:1]], key)[0]) == naive(messages[0][0].to_bytes(8, "little"), key)


def test_keys_of_other_seeds_and_purposes_differ():
    keys = {secret_key(seed, purpose) for seed in (0, 1, 2**127) for purpose in ("cells", "records")}
    assert len(keys) == 6
    assert from_0_to_1(np.array([0, MASK], dtype=np.uint64)).tolist() == [0, 1 - 2.0**-53]


@pytest.mark.parametrize("words", [[], ["a"], ["a", ""], ["", "ä", "b" * 1000]])
def test_a_number_of_words_one_after_the_other(words):
    assert secret_number_of_many(7, iter(words), 12) == secret_number(7, *words, size=12)
    assert secret_number(7, "a", "b") != secret_number(7, "ab")
