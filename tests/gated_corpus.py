"""A corpus that is audited in a moment, and a system whose answers decide nothing."""

CORPUS = """
[corpus]
name = "small"
title = "A small corpus"
language = "en"
[axes]
gender = ["female", "male"]
[[people]]
list = "kin"
members = [
  { subject = "my sister", gender = "female", match = "sister/brother" },
  { subject = "my brother", gender = "male", match = "sister/brother" },
  { subject = "my aunt", gender = "female", match = "aunt/uncle" },
  { subject = "my uncle", gender = "male", match = "aunt/uncle" },
  { subject = "my mother", gender = "female", match = "mother/father" },
  { subject = "my father", gender = "male", match = "mother/father" },
]
[[words]]
list = "state"
anger = ["angry", "furious", "annoyed"]
[[templates]]
id = "1"
text = "{person} feels {state}."
[[templates]]
id = "2"
text = "I made {person} feel {state}."
"""

NOISY = """
import zlib

def score(texts):
    return [(zlib.crc32(text.encode()) / 2**32 + ("angry" in text)) / 2 for text in texts]

def stars(texts):
    return [1 + 4 * answer for answer in score(texts)]
"""


def write_project(folder):
    """The corpus as small.toml, the system as noisy.py:score."""
    (folder / "small.toml").write_text(CORPUS)
    (folder / "noisy.py").write_text(NOISY)
    return folder
