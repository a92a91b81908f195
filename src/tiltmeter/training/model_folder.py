"""A trained model's folder: its weights, and a card that says what it is and how it was made."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import OutputError
from tiltmeter.files import without_formulas
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
    with _write_errors(folder):
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
    place = Path(os.path.realpath(folder))  # a link stays a link
    with _write_errors(folder):
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:100]}."))
        try:
            new = aside / "model"
            new.mkdir()
            weights = fitted.save(new)
            digest = hashlib.sha256((new / weights).read_bytes()).hexdigest()
            whole_card = {"schema_version": 1, "tool": TOOL, "kind": fitted.kind, **card}
            whole_card["weights"] = {"file": weights, "sha256": digest}
            text = json.dumps(whole_card, indent=2, ensure_ascii=False, allow_nan=False)
            (new / CARD).write_text(text + "\n", encoding="utf-8")
            for name, table in (tables or {}).items():
                (new / name).write_text(without_formulas(table).write_csv(), encoding="utf-8")
            _replace_folder(new, place, aside / "before")
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _replace_folder(new: Path, place: Path, before: Path) -> None:
    """Rename into place; what stood there is put back if that fails."""
    if not place.exists():
        new.replace(place)
        return
    place.replace(before)
    try:
        new.replace(place)
    except BaseException:
        before.replace(place)
        raise


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


@contextlib.contextmanager
def _write_errors(folder: Path) -> Iterator[None]:
    """What the system refuses, with the folder's name."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
