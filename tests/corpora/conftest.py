"""A tiny corpus to spoil, and a way to write one down."""

from pathlib import Path

import pytest

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.errors import TiltmeterError

# Line numbers matter: the tests of messages count them.
TINY = """\
[corpus]
name = "tiny"
language = "en"

[axes]
gender = ["female", "male"]

[[people]]
list = "pronouns"
members = [
  { subject = "she", object = "her", gender = "female", match = "she/he" },
  { subject = "he", object = "him", gender = "male", match = "she/he" },
]

[[people]]
list = "women"
gender = "female"
match = "names"
members = ["Ann", "Eve"]

[[people]]
list = "men"
gender = "male"
match = "names"
members = ["Bob", "Tom"]

[[words]]
list = "state"
joy = ["glad", "happy"]
fear = ["scared"]

[[templates]]
id = "1"
text = "{person} feels {state}."

[[templates]]
id = "2"
text = "I saw {person} by {self}."
slots.person.form = "object"
slots.self = { agrees = "person", female = "herself", male = "himself" }
"""


@pytest.fixture(scope="session")
def tiny():
    """A valid corpus: 6 people × 3 words + 6 people = 24 sentences."""
    return TINY


@pytest.fixture
def corpus_file(tmp_path):
    """Write a corpus file and return its path."""

    def write(text: str | bytes, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def load(corpus_file):
    """Load a corpus from its text."""

    def load_text(text: str, edition: str = "corrected") -> Corpus:
        return load_corpus(corpus_file(text), edition)

    return load_text


@pytest.fixture
def texts(load):
    """The sentences of a corpus given as text, in order."""

    def written(text: str, edition: str = "corrected") -> list[str]:
        return load(text, edition).sentences()["text"].to_list()

    return written


@pytest.fixture
def complaint(corpus_file):
    """The message with which a corpus file is refused, with the folder left out."""

    def refused(text: str | bytes, edition: str = "corrected") -> str:
        path = corpus_file(text)
        with pytest.raises(TiltmeterError) as caught:
            load_corpus(path, edition)
        return str(caught.value).replace(f"{path.parent}/", "")

    return refused
