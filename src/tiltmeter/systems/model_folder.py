"""A folder with a text model in it: its files, its labels, and texts put in batches of like length.

Shared by Transformers (`huggingface`) and ONNX Runtime (`onnx`).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.labels import Worth, worth
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SHOWN_TEXT, TASKS, Answer, Card, Scale

if TYPE_CHECKING:
    import numpy as np

TOKENIZER_FILES = ("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "*.model")
BATCH = 512
TOGETHER = 64
"""How many texts of like length go through the model at once."""
UNLIMITED = 100_000
"""Tokenizers that know no limit say something astronomical."""
OFFSET_POSITIONS = ("roberta", "camembert", "mpnet", "longformer", "bertweet", "ernie_m")
"""Kinds of models that keep their first position numbers for padding."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Folder:
    """A model's folder and its configuration."""

    name: str
    path: Path
    config: Mapping[str, Any]

    @property
    def labels(self) -> list[str]:
        """The labels in the order of the model's outputs."""
        named = self.config.get("id2label") or {}
        if named:
            return [str(label) for _, label in sorted(named.items(), key=lambda pair: int(pair[0]))]
        return [f"LABEL_{at}" for at in range(int(self.config.get("num_labels", 2)))]

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


def read_folder(name: str, path: Path) -> Folder:
    """A model's folder with its config.json."""
    config = path / "config.json"
    try:
        found = json.loads(config.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = f"has no config.json in {path}; expected a folder as save_pretrained writes it"
        raise SystemFailure(name, what) from None
    except (OSError, ValueError) as error:
        raise SystemFailure(name, f"has a config.json that cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise SystemFailure(name, f"has a config.json that holds no settings: {config}")
    return Folder(name, path, found)


@dataclass(frozen=True, slots=True)
class Head:
    """What a model's outputs mean: one plain number, or labels with their worth."""

    worth: Worth | None
    task: str
    several: bool = False
    """True where each label has a probability of its own and they need not sum to 1."""

    @property
    def scale(self) -> Scale | None:
        """The scale of the labels; a plain number's is not declared."""
        return self.worth.scale if self.worth else None

    @property
    def words(self) -> str:
        """The mapping, for people."""
        return str(self.worth) if self.worth else "the score is the model's one output as it is"

    def scores(self, outputs: np.ndarray[Any, Any]) -> list[float]:
        """Scores from a model's outputs, shape (texts, labels)."""
        import numpy as np

        if self.worth is None:
            return list(outputs[:, 0].astype(float).tolist())
        outputs = outputs.astype(np.float32)
        if self.several:
            chances = 1 / (1 + np.exp(-outputs))
        else:
            chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
        return list((chances.astype(float) @ np.array(self.worth.values)).tolist())


def read_head(folder: Folder, options: Options, given: Mapping[str, float]) -> Head:
    """What the configuration says of the outputs."""
    labels, kind = folder.labels, folder.config.get("problem_type")
    if len(labels) == 1 and not given:
        return Head(None, options.task_among(folder.name, TASKS))
    if kind == "regression":
        what = f"gives {len(labels)} numbers to a text ({', '.join(labels)}); expected one"
        raise SystemFailure(folder.name, what)
    found = worth(folder.name, labels, options, given)
    several = kind == "multi_label_classification"
    if several and found.counted > 1:
        what = (
            f"gives each of its labels a probability of its own ({', '.join(labels)}); choose one "
            "with ?labels=, 1 for it and 0 for the others"
        )
        raise SystemFailure(folder.name, what)
    return Head(found, found.task, several)


def model_card(
    folder: Folder, head: Head, options: Options, *, version: str, weights: str, longest: int | None
) -> Card:
    """The card of a model in a folder."""
    cut = (f"texts past {longest:,} tokens are cut",) if longest else ()
    return Card(
        folder.name,
        head.task,
        options.scale or head.scale,
        version=version,
        settings={"means": head.words, "longest": longest},
        weights=weights,
        notes=(head.words, *cut),
    )


def alike(lengths: Sequence[int], size: int = TOGETHER) -> Iterator[list[int]]:
    """Positions in batches of like length, longest first.

    >>> list(alike([3, 9, 4, 8], size=2))
    [[1, 3], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    for start in range(0, len(order), size):
        yield order[start : start + size]


def in_batches(
    lengths: Sequence[int], outputs: Callable[[list[int]], list[float]], size: int = TOGETHER
) -> list[Answer]:
    """Answers in the texts' own order from batches of like length."""
    answers: list[Answer] = [0.0] * len(lengths)
    for batch in alike(lengths, size):
        for at, answer in zip(batch, outputs(batch), strict=True):
            answers[at] = answer
    return answers


@dataclass(slots=True)
class Cuts:
    """Says once, in the log, that a system had to cut a text."""

    name: str
    said: bool = field(default=False)

    def note(self, texts: Sequence[str], cut: Sequence[int]) -> None:
        """Log the first text that was cut, if any was and none was before."""
        if cut and not self.said:
            self.said = True
            first = texts[cut[0]][:SHOWN_TEXT]
            log.warning("the system %r cut a text that is too long for it: %r…", self.name, first)
