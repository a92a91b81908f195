"""Spaces in which who leans, and along what, is known because it was put there."""

import numpy as np

from made_up_words import direction
from tiltmeter.studies.embeddings.space import Space

PAIRS = tuple((f"she{i}", f"he{i}") for i in range(8))
NEUTRAL = tuple(f"word{i}" for i in range(200))
FIRST, SECOND = (tuple(f"{side}{i}" for i in range(30)) for side in ("f", "m"))
GENDER = direction("gender", "Gender", "female", "male", PAIRS, FIRST, SECOND, NEUTRAL)


def planted(seed=0, dimension=12, echoed=0.0, noise=0.3):
    """Dimension 0 is the identity; `echoed` writes it into dimensions 1 to 3 of neutral words too.

    Dimension 4 is another property, ±1, of the neutral words: even ones have it.
    """
    rng = np.random.default_rng(seed)
    lean = np.where(np.arange(len(NEUTRAL)) < len(NEUTRAL) // 2, 1.0, -1.0)
    neutral = noise * rng.standard_normal((len(NEUTRAL), dimension))
    neutral[:, 0] = 0.5 * lean
    neutral[:, 1:4] += echoed * lean[:, None]
    neutral[:, 4] += np.where(np.arange(len(NEUTRAL)) % 2, -1.0, 1.0)
    shared = noise * rng.standard_normal((len(PAIRS), dimension))
    shared[:, 0] = 0.0
    apart = np.eye(dimension)[0]
    both = np.stack([shared + apart, shared - apart], axis=1).reshape(-1, dimension)
    sides = noise * rng.standard_normal((60, dimension))
    sides[:, 0] += np.repeat([1.0, -1.0], 30)
    words = tuple(word for pair in PAIRS for word in pair) + FIRST + SECOND + NEUTRAL
    return Space("planted", words, np.vstack([both, sides, neutral]))
