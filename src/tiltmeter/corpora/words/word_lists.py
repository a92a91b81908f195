"""Lists of words in TOML files of ours or a user's: identity terms, word tests, directions.

Each file has one table that says what it is (`[list]`, `[direction]`) and, most of them, a list of
entries (`[[terms]]`, `[[tests]]` …). Every mistake is said at once, with its line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, field

from tiltmeter.corpora.catalogue import load_corpus
from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.schema import DEFAULT_EDITION, PROVENANCE, LanguageCode, Review
from tiltmeter.errors import CorpusError, Problem, TiltmeterError, UnknownNameError, did_you_mean
from tiltmeter.files import is_there
from tiltmeter.records import (
    Record,
    RecordFile,
    RuleError,
    Text,
    check_record,
    read_toml,
    toml_locator,
)

TERM_LISTS = (
    "national-origin",
    "religion",
    "religion-populous",
    "gender",
    "gender-names",
    "race-names",
    "race-names-latino",
    "race-names-arab",
    "national-origin-es",
    "gender-es",
    "national-origin-ar",
    "gender-ar",
)
WORD_TESTS, ONE_OF_TEN = ("weat",), re.compile(r"weat-([1-9]|10)")
DIRECTIONS = ("gender", "race-names")
NEUTRAL_LISTS = ("ordinary", "occupations")
EDITIONS = (DEFAULT_EDITION, "published")
FEWEST = 2
"""Words that a set or the side of a direction needs: a deviation of one word is none."""
SLOT = "{word}"
SUBJECT = "the word list cannot be used"
DATA = Path(__file__).parents[1] / "data" / "words"

R = TypeVar("R", bound=Record)

# -------------------------------- what the files hold

SingleWord = Annotated[
    str, Meta(pattern=r"\A\S([^\n]*\S)?\Z", description="a word without spaces around it")
]
Words = Annotated[tuple[SingleWord, ...], Meta(description='a list of words, as in ["…", "…"]')]
SomeWords = Annotated[
    tuple[SingleWord, ...], Meta(min_length=1, description='a list of words, as in ["…", "…"]')
]
TestWords = Annotated[
    tuple[SingleWord, ...], Meta(min_length=FEWEST, description="a list of two words or more")
]
WordPairs = Annotated[
    tuple[Annotated[tuple[SingleWord, SingleWord], Meta(description="a pair of two words")], ...],
    Meta(description='a list of pairs, as in [["she", "he"], ["her", "his"]]'),
]


class WordListHead(Record, kw_only=True):
    """What every file of words may say of itself."""

    name: str = ""
    title: str = ""
    language: LanguageCode = "en"
    source: str = ""
    licence: str = ""
    review: Review = "unreviewed"
    note: str = ""

    def called(self, path: Path) -> str:
        """The name of the list: its own, or that of its file."""
        return self.name.strip() or path.stem

    @property
    def provenance(self) -> Provenance:
        """Source, licence, review and note, as far as they are said."""
        return Provenance(
            self.source.strip(), self.licence.strip(), self.review.strip(), self.note.strip()
        )


class NamesHead(WordListHead, kw_only=True):
    """… and which corpus' names it takes."""

    corpus: Text | None = None
    axis: Text | None = None
    match: str = ""

    def __post_init__(self) -> None:
        """Names are taken from a corpus by one of its axes."""
        if self.corpus and not self.axis:
            raise RuleError({"corpus": "names need 'axis', the axis of the corpus they are by"})
        if not self.corpus and (self.axis or self.match):
            key = "axis" if self.axis else "match"
            raise RuleError({key: f"{key!r} needs 'corpus', the corpus whose names are taken"})


def _repeated(**sets: Iterable[str]) -> dict[tuple[str, str], str]:
    """What is said of every word that stands twice in a set."""
    return {
        (key, word): f"{word!r} stands {times} times in {key!r}; keep one"
        for key, words in sets.items()
        for word, times in Counter(words).items()
        if times > 1
    }


class TermEntry(Record, kw_only=True):
    """`[[terms]]`: words of one group."""

    words: SomeWords
    group: Text | None = None
    also: Annotated[
        dict[str, SomeWords], Meta(description='other spellings, as in also.word = ["…"]')
    ] = field(default_factory=dict)
    edition: Literal["corrected", "published"] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        """Every word once, and spellings only of these."""
        wrong = _repeated(words=self.words, **self.also)
        for word in self.also:
            if word not in self.words:
                what = f"'also' has spellings of {word!r}, which is not among the words"
                wrong["also", word] = what
        if wrong:
            raise RuleError(wrong)


class TermsHead(NamesHead, kw_only=True):
    """`[list]` of identity terms."""

    about: str = ""


class TermsFile(Record, kw_only=True):
    """A file of identity terms."""

    list: TermsHead
    terms: tuple[TermEntry, ...] = ()


