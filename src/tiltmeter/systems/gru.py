"""A trained GRU (Rating 2023, §3.1) as a system: seven classes v, and v/3 − 1 for an answer.

Two answers, and `"answer"` among the settings in `model.json` says which; change it there.

mean    Σ p(v) · (v/3 − 1), the default. It moves whenever the probabilities do.
class   v/3 − 1 of the likeliest class, as published. It has seven values, so a sentence and its
        counterpart differ by nothing or by at least a sixth of the scale: small tilts are hidden,
        and a tilt that happens to cross a boundary is magnified.

The network is computed in NumPy, so that nobody needs PyTorch to ask one that was trained with it:
embedding x, two layers, a dense layer and softmax. A layer, from Cho et al. (2014) as PyTorch
computes it, with the gates' weights one below the other:

    r = σ(Wᵣx + bᵣ + Uᵣh + cᵣ)            z = σ(W_z x + b_z + U_z h + c_z)
    n = tanh(Wₙx + bₙ + r ⊙ (Uₙh + cₙ))   h' = (1 − z) ⊙ n + z ⊙ h

The weights stand in one safetensors file under PyTorch's names, the vocabulary in its metadata.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SIGNED, Card, Pace, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tiltmeter.systems.trained import TrainedModel

    Array = NDArray[np.float64]

READING = 1
"""Raised whenever texts are cut up or computed in another way."""
MEANS = {
    "mean": "the score is the mean of seven classes, Σ p(v) · (v/3 − 1)",
    "class": "the score is v/3 − 1 of the likeliest of seven classes, as published: seven values",
}
CLASSES = 7
UNKNOWN = 0
"""The row of whatever is not in the vocabulary; a text without any word is one unknown word."""
VOCABULARY = "vocabulary"
"""The one entry of the metadata: with several, the same model might be written in another order."""
TOGETHER = 32
"""Texts computed at once: few enough that the matrices stay in one thread, which is as fast for
them; threads that wait for each other on a busy machine are a hundred times slower."""
EMBEDDING, DENSE, DENSE_BIAS = "embedding.weight", "dense.weight", "dense.bias"


def gru_model(model: TrainedModel, options: Options) -> System:
    """Open the network in a trained model's folder."""
    chosen = model.card.settings.get("answer", "mean")
    if not isinstance(chosen, str) or chosen not in MEANS:
        what = f"is to answer {chosen!r} by its model.json; expected {' or '.join(MEANS)}"
        raise SystemFailure(model.name, what)
    network = read_network(model.name, model.weights)
    values = [place / 3 - 1 for place in range(CLASSES)]

    def answer(texts: Sequence[str]) -> list[float]:
        chances = network.chances(texts)
        if chosen == "mean":
            return list((chances @ values).tolist())
        return [values[place] for place in chances.argmax(axis=1)]

    card = Card(
        model.name,
        str(options.task),
        options.scale_of(model.name, SIGNED),
        version=f"gru {READING}",
        settings={"answer": chosen},
        weights=model.digest,
        notes=(MEANS[chosen],),
    )
    return System(card, answer, Pace(batch=2048, one_by_one=False))


# ---------------------------------------------------------------- the network


@dataclass(frozen=True, slots=True, eq=False)
class GruNetwork:
    """What a trained network consists of."""

    vocabulary: tuple[str, ...]
    """The word of row 1, of row 2, …"""
    arrays: Mapping[str, Array]
    """Under PyTorch's names; see `network_shapes`."""

    def chances(self, texts: Sequence[str]) -> Array:
        """The probability of each class, shape (texts, 7)."""
        import numpy as np

        # Each text's words as places among all the texts', and these words' Wx + b, a row each
        known = {word: row for row, word in enumerate(self.vocabulary, start=1)}
        words = [word_rows(text, known) for text in texts]
        used = sorted({row for one in words for row in one})
        place = {row: at for at, row in enumerate(used)}
        inputs = _through(self.arrays, "ih_l0", self.arrays[EMBEDDING][used])
        rows = [[place[row] for row in one] for one in words]
        found = np.empty((len(rows), CLASSES))
        longest_first = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
        for start in range(0, len(rows), TOGETHER):
            batch = longest_first[start : start + TOGETHER]
            states = self._last_states([rows[at] for at in batch], inputs)
            logits = states @ self.arrays[DENSE].T + self.arrays[DENSE_BIAS]
            odds = np.exp(logits - logits.max(axis=1, keepdims=True))
            found[batch] = odds / odds.sum(axis=1, keepdims=True)
        return found

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
        path.write_bytes(save(arrays, metadata={VOCABULARY: json.dumps(self.vocabulary)}))


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


