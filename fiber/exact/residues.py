"""Large whole numbers from their remainders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator


def from_residues(residue: Callable[[int | None], int], log_most: float) -> int:
    """The number from 0 to exp(log_most) with some remainders: modulo 2^64 (asked for as None), then modulo primes."""
    number, modulus = residue(None), 2**64
    following = primes()
    while math.log(modulus) < log_most:
        prime = next(following)
        number += modulus * ((residue(prime) - number) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    return number


def primes() -> Iterator[int]:
    """The primes below 2^31, from the top."""
    candidate = 2**31 - 1
    while True:
        if _is_prime(candidate):
            yield candidate
        candidate -= 2


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test with bases that settle every odd number below 3.2 billion."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
