"""A trained model's folder: its weights, and a card that says what it is and how it was made."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import OutputError
from tiltmeter.train.recipes import Fitted

if TYPE_CHECKING:
    import polars as pl

CARD = "model.json"
TOOL = "tiltmeter"


def check_place(folder: Path) -> None:
    """Raise now if a model could not be written there later."""
    if folder.is_dir():
        if any(folder.iterdir()) and not _ours(folder):
            what = "the folder is not empty and holds no trained model; choose another with -o"
            raise OutputError(f"{folder}: {what}")
    elif folder.exists():
        raise OutputError(f"{folder}: is a file; expected a folder, or none yet")


def write_model(
    fitted: Fitted,
    card: Mapping[str, Any],
    folder: Path,
    tables: Mapping[str, pl.DataFrame] | None = None,
) -> None:
    """Write a model, its card and tables by name; the folder is whole or as it was."""
    check_place(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    try:
        weights = fitted.save(aside)
        digest = hashlib.sha256((aside / weights).read_bytes()).hexdigest()
        told = {"schema_version": 1, "tool": TOOL, "kind": fitted.kind, **card}
        told["weights"] = {"file": weights, "sha256": digest}
        text = json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False)
        (aside / CARD).write_text(text + "\n", encoding="utf-8")
        for name, table in (tables or {}).items():
            table.write_csv(aside / name)
        aside.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        aside.replace(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _ours(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / CARD).read_bytes()).get("tool") == TOOL)
    except (OSError, ValueError, AttributeError):
        return False
