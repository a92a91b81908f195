"""What every name of the Census table does to the score of a sentence, by some packaged systems.

Unlike `census_scores.py` this holds all 53,615 names, whatever their cut-off, and only each name's
mean over the EEC's 144 frames: who draws lists of names that meet every frame needs no more.
Scoring takes a few minutes and is kept in a folder, so that it is done once.
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

SYSTEMS = ("vader", "textblob", "nrclex", "senticnet", "glove-lexicon")
STORED = Path(__file__).parent.parent / ".venv" / "every-name"
TABLE = Path(__file__).parent.parent / "src/tiltmeter/corpora/data/people/us-first-names.parquet"
SHARES = {"Black": "black", "White": "white", "Asian or Pacific": "asian", "Hispanic": "hispanic"}
"""A race's column of hundredths of a percent of a name's bearers."""


@dataclass(frozen=True, slots=True)
class NameEffects:
    """Every name of the table, and what it does by every system."""

    names: pl.DataFrame
    """name, bearers, the shares of `SHARES` and female, from 0 to 1."""
    effects: Array
    """(systems, names): the mean score over frames, on the scale from 0 to 1."""
    words: Array
    """(systems,): how far emotion words move a score, root mean square over frames."""
    systems: tuple[str, ...]

    def population(self, cutoff: float, races: tuple[str, ...]) -> pl.DataFrame:
        """Names of one race and one sex: `at` (their place), bearers, gender, race.

        `cutoff` is the least share of a race; of a sex it is 90 %, as in names-us.
        """
        female = pl.col("female")
        named = self.names.with_row_index("at").with_columns(
            gender=pl.when(female >= 0.9).then(pl.lit("female")).when(female <= 0.1)
            .then(pl.lit("male"))
        )  # fmt: skip
        parts = [
            named.filter(pl.col(SHARES[race]) >= cutoff - 1e-9).with_columns(race=pl.lit(race))
            for race in races
        ]
        columns = ("at", "name", "bearers", "gender", "race")
        return pl.concat(parts).drop_nulls("gender").select(columns)


def every_name(systems: tuple[str, ...] = SYSTEMS, folder: Path = STORED) -> NameEffects:
    """All names by all systems, scored now or taken from the folder."""
    shares = pl.col(*SHARES.values(), "female").cast(pl.Float64) / 10_000
    names = pl.read_parquet(TABLE).select("name", "bearers", shares)
    folder.mkdir(parents=True, exist_ok=True)
    effects, words = [], []
    for system in systems:
        path = folder / f"{system}.npz"
        if not path.is_file():
            mean, of_frame = _score(system, names["name"].to_list(), names["female"].to_numpy())
            np.savez(path, effects=mean, words=of_frame)
        stored = np.load(path, allow_pickle=False)
        effects.append(stored["effects"])
        words.append(float(np.std(stored["words"])))
    return NameEffects(names, np.array(effects), np.array(words), systems)


def _score(system: str, names: list[str], female: Array) -> tuple[Array, Array]:
    """Each name's mean over frames, and each emotion word's frames' mean over names.

    Names that score alike in all probed frames are taken to score alike in the others, so that of
    the many names unknown to a lexicon one is scored.
    """
    opened, frames = open_system(system), _frames()
    scale = opened.card.scale

    def score(frame: Frame, which: list[int]) -> Array:
        texts = []
        for at in which:
            before, after = frame.woman if female[at] >= 0.5 else frame.man
            texts.append(before + names[at] + after)
        scores = np.array(opened.answer(texts), np.float64)
        return scores if scale is None else (scores - scale.low) / scale.width

    probed = {at: score(frames[at], list(range(len(names)))) for at in range(0, 144, PROBE_STEP)}
    keys = np.column_stack([female >= 0.5, *probed.values()])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    total, words = np.zeros(len(names)), list[float]()
    for at, frame in enumerate(frames):
        scores = probed[at] if at in probed else score(frame, first.tolist())[group.reshape(-1)]
        total += scores
        if frame.is_spoken:
            words.append(float(scores.mean()))
    return total / len(frames), np.array(words)


PROBE_STEP = 11
"""Every so many frames one is probed: of every template and emotion."""
Halves = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence about a woman and about a man: what stands before and after the name."""

    woman: Halves
    man: Halves
    is_spoken: bool
    """Whether it has an emotion word."""


def _frames() -> list[Frame]:
    """The EEC's 144 frames."""
    corpus = load_corpus("eec").sentences()
    halves: list[list[Halves]] = []
    for name in ("Ebony", "Alonzo"):
        frames = corpus.filter(pl.col("person") == name).sort("frame")
        parts = [text.partition(name) for text in frames["text"]]
        halves.append([(before, after) for before, _, after in parts])
    spoken = frames["emotion_word"].is_not_null()
    return [Frame(*both) for both in zip(*halves, spoken, strict=True)]