class WordTestEntry(Record, kw_only=True):
    """`[[tests]]`: two sets of targets and two of attributes."""

    name: Text
    first: TestWords
    second: TestWords
    good: TestWords
    bad: TestWords
    title: str = ""
    first_name: str = ""
    second_name: str = ""
    good_name: str = ""
    bad_name: str = ""
    published: Annotated[float, Meta(description="a number, as in 1.5")] | None = None
    source: str | None = None
    licence: str | None = None
    review: Review | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        """No word in both sets of a kind, none twice in one."""
        wrong = _repeated(first=self.first, second=self.second, good=self.good, bad=self.bad)
        for one, other in (("first", "second"), ("good", "bad")):
            if both := [word for word in getattr(self, one) if word in getattr(self, other)]:
                what = f"{both[0]!r} stands in {one!r} and in {other!r}; keep one"
                wrong[one, both[0]] = what
        if wrong:
            raise RuleError(wrong)


class WordTestsFile(Record, kw_only=True):
    """A file of word tests."""

    list: WordListHead
    tests: tuple[WordTestEntry, ...] = ()


class DirectionHead(NamesHead, kw_only=True):
    """`[direction]`."""

    first_name: str = ""
    second_name: str = ""
    pairs: WordPairs = ()
    first: Words = ()
    second: Words = ()
    neutral: Words | str = ()

    def __post_init__(self) -> None:
        """No pair of one word, none twice in a list."""
        super().__post_init__()
        listed = {"neutral": self.neutral} if isinstance(self.neutral, tuple) else {}
        wrong = _repeated(first=self.first, second=self.second, **listed)
        for one, other in self.pairs:
            if one.casefold() == other.casefold():
                wrong["pairs", one] = f"the pair {one!r}, {other!r} is one word twice"
        if wrong:
            raise RuleError(wrong)


class DirectionFile(Record, kw_only=True):
    """A file of a direction."""

    direction: DirectionHead


class PlainWordsEntry(Record, kw_only=True):
    """`[[words]]`: plain words of one kind."""

    words: SomeWords
    kind: str = ""


class PlainWordsFile(Record, kw_only=True):
    """A file of plain words."""

    list: WordListHead
    words: tuple[PlainWordsEntry, ...] = ()


class SentenceTemplatesHead(WordListHead, kw_only=True):
    """`[list]` of sentences that hold a word."""

    templates: SomeWords


class SentenceTemplatesFile(Record, kw_only=True):
    """A file of sentences that hold a word."""

    list: SentenceTemplatesHead


def word_file(path: Path, kind: type[R], head: str) -> tuple[RecordFile, R, list[Problem]]:
    """A file of words, the sound parts of its record, and what is wrong with the others."""
    file = read_toml(path, f"a TOML file with [{head}]")
    record, problems = check_record(file, kind)
    if record is None:
        raise CorpusError(SUBJECT, problems)
    return file, record, problems


def check_words(problems: Sequence[Problem]) -> None:
    """Raise with every problem found."""
    if problems:
        raise CorpusError(SUBJECT, list(dict.fromkeys(problems)))


def _file_of(spec: str | Path, kind: str, known: Sequence[str], prefix: str = "") -> Path:
    """The file of a built-in name, or a path as it stands; else the nearest names."""
    name, path = str(spec), Path(spec)
    if name in known:
        return DATA / f"{prefix}{name}.toml"
    if path.suffix.lower() == ".toml" or len(path.parts) > 1 or is_there(path):
        return path
    raise UnknownNameError(kind, name, known, " (or the path of a TOML file)")


# -------------------------------- identity terms


@dataclass(frozen=True, slots=True)
class Term:
    """A word that speaks of people, the group it stands for, and its other spellings."""

    text: str
    group: str | None = None
    also: tuple[str, ...] = ()
    """Spellings to look for where an embedding does not have the first one."""


@dataclass(frozen=True, slots=True)
class TermList:
    """Identity terms that are compared with each other."""

    name: str
    title: str
    about: str
    language: str
    terms: tuple[Term, ...]
    provenance: Provenance
    edition: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Its terms as they are written."""
        return tuple(term.text for term in self.terms)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of its terms, in the order they first appear; none where it has none."""
        return tuple(dict.fromkeys(term.group for term in self.terms if term.group is not None))

    @property
    def checksum(self) -> str:
        """SHA-256 of terms, groups and spellings: the same for the same list."""
        return words_checksum([[term.text, term.group, *term.also] for term in self.terms])


def words_checksum(words: Sequence[object]) -> str:
    """SHA-256 of words, however they are nested."""
    return hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()