# ---------------------------------------------------------------- its file


def read_network(name: str, path: Path) -> GruNetwork:
    """The network in a file, if it holds together."""
    if find_spec("safetensors") is None:
        raise MissingExtraError(f"what {name!r} needs, safetensors,", "learn")
    import numpy as np
    from safetensors import safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {key: np.asarray(file.get_tensor(key), np.float64) for key in file.keys()}  # noqa: SIM118
            words = json.loads((file.metadata() or {}).get(VOCABULARY, "null"))
    except Exception as error:
        what = f"has weights that cannot be read ({path.name}): {type(error).__name__}: {error}"
        raise SystemFailure(name, f"{what}; train it anew") from error
    flat = [key for key in (EMBEDDING, DENSE) if key not in arrays or arrays[key].ndim != 2]
    wrong = ""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        wrong = f"found no {VOCABULARY} in the metadata; expected a list of words"
    elif flat:
        wrong = f"found no matrix {flat[0]}"
    else:
        wide, hidden = arrays[EMBEDDING].shape[1], arrays[DENSE].shape[1]
        expected = network_shapes(len(words), wide, hidden)
        for key in sorted({*expected, *arrays}, reverse=True):  # the first is named
            shape, right = arrays[key].shape if key in arrays else None, expected.get(key)
            if shape != right:
                wrong = f"found {key} {shape or 'missing'}; expected {right or 'no such array'}"
            elif not np.isfinite(arrays[key]).all():
                wrong = f"found a number in {key} that is not finite"
    if wrong:
        raise SystemFailure(name, f"has weights that are no GRU ({path.name}): {wrong}")
    return GruNetwork(tuple(words), arrays)


def network_shapes(words: int, embedding: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a network and their shapes."""
    three = 3 * hidden
    layers = {
        f"gru.{kind}_l{nth}": shape
        for nth, x in enumerate((embedding, hidden))
        for kind, shape in (
            ("weight_ih", (three, x)), ("weight_hh", (three, hidden)),
            ("bias_ih", (three,)), ("bias_hh", (three,)),
        )
    }  # fmt: skip
    ends = {
        EMBEDDING: (words + 1, embedding),
        DENSE: (CLASSES, hidden),
        DENSE_BIAS: (CLASSES,),
    }
    return {**ends, **layers}


# ---------------------------------------------------------------- the words and signs of a tweet

ADDRESS, MENTION = "<url>", "<user>"
"""What stands for any address, and for anybody mentioned."""

# Words with the accents and Arabic vowel signs that stand on them; else a sign, however often it is
# repeated. Joiners and variation selectors only say how an emoji is drawn.
_PARTS = re.compile(
    r"(?P<address>https?://\S+|www\.\S+)|(?P<mention>@\w+)"
    r"|(?P<word>\w[\w\u0300-\u036f\u064b-\u065f\u0670]*(?:'\w+)*)"
    r"|(?P<sign>[^\w\s\u200b-\u200f\ufe00-\ufe0f\ufeff])(?P=sign)*"
)


def tweet_parts(text: str) -> list[str]:
    r"""A text's words in lower case and its signs, each in order.

    SemEval's tweets have line breaks written as backslash and n, and `&amp;` for an ampersand.

    >>> tweet_parts("@Ana I'm SO happy!!! 😂😂\\nsee https://t.co/x #joy")
    ['<user>', "i'm", 'so', 'happy', '!', '😂', 'see', '<url>', '#', 'joy']
    >>> tweet_parts("¡Qué día! أنا حزينٌ جدًا")
    ['¡', 'qué', 'día', '!', 'أنا', 'حزينٌ', 'جدًا']
    """
    plain = html.unescape(text.replace("\\n", " ")).replace("’", "'")
    lower = unicodedata.normalize("NFC", plain).lower()
    stands_for = {"address": ADDRESS, "mention": MENTION}
    return [
        stands_for.get(found.lastgroup or "") or found[found.lastgroup or 0]
        for found in _PARTS.finditer(lower)
    ]
