"""A trained model as a system: a folder with weights and a `model.json` card.

Three kinds: a scikit-learn pipeline that takes texts, a regressor over encoders' rows of numbers,
and a GRU (`gru`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from msgspec import field

from tiltmeter.errors import CorpusError, MissingExtraError, SystemFailure, TiltmeterError
from tiltmeter.files import file_digest, without_folders
from tiltmeter.records import Record, Text, read_json, read_record
from tiltmeter.systems.catalogue import CARD
from tiltmeter.systems.gru import gru_model
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import UNIT, Card, Pace, System
from tiltmeter.systems.sklearn import load_skops, pipeline
from tiltmeter.vectors import Encoder, features, open_encoder

PLAIN = ("scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array")
"""Types our own models hold that skops does not know: arrays of numbers, nothing that runs."""
LONGEST_NAME = 255
FEATURES_BATCH = 4096
"""Large, since vectors in a text file are looked for in one pass a batch."""


class CardTable(Record, kw_only=True):
    """A table of a card: what is read here, and whatever else `tiltmeter train` wrote."""

    REST: ClassVar[str] = "others"
    others: dict[str, Any] = field(name="*", default_factory=dict)


class WeightsFile(CardTable, kw_only=True):
    """Which file the weights are in, and its SHA-256."""

    file: str = ""
    sha256: str = ""


class TrainPart(CardTable, kw_only=True):
    """The texts it was trained on."""

    rows: int


class TrainingData(CardTable, kw_only=True):
    """The parts of the data."""

    train: TrainPart


class EncoderEntry(CardTable, kw_only=True):
    """An encoder that texts are read through."""

    spec: str
    digest: str
    pooling: str | None = None


class TrainedCard(CardTable, kw_only=True):
    """`model.json`: what a model is and how it was made."""

    recipe: Text
    kind: Text
    task: Literal["valence", "anger", "fear", "joy", "sadness"]
    language: Text
    weights: WeightsFile
    data: TrainingData
    name: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    encoders: list[EncoderEntry] | None = None


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A trained model's folder whose weights are those its card speaks of."""

    name: str
    folder: Path
    weights: Path
    card: TrainedCard

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return self.card.weights.sha256


def trained(target: str, options: Options) -> System:
    """Open a model that `tiltmeter train` wrote."""
    folder = Path(target)
    card = _read_card(folder.name or str(folder), folder / CARD)
    name = (card.name or folder.resolve().name)[:LONGEST_NAME]
    if card.kind not in OPENERS:
        known = ", ".join(OPENERS)
        raise SystemFailure(name, f"is of the kind {card.kind!r}; this Tiltmeter opens {known}")
    if options.task not in (None, card.task):
        raise TiltmeterError(f"{name} was trained for {card.task}; {options.task!r} was asked")
    # The weights' file, if it is what the card says it is
    path = folder / Path(card.weights.file).name[:LONGEST_NAME]
    if not path.is_file():
        raise SystemFailure(name, f"lacks its weights: no file {path}")
    if file_digest(path) != card.weights.sha256:
        what = f"has other weights than its card says ({path.name}): damaged, or changed by hand"
        raise SystemFailure(name, what)
    model = TrainedModel(name, folder, path, card)
    system = OPENERS[card.kind](model, replace(options, task=card.task))
    note = f"{card.recipe} trained on {card.data.train.rows:,} texts"
    notes = (note, *system.card.notes)
    return replace(
        system, card=replace(system.card, name=name, languages=(card.language,), notes=notes)
    )


def trained_for(folder: Path) -> str:
    """The task that a model was trained for."""
    return _read_card(folder.name, folder / CARD).task


def _read_card(name: str, path: Path) -> TrainedCard:
    expected = "one written by tiltmeter train"
    try:
        return read_record(read_json(path, expected), TrainedCard, "it is not whole")
    except CorpusError as error:
        what = f"has a {CARD} that cannot be used; expected {expected}: {error}"
        raise SystemFailure(name, what) from error


def _open_pipeline(model: TrainedModel, options: Options) -> System:
    """A scikit-learn pipeline that takes texts; its scale is 0..1, that of its labels."""
    trust = (*options.trust, *PLAIN)
    scale = options.scale_of(model.name) or UNIT
    system = pipeline(str(model.weights), replace(options, scale=scale, trust=trust))
    return replace(system, card=replace(system.card, notes=system.card.notes[1:]))


def _open_features(model: TrainedModel, options: Options) -> System:
    """The encoders that the card names, as they were, and the regressor on top."""
    import sklearn

    if not model.card.encoders:
        what = "has a model.json that does not say which encoders it reads texts through"
        raise SystemFailure(model.name, f"{what}; expected one written by tiltmeter train")
    encoders = [_open_encoder(model, one) for one in model.card.encoders]
    head, notes = load_skops(model.name, model.weights, options.trust)
    wide = sum(encoder.dimension for encoder in encoders)
    if getattr(head, "n_features_in_", wide) != wide:
        what = f"takes {head.n_features_in_} numbers a text; its encoders give {wide}"
        raise SystemFailure(model.name, f"{what}: damaged, or changed by hand")

    def answer(texts: Sequence[str]) -> list[float]:
        import numpy as np

        if not texts:
            return []
        rows = np.hstack([features(encoder, texts) for encoder in encoders]).astype(np.float64)
        try:
            return list(head.predict(rows).astype(float).tolist())
        except Exception as error:
            what = f"holds a {type(head).__name__} that raised {type(error).__name__}: {error}"
            what = f"{what}; expected a fitted regressor: train it anew"
            raise SystemFailure(model.name, what) from error

    read_through = " and ".join(without_folders(encoder.name) for encoder in encoders)
    card = Card(
        model.name,
        model.card.task,
        options.scale_of(model.name) or UNIT,
        version=f"scikit-learn {sklearn.__version__}",
        settings={"encoders": [encoder.digest for encoder in encoders]},
        weights=model.digest,
        notes=(f"reads texts through {read_through}", *notes),
    )
    return System(card, answer, Pace(FEATURES_BATCH, one_by_one=False))


def _open_encoder(model: TrainedModel, entry: EncoderEntry) -> Encoder:
    """The encoder the model was trained with, and no other."""
    try:
        found = open_encoder(
            entry.spec, pooling=entry.pooling, language=model.card.language, beside=model.folder
        )
    except MissingExtraError:
        raise
    except TiltmeterError as error:
        what = f"cannot open the encoder it was trained with: {error}"
        raise SystemFailure(
            model.name, f"{what}; put it where it was, or into {model.folder}"
        ) from error
    if found.digest != entry.digest:
        what = f"was trained with another {entry.spec} than the one that is here"
        raise SystemFailure(model.name, f"{what} (its files or its version differ): train it anew")
    return found


OPENERS: dict[str, Callable[[TrainedModel, Options], System]] = {
    "sklearn": _open_pipeline,
    "features": _open_features,
    "gru": gru_model,
}
"""What opens each kind of weights."""
