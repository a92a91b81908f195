"""A trained model that reads texts through encoders: rows of numbers, then a small regressor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtraError, SystemFailure, TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import UNIT, Card, Pace, System
from tiltmeter.systems.sklearn import load_skops
from tiltmeter.vectors import Encoder, features, open_encoder

if TYPE_CHECKING:
    from tiltmeter.systems.trained import Model

BATCH = 4096
"""Large, since vectors in a text file are looked for in one pass a batch."""


def features_model(model: Model, options: Options) -> System:
    """Open the encoders that the card names, as they were, and the regressor on top."""
    import sklearn

    encoders = [_encoder(model, told) for told in _told(model)]
    head, notes = load_skops(model.name, model.weights, options.trust)
    wide = sum(encoder.dimension for encoder in encoders)
    if getattr(head, "n_features_in_", wide) != wide:
        what = f"takes {head.n_features_in_} numbers a text; its encoders give {wide}"
        raise SystemFailure(model.name, f"{what}: damaged, or changed by hand")

    def answer(texts: Sequence[str]) -> list[float]:
        import numpy as np

        read = [features(encoder, texts) for encoder in encoders]
        rows = np.hstack(read).astype(np.float64)
        return _predicted(model, head, rows) if len(texts) else []

    card = Card(
        model.name,
        model.card["task"],
        options.scale_of(model.name) or UNIT,
        version=f"scikit-learn {sklearn.__version__}",
        settings={"encoders": [encoder.digest for encoder in encoders]},
        weights=model.digest,
        notes=(
            f"reads texts through {' and '.join(without_folders(one.name) for one in encoders)}",
            *notes,
        ),
    )
    return System(card, answer, Pace(BATCH, one_by_one=False))


def _predicted(model: Model, head: Any, rows: Any) -> list[float]:  # noqa: ANN401
    """What the regressor says; whatever it raises becomes a message that names the model."""
    try:
        return list(head.predict(rows).astype(float).tolist())
    except Exception as error:
        what = f"holds a {type(head).__name__} that raised {type(error).__name__}: {error}"
        raise SystemFailure(
            model.name, f"{what}; expected a fitted regressor: train it anew"
        ) from error


def _told(model: Model) -> Sequence[Mapping[str, Any]]:
    """What the card says of its encoders."""
    told = model.card.get("encoders")
    whole = isinstance(told, list) and all(
        isinstance(one, Mapping) and {"spec", "digest"} <= one.keys() for one in told
    )
    if not whole or not told:
        what = "has a model.json that does not say which encoders it reads texts through"
        raise SystemFailure(model.name, f"{what}; expected one written by tiltmeter train")
    return list(told)


def _encoder(model: Model, told: Mapping[str, Any]) -> Encoder:
    """The encoder the model was trained with, and no other."""
    spec, pooling = str(told["spec"]), told.get("pooling")
    try:
        found = open_encoder(
            spec, pooling=pooling, language=model.card["language"], beside=model.folder
        )
    except MissingExtraError:
        raise
    except TiltmeterError as error:
        what = f"cannot open the encoder it was trained with: {error}"
        raise SystemFailure(
            model.name, f"{what}; put it where it was, or into {model.folder}"
        ) from error
    if found.digest != told["digest"]:
        what = f"was trained with another {spec} than the one that is here"
        raise SystemFailure(model.name, f"{what} (its files or its version differ): train it anew")
    return found
