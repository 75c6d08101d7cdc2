"""Random numbers that depend on a seed and a name alone, not on earlier draws."""
from __future__ import annotations

import hashlib
import math

LARGEST_SEED = 2**63 - 1
WORD = 8                        # bytes of a draw
BITS = 53                       # of a double's fraction


def uniforms(*, seed: int, name: str, start: int = 0, count: int) -> list[float]:
    """Return the draws start to start + count - 1 of the sequence of a name, uniform in [0, 1).

    Each four draws come from one SHA-256 of the seed, the name and their block number.
    """
    head = hashlib.sha256(f"{seed}:{name}:".encode())
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
