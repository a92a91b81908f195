"""A trained model's folder: its weights, and a card that says what it is and how it was made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import OutputError
from tiltmeter.files import file_digest, new_folder, without_formulas, write_errors
from tiltmeter.training.recipes import FittedModel

if TYPE_CHECKING:
    import polars as pl

CARD = "model.json"
TOOL = "tiltmeter"
PERSON_WORDS = "person-words.csv"
"""The one table that a model may leave beside its weights."""


def check_place(folder: Path) -> None:
    """Raise now if a model could not be written there later, or if something would be lost."""
    place = Path(os.path.realpath(folder))
    with write_errors(folder):
        if place == Path(os.path.realpath(Path.cwd())):
            raise OutputError(f"{folder}: is the folder you are in; name another with -o")
        if place.is_dir():
            _check_inside(folder, place)
        elif place.exists():
            raise OutputError(f"{folder}: is a file; expected a folder, or none yet")
        above = next(one for one in place.parents if one.exists())
        if not above.is_dir():
            raise OutputError(f"{folder}: {above} is a file; expected a folder")
        if not os.access(above, os.W_OK):
            raise OutputError(f"{folder}: {above} cannot be written to; choose another with -o")


def write_model(
    fitted: FittedModel,
    card: Mapping[str, Any],
    folder: Path,
    tables: Mapping[str, pl.DataFrame] | None = None,
) -> None:
    """Write a model, its card and tables by name; the folder is whole or as it was."""
    check_place(folder)
    with new_folder(folder) as new:
        weights = fitted.save(new)
        whole_card = {"schema_version": 1, "tool": TOOL, "kind": fitted.kind, **card}
        whole_card["weights"] = {"file": weights, "sha256": file_digest(new / weights)}
        text = json.dumps(whole_card, indent=2, ensure_ascii=False, allow_nan=False)
        (new / CARD).write_text(text + "\n", encoding="utf-8")
        for name, table in (tables or {}).items():
            (new / name).write_text(without_formulas(table).write_csv(), encoding="utf-8")


def _check_inside(folder: Path, place: Path) -> None:
    """Refuse a folder with anything in it that no earlier training wrote."""
    inside = {path.name for path in place.iterdir()}
    try:
        card = json.loads((place / CARD).read_bytes())
        ours = card["tool"] == TOOL
        written = {CARD, str(card["weights"]["file"]), PERSON_WORDS} if ours else set()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        written = set()
    if inside and not written:
        what = "the folder is not empty and holds no trained model; choose another with -o"
        raise OutputError(f"{folder}: {what}")
    if others := sorted(inside - written):
        what = f"holds {others[0]!r} beside a trained model, and it would be lost"
        raise OutputError(f"{folder}: {what}; move it, or choose another with -o")
