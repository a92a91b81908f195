"""Word vectors made of the training tweets, for languages that have none out of the box.

    PPMI(w, c) = max(0, log( n(w,c) · Σ n(c')^0.75 / (n(w) · n(c)^0.75) ))
    vectors    = U √Σ, of the first d singular values of PPMI = U Σ V'

n(w,c) counts how often c stands within a window of w. Contexts are smoothed by the power 0.75 and
singular values enter by their root, both after Levy, Goldberg & Dagan (2015, §3). Nothing is drawn
at random: the same texts, in any order, give the same vectors to within 1e-6 wherever neighbouring
singular values differ; where two are equal, their columns may come out turned on another machine.

Only texts of train are used, of all tasks together, each once; a text that stands in the dev or the
test part of any task is left out. The file, `tweets.npz`, holds words and numbers and no text, its
own name, and a digest of what it was made from, so that it is made again only if that changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import open_plain, write_aside
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.training.data import TrainingPart
from tiltmeter.vectors import words_in

Array = NDArray[np.float64]

SMOOTHING = 0.75
FEWEST = 10
"""Words below which there is nothing to tell apart."""
DENSE = 400
"""Words up to which the whole SVD is sooner done than a part of it."""


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """How word vectors are made; the defaults were chosen on dev (docs/train.md)."""

    dimensions: int = 300
    window: int = 25
    """Words to either side that count as a word's context; a tweet is hardly longer."""
    min_count: int = 2
    """Times a word must be seen; what is rarer is taken out before windows are laid."""


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Words in the order of how often they were seen, and a row for each."""

    words: tuple[str, ...]
    rows: NDArray[np.float32]
    """(words, dimensions)"""


def vectors_of_texts(texts: Iterable[str], settings: VectorSettings | None = None) -> TextVectors:
    """Vectors of the words that texts hold often enough; as many dimensions as there can be.

    >>> days = [f"a {word} {what} today" for word in ("warm", "cold", "wet", "dry", "grey")
    ...     for what in ("day", "night", "dawn", "dusk")]
    >>> made = vectors_of_texts(days, VectorSettings(dimensions=4))
    >>> made.words[:2], made.rows.shape
    (('a', 'today'), (11, 4))
    """
    settings = settings or VectorSettings()
    cut = [words_in(text) for text in texts]
    words = frequent_words(cut, settings.min_count)
    counts = context_counts(cut, words, settings.window)
    if len(words) < FEWEST or not counts.nnz:
        seen = f"{len(words):,} words seen {settings.min_count} times or more"
        what = f"the {len(cut):,} training texts hold {seen}, {counts.nnz:,} pairs of them together"
        raise TiltmeterError(f"{what}; expected at least {FEWEST} such words to make vectors of")
    rows = truncated_svd(ppmi(counts), settings.dimensions)
    return TextVectors(words, rows.astype(np.float32))


def frequent_words(cut: Iterable[Sequence[str]], least: int) -> tuple[str, ...]:
    """The words seen so often, the most frequent first, then by the alphabet.

    >>> frequent_words([["so", "so", "sad"], ["sad", "day"]], 2)
    ('sad', 'so')
    """
    counts = Counter(word for words in cut for word in words)
    kept = [word for word, count in counts.items() if count >= least]
    return tuple(sorted(kept, key=lambda word: (-counts[word], word)))


def context_counts(cut: Iterable[Sequence[str]], words: Sequence[str], window: int) -> Any:  # noqa: ANN401 - a sparse array
    """How often each word stands within so many words of each other, (words, words), symmetric."""
    from scipy.sparse import coo_array

    place = {word: at for at, word in enumerate(words)}
    pairs = Counter[tuple[int, int]]()
    for text in cut:
        line = [place[word] for word in text if word in place]
        for apart in range(1, window + 1):
            pairs.update(zip(line, line[apart:], strict=False))
    found = np.array([(*pair, count) for pair, count in pairs.items()], float).reshape(-1, 3).T
    one_way = coo_array((found[2], found[:2].astype(int)), shape=(len(words), len(words))).tocsr()
    return (one_way + one_way.T).tocsr()


def ppmi(counts: Any) -> Any:  # noqa: ANN401 - sparse arrays
    """max(0, log( n(w,c) Σ n(c')^0.75 / (n(w) n(c)^0.75) )) where n(w,c) > 0, else nothing."""
    found = counts.tocoo()
    of_word, of_context = counts.sum(axis=1), counts.sum(axis=0) ** SMOOTHING
    row, column = found.coords
    expected = of_word[row] * of_context[column] / of_context.sum()
    found.data = np.maximum(np.log(found.data / expected), 0)
    kept = found.tocsr()
    kept.eliminate_zeros()
    return kept


def truncated_svd(matrix: Any, dimensions: int) -> Array:  # noqa: ANN401 - a sparse array
    """U √Σ of the largest singular values, largest first; each column's largest value positive."""
    from scipy.sparse.linalg import svds

    most = min(dimensions, min(matrix.shape) - 1)
    with one_thread():  # sums in one order, and the same file again on the same machine
        if matrix.shape[0] <= DENSE:
            left, values, _ = np.linalg.svd(matrix.toarray())
        else:
            begin = np.random.default_rng(0).normal(size=matrix.shape[0])  # where it begins
            left, values, _ = svds(matrix, k=most, v0=begin, solver="arpack")
            order = np.argsort(-values, kind="stable")
            left, values = left[:, order], values[order]
    left, values = left[:, :most], values[:most]
    # Rounded, so that of two values that are equal but for the last bit the first decides.
    largest = np.abs(left).round(6).argmax(axis=0)
    signs = np.where(left[largest, np.arange(most)] < 0, -1.0, 1.0)
    return np.asarray(left * signs * np.sqrt(values))


# ---------------------------------------------------------------- the file of a language

TWEETS = "tweets"
"""What stands for a file of word vectors where they are to be made of the training tweets."""
FILE = "tweets.npz"
METHOD = "PPMI + SVD"
VERSION = 1
"""To be raised when the same texts and settings give other vectors."""


def tweet_vectors(
    parts: Iterable[Mapping[str, TrainingPart]],
    folder: Path,
    tell: Callable[[str], None],
    settings: VectorSettings | None = None,
) -> Path:
    """The file with vectors of the tasks' training texts; made unless it stands already."""
    path, how, texts = folder / FILE, settings or VectorSettings(), learned_texts(parts)
    method = json.dumps([METHOD, VERSION, asdict(how), texts], ensure_ascii=False)
    made_from = hashlib.sha256(method.encode(errors="surrogatepass")).hexdigest()
    if vectors_source(path) != made_from:
        tell(f"making word vectors of {len(texts):,} training tweets")
        made = vectors_of_texts(texts, how)
        name = f"vectors of {len(texts):,} training tweets, {made.rows.shape[1]}d, {METHOD}"
        arrays = {
            "words": np.array(made.words),
            "vectors": made.rows,
            "name": np.array(name),
            "made_from": np.array(made_from),
        }
        write_aside(path, lambda file: np.savez(file, allow_pickle=False, **arrays), links=False)
    return path


def learned_texts(parts: Iterable[Mapping[str, TrainingPart]]) -> list[str]:
    """The distinct texts of all train parts that stand in no dev or test part, as their words."""
    tasks = list(parts)
    held = {text for task in tasks for part in ("dev", "test") for text in _texts(task, part)}
    learned = {text for task in tasks for text in _texts(task, "train")}
    return sorted(learned - held)


def _texts(task: Mapping[str, TrainingPart], part: str) -> Iterable[str]:
    """Texts of a part as the words they hold: what else they hold tells no vectors apart."""
    return (" ".join(words_in(text)) for text in task[part].texts.texts) if part in task else ()


def vectors_source(path: Path) -> str | None:
    """What a file that is whole was made from; None where there is none."""
    try:
        with open_plain(path, links=False) as file, np.load(file, allow_pickle=False) as held:
            whole = len(held["words"]) == len(held["vectors"])
            return str(held["made_from"]) if whole else None
    except Exception:  # whatever a damaged file makes zipfile and NumPy raise: it is made anew
        return None
