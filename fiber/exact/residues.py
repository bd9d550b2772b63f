"""Large whole numbers from their remainders: the Chinese remainder theorem.

Counts of tables have hundreds of digits. Kernels count modulo 2^64 and modulo primes that fit a machine word, and the
remainders put together give the number itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator


def from_residues(residue: Callable[[int | None], int], log_most: float) -> int:
    """The number from 0 to exp(log_most) that has some remainders: modulo 2^64 (asked for as None), then modulo primes.

    One modulus at a time (Garner's algorithm), until their product is larger than the number can be.

    Examples
    --------
    >>> from_residues(lambda prime: 10**30 % (prime or 2**64), math.log(10**31))
    1000000000000000000000000000000
    """
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
        power = pow(base, odd, n)
        if power in (1, n - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % n
            if power == n - 1:
                break
        else:
            return False
    return True
