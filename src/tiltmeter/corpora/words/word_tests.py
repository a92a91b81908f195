"""Word-set tests (WEAT), by name or from a user's own file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.words.part import Part
from tiltmeter.corpora.words.records import WordTest
from tiltmeter.corpora.words.word_file import file_of, read_word_file

WORD_TESTS = ("weat",)
ONE_OF_TEN = re.compile(r"weat-([1-9]|10)")
SETS = ("first", "second", "good", "bad")
HEAD = ("name", "title", "language", *PROVENANCE)
ENTRY = ("name", "title", *SETS, *(f"{one}_name" for one in SETS), "published", *PROVENANCE)
FEWEST = 2
"""Words a set needs: a deviation of one word's association is none."""


def load_word_tests(spec: str | Path = "weat") -> tuple[WordTest, ...]:
    """The ten tests of Caliskan, Bryson & Narayanan (2017), one of them, or a user's TOML file.

    >>> [test] = load_word_tests("weat-6")
    >>> len(load_word_tests()), test.first_name, test.published
    (10, "men's names", 1.81)
    """
    if ONE_OF_TEN.fullmatch(str(spec)) and not Path(spec).exists():
        return tuple(test for test in load_word_tests() if test.name == str(spec))
    file = read_word_file(file_of(spec, "set of word tests", WORD_TESTS), "list", "tests")
    file.head.only(*HEAD)
    file.head.texts("name", "title")
    file.head.language()
    whole = file.head.provenance()
    tests = [_test(part, whole) for part in file.entries]
    if not tests and not file.problems:
        file.head.wrong("found no tests; expected one or more, each under [[tests]]")
    for nth, test in enumerate(tests):
        if test.name and test.name in [before.name for before in tests[:nth]]:
            file.entries[nth].wrong(f"a test called {test.name!r} stands above; rename one", "name")
    file.check()
    return tuple(tests)


def _test(part: Part, whole: Provenance) -> WordTest:
    part.only(*ENTRY)
    name = part.text("name")
    sets = {one: part.words(one, FEWEST) for one in SETS}
    for one, other in (("first", "second"), ("good", "bad")):
        if both := [word for word in sets[one] if word in sets[other]]:
            part.wrong(f"{both[0]!r} stands in {one!r} and in {other!r}; keep one", one, both[0])
    own = part.provenance()
    said = {key: getattr(own, key) for key in PROVENANCE if key in part.values}
    return WordTest(
        name,
        part.text("title", name) or name,
        part.text("first_name", "first") or "first",
        sets["first"],
        part.text("second_name", "second") or "second",
        sets["second"],
        part.text("good_name", "good") or "good",
        sets["good"],
        part.text("bad_name", "bad") or "bad",
        sets["bad"],
        replace(whole, **said),
        part.number("published"),
    )
