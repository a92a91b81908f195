"""A corpus of templates that grows with the number of its words, for tests of large corpora."""

import json
from pathlib import Path

import polars as pl

from tiltmeter import Audit
from tiltmeter.studies.paired.labels import LABEL_MEASURES

PEOPLE = """
[[people]]
list = "kin"
members = [
  { subject = "my aunt", gender = "female", match = "aunt/uncle" },
  { subject = "my uncle", gender = "male", match = "aunt/uncle" },
  { subject = "my sister", gender = "female", match = "sister/brother" },
  { subject = "my brother", gender = "male", match = "sister/brother" },
]
"""
GROUPS = {
    ("female", "A"): ["Ada", "Abby", "Ana"],
    ("male", "A"): ["Abel", "Adam", "Alan"],
    ("female", "B"): ["Bea", "Bella", "Bess"],
    ("male", "B"): ["Ben", "Bill", "Bob"],
}


def write_corpus_of(path: Path, words: int) -> Path:
    """Write a corpus of 2 × 16 × 2 · words + 16 sentences."""
    joy = [f"happy {nth}" for nth in range(words)]
    anger = [f"angry {nth}" for nth in range(words)]
    lists = "".join(
        f'[[people]]\nlist = "{gender} {race}"\ngender = "{gender}"\nrace = "{race}"\n'
        f'match = "names"\nmembers = {json.dumps(names)}\n'
        for (gender, race), names in GROUPS.items()
    )
    path.write_text(
        '[corpus]\nname = "grown"\ntitle = "Grown"\nlanguage = "en"\nsource = "a test"\n'
        'licence = "CC0-1.0"\nreview = "unreviewed"\n'
        '[axes]\ngender = ["female", "male"]\nrace = ["A", "B"]\n'
        f"{PEOPLE}{lists}"
        f'[[words]]\nlist = "state"\njoy = {json.dumps(joy)}\nanger = {json.dumps(anger)}\n'
        '[[templates]]\nid = "1"\ntext = "{person} feels {state}."\n'
        '[[templates]]\nid = "2"\ntext = "I saw that {person} was {state}."\n'
        '[[templates]]\nid = "3"\ntext = "{person} lives here."\n',
        encoding="utf-8",
    )
    return path


def in_parts_too(held: Audit) -> pl.DataFrame:
    """Estimates without what needs every sentence at once: resamples, labels, repeats."""
    apart = ["tilt_resampled", *LABEL_MEASURES]
    return held.estimates.filter(~pl.col("measure").is_in(apart))