def load_terms(spec: str | Path, edition: str = DEFAULT_EDITION) -> TermList:
    """A list of identity terms: one of TERM_LISTS, or the path of a TOML file.

    >>> origins = load_terms("national-origin")
    >>> len(origins.terms), origins.terms[0].text, origins.groups
    (15, 'swedish', ())
    >>> load_terms("gender").groups
    ('female', 'male')
    """
    if edition not in EDITIONS:
        raise UnknownNameError("edition of a list of terms", edition, EDITIONS)
    path = _file_of(spec, "list of terms", TERM_LISTS)
    file, record, problems = word_file(path, TermsFile, "list")
    head = record.list
    terms = [
        Term(word, entry.group and entry.group.strip(), entry.also.get(word, ()))
        for entry in record.terms
        for word in entry.words
        if entry.edition in (None, edition)
    ]
    terms += _terms_of_names(file, "list", head, problems)
    if not problems and len(terms) < 2:
        found = f"one term ({terms[0].text!r})" if terms else "no terms"
        what = f"found {found} in this edition; expected two or more under [[terms]]"
        problems.append(Problem(file.at(["list"]), what))
    seen: dict[str, Term] = {}
    for term in terms:
        for spelling in (term.text, *term.also):
            before = seen.setdefault(spelling.casefold(), term)
            if before is not term:
                what = f"{spelling!r} is a spelling of both {before.text!r} and {term.text!r}"
                if before.group != term.group:
                    both = f"{before.group!r} and {term.group!r}"
                    what = f"{spelling!r} stands in two groups, {both}"
                elif before.text == term.text:
                    what = f"{spelling!r} stands twice"
                what = f"{what}; a term stands once in a list, whatever its case"
                where = toml_locator(file).at("[list]", f'"{before.text}"', f'"{spelling}"')
                problems.append(Problem(where, what))
    check_words(problems)
    name = head.called(path)
    return TermList(
        name, head.title.strip() or name, head.about.strip(), head.language, tuple(terms),
        head.provenance, edition,
    )  # fmt: skip


def _terms_of_names(
    file: RecordFile, section: str, head: NamesHead, problems: list[Problem]
) -> list[Term]:
    """The names of the corpus that a file names, grouped by one of its axes; else none.

    `match` keeps to the people of one pool (`names`); without it everyone who is one word.
    """
    if head.corpus is None or head.axis is None:
        return []
    try:
        corpus = load_corpus(head.corpus)
    except TiltmeterError as error:
        what = f"the corpus {head.corpus!r} cannot be read: {error}"
        problems.append(Problem(file.at([section, "corpus"]), what))
        return []
    axis, axes = head.axis, [one.name for one in corpus.axes]
    if axis not in axes or corpus.design is None:
        near = did_you_mean(axis, axes) or f"its axes are {', '.join(axes)}"
        what = f"the corpus {head.corpus!r} has no axis {axis!r} of people: {near}"
        problems.append(Problem(file.at([section, "axis"]), what))
        return []
    return [
        Term(person.name, person.groups.get(axis))
        for person in corpus.design.people
        if person.groups.get(axis)
        and person.match == (head.match or person.match)
        and " " not in person.name
    ]


# -------------------------------- word tests (WEAT)


@dataclass(frozen=True, slots=True)
class WordTest:
    """Two sets of target words and two of attributes: Caliskan, Bryson & Narayanan (2017)."""

    name: str
    title: str
    first_name: str
    first: tuple[str, ...]
    second_name: str
    second: tuple[str, ...]
    good_name: str
    good: tuple[str, ...]
    bad_name: str
    bad: tuple[str, ...]
    provenance: Provenance
    published: float | None = None
    """The effect size d that the paper prints for GloVe."""


def load_word_tests(spec: str | Path = "weat") -> tuple[WordTest, ...]:
    """The ten tests of Caliskan, Bryson & Narayanan (2017), one of them, or a user's TOML file.

    >>> [test] = load_word_tests("weat-6")
    >>> len(load_word_tests()), test.first_name, test.published
    (10, "men's names", 1.81)
    """
    if ONE_OF_TEN.fullmatch(str(spec)) and not Path(spec).exists():
        return tuple(test for test in load_word_tests() if test.name == str(spec))
    path = _file_of(spec, "set of word tests", WORD_TESTS)
    file, record, problems = word_file(path, WordTestsFile, "list")
    if not record.tests and not problems:
        what = "found no tests; expected one or more, each under [[tests]]"
        problems.append(Problem(file.at(["list"]), what))
    names = [test.name.strip() for test in record.tests]
    for nth, name in enumerate(names):
        if name in names[:nth]:
            what = f"a test called {name!r} stands above; rename one"
            problems.append(Problem(file.at(["tests", nth, "name"]), what))
    check_words(problems)
    tests = []
    for name, entry in zip(names, record.tests, strict=True):
        said = {key: own.strip() for key in PROVENANCE if (own := getattr(entry, key)) is not None}
        test = WordTest(
            name, entry.title.strip() or name,
            entry.first_name.strip() or "first", entry.first,
            entry.second_name.strip() or "second", entry.second,
            entry.good_name.strip() or "good", entry.good,
            entry.bad_name.strip() or "bad", entry.bad,
            replace(record.list.provenance, **said), entry.published,
        )  # fmt: skip
        tests.append(test)
    return tuple(tests)


