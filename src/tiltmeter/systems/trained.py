"""A trained model as a system: a folder with weights and a `model.json` card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, UNIT, System
from tiltmeter.systems.sklearn import pipeline

CARD = "model.json"
PLAIN = ("scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array")
"""Types our own models hold that skops does not know: arrays of numbers, nothing that runs."""
NEEDED = ("recipe", "kind", "task", "language", "weights", "data")
NAMED = ("recipe", "kind", "task", "language", "name")
"""What must be text on a card, where it stands."""
LONGEST_NAME = 255
SCALE = UNIT
"""Trained models are fitted to labels from 0 to 1; what they predict may lie outside."""


OPENERS = {
    "sklearn": "tiltmeter.systems.trained:texts_pipeline",
    "features": "tiltmeter.systems.features:features_model",
    "gru": "tiltmeter.systems.gru:gru_model",
}
"""What opens each kind of weights: (Model, Options) -> System."""


@dataclass(frozen=True, slots=True)
class Model:
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
    told = _card(folder.name or str(folder), folder / CARD)
    name = str(told.get("name") or folder.resolve().name)[:LONGEST_NAME]
    if told["kind"] not in OPENERS:
        known = ", ".join(OPENERS)
        raise SystemFailure(name, f"is of the kind {told['kind']!r}; this Tiltmeter opens {known}")
    if options.task not in (None, told["task"]):
        raise TiltmeterError(f"{name} was trained for {told['task']}; {options.task!r} was asked")
    model = Model(name, folder, _weights(name, folder, told), told)
    module, _, function = OPENERS[told["kind"]].partition(":")
    system: System = getattr(import_module(module), function)(
        model, replace(options, task=told["task"])
    )
    made = f"{told['recipe']} trained on {_rows(told):,} texts"
    notes = (made, *system.card.notes)
    card = replace(system.card, name=name, languages=(told["language"],), notes=notes)
    return replace(system, card=card)


def trained_for(folder: Path) -> str:
    """The task that a model was trained for."""
    return str(_card(folder.name, folder / CARD)["task"])


def texts_pipeline(model: Model, options: Options) -> System:
    """A scikit-learn pipeline that takes texts."""
    trust = (*options.trust, *PLAIN)
    scale = options.scale_of(model.name) or SCALE
    system = pipeline(str(model.weights), replace(options, scale=scale, trust=trust))
    return replace(system, card=replace(system.card, notes=system.card.notes[1:]))


def _card(name: str, path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SystemFailure(name, f"has a {CARD} that cannot be read: {error}") from error
    missing = [key for key in NEEDED if not isinstance(told, Mapping) or key not in told]
    odd = [key for key in NAMED if not missing and not _is_text(told.get(key, ""))]
    if missing:
        what = f"has a {CARD} without {', '.join(missing)}"
    elif odd:
        what = f"has a {CARD} in which {odd[0]} is {told[odd[0]]!r:.80}"
    elif told["task"] not in TASKS:
        what = f"has no task in {CARD}"
    elif not isinstance(told["weights"], Mapping):
        what = f"has a {CARD} that does not say which file its weights are in"
    elif not isinstance(_rows(told), int):
        what = f"has a {CARD} that does not say how many texts it was trained on"
    else:
        return dict(told)
    raise SystemFailure(name, f"{what}; expected one written by tiltmeter train")


def _is_text(found: object) -> bool:
    """True for a text that can be written down: no lone halves of letters."""
    return isinstance(found, str) and found.encode(errors="replace").decode() == found


def _rows(told: Mapping[str, Any]) -> object:
    """How many texts a model was trained on, as its card says."""
    try:
        return told["data"]["train"]["rows"]
    except (KeyError, TypeError, IndexError):
        return None


def _weights(name: str, folder: Path, told: Mapping[str, Any]) -> Path:
    """The weights, if they are what the card says they are."""
    path = folder / Path(str(told["weights"].get("file", ""))).name[:LONGEST_NAME]
    if not path.is_file():
        raise SystemFailure(name, f"lacks its weights: no file {path}")
    if hashlib.sha256(path.read_bytes()).hexdigest() != told["weights"].get("sha256"):
        what = f"has other weights than its card says ({path.name}): damaged, or changed by hand"
        raise SystemFailure(name, what)
    return path
