"""A trained model as a system: a folder with weights and a `model.json` card.

Three kinds: a scikit-learn pipeline that takes texts, a regressor over encoders' rows of numbers,
and a GRU (`gru`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, SystemFailure, TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.systems.catalogue import CARD
from tiltmeter.systems.gru import gru_model
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, UNIT, Card, Pace, System
from tiltmeter.systems.sklearn import load_skops, pipeline
from tiltmeter.vectors import Encoder, features, open_encoder

PLAIN = ("scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array")
"""Types our own models hold that skops does not know: arrays of numbers, nothing that runs."""
NEEDED = ("recipe", "kind", "task", "language", "weights", "data")
NAMED = ("recipe", "kind", "task", "language", "name")
"""What must be text on a card, where it stands."""
LONGEST_NAME = 255
FEATURES_BATCH = 4096
"""Large, since vectors in a text file are looked for in one pass a batch."""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A trained model's folder whose weights are those its card speaks of."""

    name: str
    folder: Path
    weights: Path
    card: Mapping[str, Any]
    """What `model.json` says."""

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return str(self.card["weights"]["sha256"])


def trained(target: str, options: Options) -> System:
    """Open a model that `tiltmeter train` wrote."""
    folder = Path(target)
    card = _read_card(folder.name or str(folder), folder / CARD)
    name = str(card.get("name") or folder.resolve().name)[:LONGEST_NAME]
    if card["kind"] not in OPENERS:
        known = ", ".join(OPENERS)
        raise SystemFailure(name, f"is of the kind {card['kind']!r}; this Tiltmeter opens {known}")
    if options.task not in (None, card["task"]):
        raise TiltmeterError(f"{name} was trained for {card['task']}; {options.task!r} was asked")
    model = TrainedModel(name, folder, _check_weights(name, folder, card), card)
    system = OPENERS[card["kind"]](model, replace(options, task=card["task"]))
    note = f"{card['recipe']} trained on {_rows(card):,} texts"
    notes = (note, *system.card.notes)
    return replace(
        system, card=replace(system.card, name=name, languages=(card["language"],), notes=notes)
    )


def trained_for(folder: Path) -> str:
    """The task that a model was trained for."""
    return str(_read_card(folder.name, folder / CARD)["task"])


def _read_card(name: str, path: Path) -> dict[str, Any]:
    try:
        card = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SystemFailure(name, f"has a {CARD} that cannot be read: {error}") from error
    missing = [key for key in NEEDED if not isinstance(card, Mapping) or key not in card]
    odd = [key for key in NAMED if not missing and not _is_text(card.get(key, ""))]
    if missing:
        what = f"has a {CARD} without {', '.join(missing)}"
    elif odd:
        what = f"has a {CARD} in which {odd[0]} is {card[odd[0]]!r:.80}"
    elif card["task"] not in TASKS:
        what = f"has no task in {CARD}"
    elif not isinstance(card["weights"], Mapping):
        what = f"has a {CARD} that does not say which file its weights are in"
    elif not isinstance(_rows(card), int):
        what = f"has a {CARD} that does not say how many texts it was trained on"
    else:
        return dict(card)
    raise SystemFailure(name, f"{what}; expected one written by tiltmeter train")


def _is_text(found: object) -> bool:
    """True for a text that can be written down: no lone halves of letters."""
    return isinstance(found, str) and found.encode(errors="replace").decode() == found


def _rows(card: Mapping[str, Any]) -> object:
    """How many texts a model was trained on, as its card says."""
    try:
        return card["data"]["train"]["rows"]
    except (KeyError, TypeError, IndexError):
        return None


def _check_weights(name: str, folder: Path, card: Mapping[str, Any]) -> Path:
    """The weights' file, if it is what the card says it is."""
    path = folder / Path(str(card["weights"].get("file", ""))).name[:LONGEST_NAME]
    if not path.is_file():
        raise SystemFailure(name, f"lacks its weights: no file {path}")
    if hashlib.sha256(path.read_bytes()).hexdigest() != card["weights"].get("sha256"):
        what = f"has other weights than its card says ({path.name}): damaged, or changed by hand"
        raise SystemFailure(name, what)
    return path


def _open_pipeline(model: TrainedModel, options: Options) -> System:
    """A scikit-learn pipeline that takes texts; its scale is 0..1, that of its labels."""
    trust = (*options.trust, *PLAIN)
    scale = options.scale_of(model.name) or UNIT
    system = pipeline(str(model.weights), replace(options, scale=scale, trust=trust))
    return replace(system, card=replace(system.card, notes=system.card.notes[1:]))


def _open_features(model: TrainedModel, options: Options) -> System:
    """The encoders that the card names, as they were, and the regressor on top."""
    import sklearn

    listed = model.card.get("encoders")
    whole = isinstance(listed, list) and all(
        isinstance(one, Mapping) and {"spec", "digest"} <= one.keys() for one in listed
    )
    if not whole or not listed:
        what = "has a model.json that does not say which encoders it reads texts through"
        raise SystemFailure(model.name, f"{what}; expected one written by tiltmeter train")
    encoders = [_open_encoder(model, one) for one in listed]
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
        model.card["task"],
        options.scale_of(model.name) or UNIT,
        version=f"scikit-learn {sklearn.__version__}",
        settings={"encoders": [encoder.digest for encoder in encoders]},
        weights=model.digest,
        notes=(f"reads texts through {read_through}", *notes),
    )
    return System(card, answer, Pace(FEATURES_BATCH, one_by_one=False))


def _open_encoder(model: TrainedModel, listed: Mapping[str, Any]) -> Encoder:
    """The encoder the model was trained with, and no other."""
    spec, pooling = str(listed["spec"]), listed.get("pooling")
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
    if found.digest != listed["digest"]:
        what = f"was trained with another {spec} than the one that is here"
        raise SystemFailure(model.name, f"{what} (its files or its version differ): train it anew")
    return found


OPENERS: dict[str, Callable[[TrainedModel, Options], System]] = {
    "sklearn": _open_pipeline,
    "features": _open_features,
    "gru": gru_model,
}
"""What opens each kind of weights."""