# -------------------------------- identity directions


@dataclass(frozen=True, slots=True)
class Direction:
    """Words that span an identity direction, and words that should not lean along it."""

    name: str
    title: str
    first_name: str
    second_name: str
    pairs: tuple[tuple[str, str], ...]
    """Words that differ in the direction alone; none: it is the difference of the two means."""
    first: tuple[str, ...]
    second: tuple[str, ...]
    neutral: tuple[str, ...]
    provenance: Provenance


def load_direction(spec: str | Path = "gender") -> Direction:
    """A direction: one of DIRECTIONS, or the path of a TOML file with `[direction]`.

    The words of its two sides are listed, the names of a corpus' two groups, or those of the pairs.

    >>> gender = load_direction()
    >>> gender.first_name, gender.pairs[0], len(gender.pairs), "engineer" in gender.neutral
    ('female', ('she', 'he'), 10, True)
    """
    path = _file_of(spec, "direction", DIRECTIONS, "direction-")
    file, record, problems = word_file(path, DirectionFile, "direction")
    head = record.direction

    def wrong(what: str, key: str = "", word: str = "") -> None:
        problems.append(Problem(file.at(["direction", *([key] if key else [])], word), what))

    terms = _terms_of_names(file, "direction", head, problems)
    groups = list(dict.fromkeys(term.group or "" for term in terms))
    if terms and len(groups) != 2:
        wrong(f"found {len(groups)} groups of names ({', '.join(groups)}); expected two", "axis")
    if len(groups) == 2:
        names = (groups[0], groups[1])
        first, second = (tuple(t.text for t in terms if t.group == group) for group in groups)
    else:
        names = (head.first_name.strip() or "first", head.second_name.strip() or "second")
        first, second = (
            listed or tuple(dict.fromkeys(pair[nth] for pair in head.pairs))
            for nth, listed in enumerate((head.first, head.second))
        )
    neutral = head.neutral if isinstance(head.neutral, tuple) else ()
    if isinstance(head.neutral, str):
        if head.neutral in NEUTRAL_LISTS:
            neutral = load_plain_words(head.neutral)
        else:
            near = did_you_mean(head.neutral, NEUTRAL_LISTS)
            near = near or f"expected words, or one of {', '.join(NEUTRAL_LISTS)}"
            wrong(f"there is no list {head.neutral!r} of neutral words: {near}", "neutral")
    if not problems and len(head.pairs) < FEWEST and min(len(first), len(second)) < FEWEST:
        what = f"found {len(head.pairs)} pairs, {len(first)} and {len(second)} words of the two"
        wrong(f"{what} sides; expected two pairs or more, or two words or more in each side")
    for word in first:
        if word in second:
            wrong(f"{word!r} stands on both sides; keep one", "first", word)
    for word in neutral:
        if word in first or word in second:
            wrong(f"{word!r} is neutral and stands on a side as well", "", word)
    check_words(problems)
    name = head.called(path)
    return Direction(
        name, head.title.strip() or name, *names, head.pairs, first, second, neutral,
        head.provenance,
    )  # fmt: skip


# -------------------------------- plain words


def load_ordinary_words() -> tuple[str, ...]:
    """Everyday words without sentiment that speak of nobody, of several kinds.

    >>> words = load_ordinary_words()
    >>> len(words) > 200, "table" in words, "wooden" in words
    (True, True, True)
    """
    return load_plain_words("ordinary")


def load_plain_words(name: str) -> tuple[str, ...]:
    """The words of a list of ours, all kinds together."""
    file, record, problems = word_file(DATA / f"{name}.toml", PlainWordsFile, "list")
    words = tuple(word for entry in record.words for word in entry.words)
    for (_, word), _ in _repeated(words=words).items():
        where = file.at(["list"], word)
        problems.append(Problem(where, f"{word!r} stands in two kinds; keep one"))
    check_words(problems)
    return words


def load_sentence_templates() -> tuple[str, ...]:
    """Sentences that say next to nothing, with {word} for a word: May et al. (2019).

    >>> load_sentence_templates()[0].format(word="Emily")
    'This is Emily.'
    """
    path = DATA / "sentence-templates.toml"
    file, record, problems = word_file(path, SentenceTemplatesFile, "list")
    for template in record.list.templates:
        if template.count(SLOT) != 1:
            where = file.at(["list", "templates"], template)
            problems.append(Problem(where, f"{template!r} needs one {SLOT}"))
    check_words(problems)
    return record.list.templates
