"""Word vectors made of the training tweets, for languages that have none out of the box.

Only texts of train are used, of all tasks together, each once; a text that stands in the dev or
the test part of any task is left out. The file, `tweets.npz`, holds words and numbers and no text,
its own name, and a digest of what it was made from, so that it is made again only if that changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from tiltmeter.files import write_aside
from tiltmeter.flow.training_data import Part
from tiltmeter.training import TextVectors, VectorSettings, vectors_of_texts
from tiltmeter.vectors import words_in

TWEETS = "tweets"
"""What stands for a file of word vectors where they are to be made of the training tweets."""
FILE = "tweets.npz"
METHOD = "PPMI + SVD"
VERSION = 1
"""To be raised when the same texts and settings give other vectors."""


def tweet_vectors(
    parts: Iterable[Mapping[str, Part]],
    folder: Path,
    tell: Callable[[str], None],
    settings: VectorSettings | None = None,
) -> Path:
    """The file with vectors of the tasks' training texts; made unless it stands already."""
    path, how, texts = folder / FILE, settings or VectorSettings(), learned_texts(parts)
    made_from = _digest(texts, how)
    if _standing(path) != made_from:
        tell(f"making word vectors of {len(texts):,} training tweets")
        _write(vectors_of_texts(texts, how), path, len(texts), made_from)
    return path


def learned_texts(parts: Iterable[Mapping[str, Part]]) -> list[str]:
    """The distinct texts of all train parts that stand in no dev or test part, as their words."""
    found = list(parts)
    held = {text for task in found for part in ("dev", "test") for text in _texts(task, part)}
    learned = {text for task in found for text in _texts(task, "train")}
    return sorted(learned - held)


def _texts(task: Mapping[str, Part], part: str) -> Iterable[str]:
    """Texts of a part as the words they hold: what else they hold tells no vectors apart."""
    return (" ".join(words_in(text)) for text in task[part].texts.texts) if part in task else ()


def _digest(texts: list[str], settings: VectorSettings) -> str:
    told = json.dumps([METHOD, VERSION, dict(settings.facts), texts], ensure_ascii=False)
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


def _standing(path: Path) -> str | None:
    """What a file that is whole was made from; None where there is none."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            whole = len(held["words"]) == len(held["vectors"])
            return str(held["made_from"]) if whole else None
    except Exception:  # whatever a damaged file makes zipfile and NumPy raise: it is made anew
        return None


def _write(made: TextVectors, path: Path, texts: int, made_from: str) -> None:
    name = f"vectors of {texts:,} training tweets, {made.rows.shape[1]}d, {METHOD}"
    arrays = {
        "words": np.array(made.words),
        "vectors": made.rows,
        "name": np.array(name),
        "made_from": np.array(made_from),
    }
    write_aside(path, lambda file: np.savez(file, allow_pickle=False, **arrays))
