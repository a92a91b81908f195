"""What a model in a folder means by its outputs: its labels, its scores, its card.

Shared by Transformers (`huggingface`) and ONNX Runtime (`onnx`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.labels import Worth, worth
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, Answer, Card, Scale
from tiltmeter.vectors import Batch, Folder, read_model_folder

if TYPE_CHECKING:
    import numpy as np

BATCH = 512


def read_folder(name: str, path: Path) -> Folder:
    """A model's folder with its config.json."""
    return read_model_folder(name, path, SystemFailure)


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
        options.scale_of(folder.name) or head.scale,
        version=version,
        settings={"means": head.words, "longest": longest},
        weights=weights,
        notes=(head.words, *cut),
    )


def in_order(batches: Iterable[Batch], head: Head, texts: int) -> list[Answer]:
    """Answers in the texts' own order from batches of like length."""
    answers: list[Answer] = [0.0] * texts
    for batch in batches:
        for at, answer in zip(batch.places, head.scores(batch.outputs), strict=True):
            answers[at] = answer
    return answers
