"""Models trained elsewhere or by `tiltmeter train`.

`sklearn:model.skops` is a scikit-learn pipeline, loaded without pickle. A folder with weights and a
`model.json` card is one of three kinds: a pipeline that takes texts, a regressor over encoders'
rows of numbers, or a GRU (`gru`).
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

from msgspec import field

from tiltmeter.columns import TASKS
from tiltmeter.errors import CorpusError, MissingExtraError, SystemFailure, TiltmeterError
from tiltmeter.files import check_archive, file_digest, without_folders
from tiltmeter.records import Record, Text, read_json, read_record
from tiltmeter.systems.catalogue import CARD
from tiltmeter.systems.gru import gru_model
from tiltmeter.systems.labels import label_values, split_labels
from tiltmeter.systems.options import Options, Scales
from tiltmeter.systems.protocol import SHOWN_TEXT, UNIT, Answer, Card, Pace, System
from tiltmeter.vectors import Encoder, features, open_encoder

PICKLES = (".pkl", ".pickle", ".joblib")
BATCH = 1024


def pipeline(target: str, options: Options) -> System:
    """A pipeline saved with skops that takes texts."""
    name = f"sklearn:{target}"
    place, given = split_labels(name, target)
    path = Path(place)
    if path.suffix.lower() in PICKLES:
        what = (
            "is a pickle, which can run any code when it is opened, so Tiltmeter does not; where "
            "you trust it, convert it: python -c 'import joblib, skops.io; "
            f'skops.io.dump(joblib.load("{path}"), "{path.with_suffix(".skops")}")\''
        )
        raise SystemFailure(name, what)
    if not path.is_file():
        beside = ", ".join(found.name for found in sorted(path.parent.glob("*.skops"))[:8])
        where = f"{path.parent} holds {beside}" if beside else f"{path.parent} holds no .skops file"
        raise SystemFailure(name, f"is not there: no file {path}; {where}")
    if find_spec("sklearn") is None or find_spec("skops") is None:
        raise MissingExtraError(f"what {name!r} needs, scikit-learn and skops,", "learn")
    estimator, notes = load_skops(name, path, options.trust)
    weights = file_digest(path)
    pace = Pace(BATCH, "processes", one_by_one=False)
    return _system(name, estimator, options, given, weights=weights, pace=pace, notes=notes)


def from_estimator(
    estimator: object,
    name: str | None = None,
    options: Options | None = None,
    labels: Mapping[str, float] | None = None,
) -> System:
    """A fitted estimator in hand as a system, for use from Python; it stays in this process."""
    name, options = name or f"sklearn:{type(estimator).__name__}", options or Options()
    if find_spec("sklearn") is None:
        raise MissingExtraError(f"what {name!r} needs, scikit-learn,", "learn")
    import joblib

    try:
        weights = str(joblib.hash(estimator))
    except Exception:  # what cannot be hashed is new every time, so no stored score is reused
        weights = uuid.uuid4().hex
    pace = Pace(BATCH, one_by_one=False)
    return _system(name, estimator, options, labels or {}, weights=weights, pace=pace)


def load_skops(name: str, path: Path, trust: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """The estimator in a skops file, and what scikit-learn warned of while it was read."""
    import skops.io

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            check_archive(path)
            unknown = skops.io.get_untrusted_types(file=path)
            untrusted = [kind for kind in unknown if kind not in trust]
            if not untrusted:
                estimator = skops.io.load(path, trusted=unknown)
        except Exception as error:
            what = f"cannot be read as a skops file: {type(error).__name__}: {error}"
            raise SystemFailure(name, what) from error
    if untrusted:
        flags = " ".join(f"--trust {kind}" for kind in untrusted)
        what = (
            f"holds types that skops does not know: {', '.join(untrusted)}; if you trust whoever "
            f"made the file, and these do what they should, add {flags}"
        )
        raise SystemFailure(name, what)
    notes = dict.fromkeys(str(warning.message).splitlines()[0] for warning in warned)
    return estimator, tuple(notes)


def _system(
    name: str,
    estimator: Any,  # noqa: ANN401
    options: Options,
    given: Mapping[str, float],
    *,
    weights: str,
    pace: Pace,
    notes: tuple[str, ...] = (),
) -> System:
    """A fitted regressor or classifier, asked by the method that says most about its labels."""
    import numpy as np
    import sklearn
    from sklearn.base import is_classifier, is_regressor

    regressor = hasattr(estimator, "predict") and is_regressor(estimator)
    if not hasattr(estimator, "predict") or not (regressor or is_classifier(estimator)):
        what = f"is a {type(estimator).__name__}; expected a fitted regressor or classifier"
        raise SystemFailure(name, what)
    method, predict, scale = "predict", estimator.predict, None
    if regressor:
        meaning, task = "the score is what the regressor predicts", options.task_among(name, TASKS)
    else:
        classes = getattr(estimator, "classes_", None)
        if classes is None:
            raise SystemFailure(name, "has no classes: it is not fitted; fit it before saving it")
        found = label_values(name, classes.tolist(), options, given, numbers_count=True)
        task, scale, values = found.task, found.scale, found.values
        by_label = dict(zip(found.labels, values, strict=True))
        if hasattr(estimator, "predict_proba"):
            method, meaning = "predict_proba", str(found)
            predict = lambda texts: estimator.predict_proba(texts) @ values  # noqa: E731
        elif len(classes) == 2 and hasattr(estimator, "decision_function"):
            method, scale, side = "decision_function", None, 1.0 if values[1] > values[0] else -1.0
            high = found.labels[1 if side > 0 else 0]
            meaning = "the score is the distance from the decision boundary, positive towards "
            meaning += repr(high)
            predict = lambda texts: side * estimator.decision_function(texts)  # noqa: E731
        else:
            listed = ", ".join(f"{label} = {number:g}" for label, number in by_label.items())
            meaning = f"the score is the value of the predicted label: {listed}".replace("-", "−")
            predict = lambda texts: np.array(  # noqa: E731
                [by_label[str(label)] for label in estimator.predict(texts).tolist()]
            )

    def answer(texts: Sequence[str]) -> Sequence[Answer]:
        try:
            return list(predict(list(texts)).ravel().tolist()) if texts else []
        except Exception as error:
            what = f"raised {type(error).__name__}: {error}; expected a pipeline that takes texts"
            raise SystemFailure(name, what, repr(texts[0][:SHOWN_TEXT])) from error

    card = Card(
        name,
        task,
        options.scale_of(name, scale),
        version=f"scikit-learn {sklearn.__version__}",
        settings={"reads": method, "means": meaning},
        weights=weights,
        notes=(meaning, *notes),
    )
    return System(card, answer, pace, estimator=estimator)


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
    scale = Scales(only=options.scale_of(model.name, UNIT))
    system = pipeline(str(model.weights), replace(options, scale=scale, trust=trust))
    return replace(system, card=replace(system.card, notes=system.card.notes[1:]))


def _open_features(model: TrainedModel, options: Options) -> System:
    """The encoders that the card names, as they were, and the regressor on top."""
    import sklearn

    if not model.card.encoders:
        what = "has a model.json that does not say which encoders it reads texts through"
        raise SystemFailure(model.name, f"{what}; expected one written by tiltmeter train")
    encoders: list[Encoder] = []
    for entry in model.card.encoders:
        try:
            encoder = open_encoder(
                entry.spec, pooling=entry.pooling, language=model.card.language, beside=model.folder
            )
        except MissingExtraError:
            raise
        except TiltmeterError as error:
            what = f"cannot open the encoder it was trained with: {error}"
            advice = f"put it where it was, or into {model.folder}"
            raise SystemFailure(model.name, f"{what}; {advice}") from error
        if encoder.digest != entry.digest:
            what = f"was trained with another {entry.spec} than the one that is here"
            advice = "(its files or its version differ): train it anew"
            raise SystemFailure(model.name, f"{what} {advice}")
        encoders.append(encoder)
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
        options.scale_of(model.name, UNIT),
        version=f"scikit-learn {sklearn.__version__}",
        settings={"encoders": [encoder.digest for encoder in encoders]},
        weights=model.digest,
        notes=(f"reads texts through {read_through}", *notes),
    )
    return System(card, answer, Pace(FEATURES_BATCH, one_by_one=False))


OPENERS: dict[str, Callable[[TrainedModel, Options], System]] = {
    "sklearn": _open_pipeline,
    "features": _open_features,
    "gru": gru_model,
}
"""What opens each kind of weights."""
