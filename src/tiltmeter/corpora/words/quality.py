"""What tells whether vectors are good for something: analogies, and pairs that people rated.

Our own analogies or a user's questions-words file; a user's rated pairs, or those of an installed
package.
"""

from __future__ import annotations

import unicodedata
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.columns import fold_name
from tiltmeter.corpora.words.lexicon import number_in, read_lines
from tiltmeter.corpora.words.word_lists import DATA, WordListHead, WordPairs, check_words, word_file
from tiltmeter.errors import CorpusError, Problem, cap_problems
from tiltmeter.records import Record, Text

# -------------------------------- analogies

Question = tuple[str, tuple[str, str, str, str]]
UNUSABLE_ANALOGIES = "the analogies cannot be used"
FOUR_WORDS = "lines of four words under lines such as ': capitals', as in questions-words.txt"
SECTION = ":"


class AnalogySection(Record, kw_only=True):
    """`[[sections]]`: pairs that stand to each other alike."""

    name: Text
    pairs: WordPairs


class AnalogiesFile(Record, kw_only=True):
    """A file of pairs by section."""

    list: WordListHead
    sections: tuple[AnalogySection, ...] = ()


def load_analogies(path: str | Path | None = None) -> tuple[Question, ...]:
    """Questions a : b = c : d as (section, (a, b, c, d)): d is to be found from a, b and c.

    A path is a file of analogies in the format of questions-words.txt (Mikolov et al. 2013), or
    pairs by section in TOML, as our own: each pair of a section is asked with each other one.

    >>> load_analogies()[0]
    ('capital and country', ('Paris', 'France', 'Berlin', 'Germany'))
    """
    problems = list[Problem]()
    if path is None or Path(path).suffix.lower() == ".toml":
        where = DATA / "analogies.toml" if path is None else Path(path)
        file, record, problems = word_file(where, AnalogiesFile, "list")
        for nth, part in enumerate(record.sections):
            if len(part.pairs) < 2 and not problems:
                what = f"found {len(part.pairs)} pairs; expected two or more"
                problems.append(Problem(file.at(["sections", nth, "pairs"]), what))
        if not record.sections and not problems:
            what = "found no pairs; expected some under [[sections]]"
            problems.append(Problem(file.at(["list"]), what))
        check_words(problems)
        return tuple(
            (part.name.strip(), (*one, *other))
            for part in record.sections
            for one in part.pairs
            for other in part.pairs
            if one != other
        )
    text = read_lines(Path(path), FOUR_WORDS, "//")
    section, asked = text.path.stem, list[Question]()
    for number, line in text.lines:
        words = unicodedata.normalize("NFC", line).split()
        if line.startswith(SECTION):
            section = line.removeprefix(SECTION).strip() or text.path.stem
        elif len(words) == 4:
            asked.append((section, (words[0], words[1], words[2], words[3])))
        else:
            what = f"found {len(words)} words; expected {FOUR_WORDS}"
            problems.append(Problem(text.at(number), what))
    if not asked and not problems:
        problems.append(Problem(str(text.path), f"found no questions; expected {FOUR_WORDS}"))
    if problems:
        raise CorpusError(UNUSABLE_ANALOGIES, cap_problems(problems, "lines like these"))
    return tuple(asked)


# -------------------------------- pairs rated for likeness

Similarities = tuple[str, tuple[tuple[str, str, float], ...]]
UNUSABLE_SIMILARITIES = "the similarities cannot be used"
RATED_PAIRS = "two words and a score a line, as in WordSim-353 or SimLex-999"
FEWEST_RATED = 3
"""Pairs that a rank correlation needs."""
SCORES = ("human(mean)", "simlex999", "score", "similarity", "rating", "mean", "gold")
KNOWN = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "combined": "WordSim-353"}


def load_similarities(path: str | Path | None = None) -> Similarities | None:
    """The name and the pairs (word, word, score) of a file of rated pairs.

    No path: WordSim-353 (Finkelstein et al. 2002) from an installed gensim, which ships it with
    its tests; None where there is none.
    """
    if path is None:
        spec = find_spec("gensim")  # the file beside the package, which is not imported for it
        places = (spec.submodule_search_locations if spec else None) or ()
        paths = (Path(place) / "test" / "test_data" / "wordsim353.tsv" for place in places)
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return None
    found = Path(path)
    text = read_lines(found, RATED_PAIRS, "#")
    rows = text.rows(UNUSABLE_SIMILARITIES, RATED_PAIRS, 2)
    # The score's column is one that a first line names, else the first number after the words.
    first, sample = rows[0][1], rows[min(1, len(rows) - 1)][1]
    heads = [fold_name(cell) for cell in first]
    score = next((heads.index(name) for name in SCORES if name in heads), 0)
    if score < 2:
        numbers = (nth for nth in range(2, len(sample)) if number_in(sample[nth]) is not None)
        score = next(numbers, 2)
    body = rows[1:] if len(first) > score and number_in(first[score]) is None else rows
    problems = list[Problem]()
    for number, row in body:
        if len(row) <= score or not row[0] or not row[1]:
            what = f"found {len(row)} cells; expected {RATED_PAIRS}"
            problems.append(Problem(text.at(number), what))
        elif number_in(row[score]) is None:
            what = f"found {row[score]!r} for the score; expected a number: {RATED_PAIRS}"
            problems.append(Problem(text.at(number), what))
    if problems:
        raise CorpusError(UNUSABLE_SIMILARITIES, cap_problems(problems, "rows like these"))
    if len(body) < FEWEST_RATED:
        what = f"found {len(body)} pairs; expected {FEWEST_RATED} or more: {RATED_PAIRS}"
        raise CorpusError(UNUSABLE_SIMILARITIES, [Problem(str(found), what)])
    pairs = tuple(
        (unicodedata.normalize("NFC", row[0]), unicodedata.normalize("NFC", row[1]), worth)
        for _, row in body
        if (worth := number_in(row[score])) is not None
    )
    return KNOWN.get(fold_name(found.stem), found.stem), pairs
