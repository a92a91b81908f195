"""A GRU classifier in NumPy: so that nobody needs PyTorch to ask one that was trained with it.

Embedding x, two layers, a dense layer and softmax over seven classes (Rating 2023, §3.1). A layer,
from Cho et al. (2014) as PyTorch computes it, with the gates' weights one below the other:

    r = σ(Wᵣx + bᵣ + Uᵣh + cᵣ)            z = σ(W_z x + b_z + U_z h + c_z)
    n = tanh(Wₙx + bₙ + r ⊙ (Uₙh + cₙ))   h' = (1 − z) ⊙ n + z ⊙ h

The weights stand in one safetensors file under PyTorch's names, the vocabulary in its metadata.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.systems.tweets import tweet_parts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CLASSES = 7
UNKNOWN = 0
"""The row of whatever is not in the vocabulary; a text without any word is one unknown word."""
VOCABULARY = "vocabulary"
"""The one entry of the metadata: with several, the same model might be written in another order."""
TOGETHER = 32
"""Texts computed at once: few enough that the matrices stay in one thread, which is as fast for
them; threads that wait for each other on a busy machine are a hundred times slower."""
EMBEDDING, DENSE, DENSE_BIAS = "embedding.weight", "dense.weight", "dense.bias"


@dataclass(frozen=True, slots=True, eq=False)
class GruNetwork:
    """What a trained network consists of."""

    vocabulary: tuple[str, ...]
    """The word of row 1, of row 2, …"""
    arrays: Mapping[str, Array]
    """Under PyTorch's names; see `gru_file.shapes`."""

    def chances(self, texts: Sequence[str]) -> Array:
        """The probability of each class, shape (texts, 7)."""
        import numpy as np

        rows, inputs = self._inputs(texts)
        found = np.empty((len(rows), CLASSES))
        longest_first = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
        for start in range(0, len(rows), TOGETHER):
            batch = longest_first[start : start + TOGETHER]
            states = self._last_states([rows[at] for at in batch], inputs)
            found[batch] = _softmax(states @ self.arrays[DENSE].T + self.arrays[DENSE_BIAS])
        return found

    def _inputs(self, texts: Sequence[str]) -> tuple[list[list[int]], Array]:
        """Each text's words as places among all the texts', and these words' Wx + b, a row each."""
        known = {word: row for row, word in enumerate(self.vocabulary, start=1)}
        rows = [word_rows(text, known) for text in texts]
        used = sorted({row for one in rows for row in one})
        place = {row: at for at, row in enumerate(used)}
        inputs = _through(self.arrays, "ih_l0", self.arrays[EMBEDDING][used])
        return [[place[row] for row in one] for one in rows], inputs

    def _last_states(self, rows: Sequence[Sequence[int]], inputs: Array) -> Array:
        """The second layer after each text's last word, shape (texts, hidden); longest first."""
        import numpy as np

        below = np.zeros((len(rows), self.arrays[DENSE].shape[1]))
        above = np.zeros_like(below)
        shortening = [-len(one) for one in rows]
        for step in range(len(rows[0])):
            going = bisect_left(shortening, -step)  # the texts that have a word here
            h, above_h = below[:going], above[:going]
            words = inputs[[one[step] for one in rows[:going]]]
            h[:] = _next(words, _through(self.arrays, "hh_l0", h), h)
            x = _through(self.arrays, "ih_l1", h)
            above_h[:] = _next(x, _through(self.arrays, "hh_l1", above_h), above_h)
        return above

    def save(self, path: Path) -> None:
        """Write the weights as float32, the vocabulary with them."""
        import numpy as np
        from safetensors.numpy import save

        arrays = {name: np.ascontiguousarray(a, np.float32) for name, a in self.arrays.items()}
        told = json.dumps(self.vocabulary)
        path.write_bytes(save(arrays, metadata={VOCABULARY: told}))


def word_rows(text: str, known: Mapping[str, int]) -> list[int]:
    """The rows of a text's words.

    >>> word_rows("So sad!", {"sad": 1}), word_rows(" ", {"sad": 1})
    ([0, 1, 0], [0])
    """
    return [known.get(part, UNKNOWN) for part in tweet_parts(text)] or [UNKNOWN]


def _through(arrays: Mapping[str, Array], which: str, x: Array) -> Array:
    """Wx + b of all three gates side by side, a row for a row of x."""
    return x @ arrays[f"gru.weight_{which}"].T + arrays[f"gru.bias_{which}"]


def _next(wx: Array, uh: Array, h: Array) -> Array:
    """The states h' from Wx + b, Uh + c and h, a row for a text."""
    import numpy as np

    (wr, wz, wn), (ur, uz, un) = np.split(wx, 3, axis=1), np.split(uh, 3, axis=1)
    z = _logistic(wz + uz)
    n = np.tanh(wn + _logistic(wr + ur) * un)
    return np.asarray((1 - z) * n + z * h)


def _logistic(x: Array) -> Array:
    import numpy as np

    return 0.5 * (1 + np.tanh(0.5 * x))  # never overflows


def _softmax(x: Array) -> Array:
    import numpy as np

    odds = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
