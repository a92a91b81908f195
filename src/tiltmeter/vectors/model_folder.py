"""A folder with a text model in it: its configuration, its files, and the texts put in batches.

Shared by Transformers and ONNX Runtime, by encoders and by the systems that classify.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltmeter.files import LARGEST_TEXT, plain_bytes
from tiltmeter.vectors.hub import Failure

TOKENIZER_FILES = ("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "*.model")
TOGETHER = 64
"""How many texts of like length go through a model at once."""
TOKENS = 256
"""How many tokens at most, padding included: enough for a core to be busy, and little is padded."""
UNLIMITED = 100_000
"""Tokenizers that know no limit say something astronomical."""
OFFSET_POSITIONS = ("roberta", "camembert", "mpnet", "longformer", "bertweet", "ernie_m")
"""Kinds of models that keep their first position numbers for padding."""
SHOWN_TEXT = 80
NUMBERED = 'expected labels by number, as in {"0": "negative", "1": "positive"}'
MOST_LABELS = 10_000

log = logging.getLogger(__name__)


class Batch(NamedTuple):
    """What a model gave to some texts."""

    places: list[int]
    """Where these texts stand among those that were asked about."""
    outputs: NDArray[np.float32]
    """(texts, …)"""
    mask: NDArray[np.int64]
    """(texts, tokens): 1 for a token of the text, 0 for padding."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A model's folder and its configuration."""

    name: str
    path: Path
    config: Mapping[str, Any]
    failure: Failure = field(repr=False)

    @property
    def labels(self) -> list[str]:
        """The labels of a classifier, in the order of its outputs."""
        named, count = self.config.get("id2label") or {}, self.config.get("num_labels", 2)
        if not isinstance(named, Mapping) or not all(map(str.isdecimal, named)):
            raise self.refusal(f"has an id2label in config.json that is {named!r:.80}; {NUMBERED}")
        if not isinstance(count, int) or not 0 < count <= MOST_LABELS:
            raise self.refusal(f"has num_labels {count!r:.80} in config.json; expected how many")
        if named:
            return [str(label) for _, label in sorted(named.items(), key=lambda pair: int(pair[0]))]
        return [f"LABEL_{at}" for at in range(count)]

    def refusal(self, what: str) -> Exception:
        """The error that says what is wrong with this model."""
        return self.failure(self.name, what)

    def longest(self, tokenizer_limit: int | None) -> int | None:
        """How many tokens a text may have: the least of what tokenizer and positions allow."""
        positions = self.config.get("max_position_embeddings")
        kind = str(self.config.get("model_type", ""))
        if isinstance(positions, int) and any(word in kind for word in OFFSET_POSITIONS):
            positions -= 2
        limits = [limit for limit in (tokenizer_limit, positions) if isinstance(limit, int)]
        return min((limit for limit in limits if 0 < limit < UNLIMITED), default=None)

    def digest(self, models: Sequence[Path]) -> str:
        """SHA-256 of the model's files, its configuration and its tokenizer."""
        found = {path for pattern in TOKENIZER_FILES for path in self.path.glob(pattern)}
        whole = hashlib.sha256()
        for path in sorted({*models, *found, self.path / "config.json"}):
            if path.is_file():
                with path.open("rb") as file:
                    whole.update(path.relative_to(self.path).as_posix().encode() + b"\0")
                    whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()


def read_model_folder(name: str, path: Path, failure: Failure) -> Folder:
    """A model's folder with its config.json."""
    config = path / "config.json"
    try:
        found = json.loads(plain_bytes(config, LARGEST_TEXT))
    except FileNotFoundError:
        what = f"has no config.json in {path}; expected a folder as save_pretrained writes it"
        raise failure(name, what) from None
    except (OSError, ValueError, RecursionError) as error:
        raise failure(name, f"has a config.json that cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise failure(name, f"has a config.json that holds no settings: {config}")
    return Folder(name, path, found, failure)


def alike(
    lengths: Sequence[int], size: int = TOGETHER, tokens: int = TOKENS
) -> Iterator[list[int]]:
    """Positions in batches of like length, longest first; a batch is at least one text.

    >>> list(alike([3, 9, 4, 8], size=2))
    [[1, 3], [2, 0]]
    >>> list(alike([3, 9, 4, 8], tokens=12))
    [[1], [3], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    start = 0
    while start < len(order):
        stop = start + max(1, min(size, tokens // max(1, lengths[order[start]])))
        yield order[start:stop]
        start = stop


@dataclass(slots=True)
class Cuts:
    """Says once, in the log, that a model had to cut a text."""

    name: str
    said: bool = field(default=False)

    def note(self, texts: Sequence[str], cut: Sequence[int]) -> None:
        """Log the first text that was cut, if any was and none was before."""
        if cut and not self.said:
            self.said = True
            first = texts[cut[0]][:SHOWN_TEXT]
            log.warning("%r cut a text that is too long for it: %r…", self.name, first)
