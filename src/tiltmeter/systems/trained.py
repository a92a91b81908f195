"""A trained model as a system: a folder with weights and a `model.json` card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, UNIT, System
from tiltmeter.systems.sklearn import pipeline

CARD = "model.json"
PLAIN = ("scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array")
"""Types our own models hold that skops does not know: arrays of numbers, nothing that runs."""
SCALE = UNIT
"""Trained models are fitted to labels from 0 to 1; what they predict may lie outside."""


def trained(target: str, options: Options) -> System:
    """Open a model that `tiltmeter train` wrote."""
    folder = Path(target)
    name = folder.name or str(folder)
    told = _card(name, folder / CARD)
    if told["kind"] != "sklearn":
        what = f"is of the kind {told['kind']!r}; this Tiltmeter opens sklearn"
        raise SystemFailure(name, what)
    if options.task not in (None, told["task"]):
        raise TiltmeterError(f"{name} was trained for {told['task']}; {options.task!r} was asked")
    path = _weights(name, folder, told)
    trust = (*options.trust, *PLAIN)
    inner = replace(options, task=told["task"], scale=options.scale or SCALE, trust=trust)
    system = pipeline(str(path), inner)
    made = f"{told['recipe']} trained on {told['data']['train']['rows']:,} texts"
    card = replace(
        system.card, name=name, languages=(told["language"],), notes=(made, *system.card.notes[1:])
    )
    return replace(system, card=card)


def _card(name: str, path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SystemFailure(name, f"has a {CARD} that cannot be read: {error}") from error
    needed = ("recipe", "kind", "task", "language", "weights", "data")
    missing = [key for key in needed if not isinstance(told, Mapping) or key not in told]
    if missing or told["task"] not in TASKS:
        what = f"has a {CARD} without {', '.join(missing)}" if missing else f"has no task in {CARD}"
        raise SystemFailure(name, f"{what}; expected one written by tiltmeter train")
    return dict(told)


def _weights(name: str, folder: Path, told: Mapping[str, Any]) -> Path:
    """The weights, if they are what the card says they are."""
    path = folder / Path(str(told["weights"].get("file", ""))).name
    if not path.is_file():
        raise SystemFailure(name, f"lacks its weights: no file {path}")
    if hashlib.sha256(path.read_bytes()).hexdigest() != told["weights"].get("sha256"):
        what = f"has other weights than its card says ({path.name}): damaged, or changed by hand"
        raise SystemFailure(name, what)
    return path
