"""Random numbers that depend on a seed and a name alone, not on earlier draws."""
from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

LARGEST_SEED = 2**63 - 1
WORD = 8                        # bytes of a draw
BITS = 53                       # of a double's fraction
NOISE_BITS = 32                 # of a value of noise


def uniforms(*, seed: int, name: str, start: int = 0, count: int) -> list[float]:
    """Return the draws start to start + count - 1 of the sequence of a name, uniform in [0, 1).

    Each four draws come from one SHA-256 of the seed, the name and their block number.
    """
    head = hashlib.sha256(f"{seed}:{name}:".encode("utf-8", "surrogatepass"))
    per_block = head.digest_size // WORD
    values: list[float] = []
    for block in range(start // per_block, (start + count - 1) // per_block + 1):
        block_hash = head.copy()
        block_hash.update(str(block).encode())
        digest = block_hash.digest()
        words = [int.from_bytes(digest[i:i + WORD], "big") for i in range(0, len(digest), WORD)]
        values += [math.ldexp(word >> (8 * WORD - BITS), -BITS) for word in words]
    first = start % per_block
    return values[first:first + count]


def integer_noise(*, seed: int, name: str, count: int) -> NDArray[np.int64]:
    """Return draws of the sequence of a name, uniform whole numbers from -2^31 to 2^31 - 1.

    The first eight bytes of the SHA-256 of seed and name start SplitMix64 (Steele, Lea & Flood
    2014), whose 64-bit values depend on their number alone; the upper 32 bits are kept.
    """
    head = hashlib.sha256(f"{seed}:{name}".encode()).digest()[:WORD]
    z = np.uint64(int.from_bytes(head, "big")) + np.arange(
        1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(NOISE_BITS)).astype(np.int64) - (1 << (NOISE_BITS - 1))
