"""Lists of identity terms, by name or from a user's own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tiltmeter.corpora.build import DEFAULT_EDITION
from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.words.name_terms import CORPUS_KEYS, terms_of_names
from tiltmeter.corpora.words.part import Part, composed
from tiltmeter.corpora.words.records import Term, TermList
from tiltmeter.corpora.words.word_file import WordFile, file_of, read_word_file
from tiltmeter.errors import UnknownNameError

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
EDITIONS = (DEFAULT_EDITION, "published")
HEAD = ("name", "title", "about", "language", *CORPUS_KEYS, *PROVENANCE)
ENTRY = ("words", "group", "also", "edition", "note")


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
    path = file_of(spec, "list of terms", TERM_LISTS)
    file = read_word_file(path, "list", "terms")
    head = file.head
    head.only(*HEAD)
    written = [term for part in file.entries for term in _terms(part, edition)]
    named = terms_of_names(head)
    _check(file, written, named)
    name = head.text("name", path.stem) or path.stem
    return TermList(
        name,
        head.text("title", name) or name,
        head.text("about", ""),
        head.language(),
        (*written, *named),
        head.provenance(),
        edition,
    )


def _terms(part: Part, edition: str) -> Iterator[Term]:
    """The terms of one entry, where it belongs to the edition."""
    part.only(*ENTRY)
    group = part.text("group") if "group" in part.values else None
    words, also = part.words("words"), _also(part)
    mark = part.text("edition", DEFAULT_EDITION) if "edition" in part.values else edition
    part.text("note", "")
    if mark not in EDITIONS:
        part.wrong(f"'edition' is {mark!r}; expected {' or '.join(EDITIONS)}", "edition")
    for word in also:
        if word not in words:
            part.wrong(f"'also' has spellings of {word!r}, which is not among the words", "also")
    if mark == edition:
        yield from (Term(word, group, also.get(word, ())) for word in words)


def _also(part: Part) -> dict[str, tuple[str, ...]]:
    value = part.values.get("also", {})
    if not isinstance(value, Mapping):
        what = f"'also' is {value!r}; expected other spellings, as in also.word = [\"…\"]"
        part.wrong(what, "also")
        return {}
    inner = Part(part.source, part.header, value, part.problems, part.nth)
    return {composed(word): inner.words(word) for word in value}


def _check(file: WordFile, written: list[Term], named: tuple[Term, ...]) -> None:
    """Raise with everything wrong: no terms, one term, or one spelling for two of them."""
    head, terms = file.head, (*written, *named)
    if not file.problems and len(terms) < 2:
        found = f"one term ({terms[0].text!r})" if terms else "no terms"
        head.wrong(f"found {found} in this edition; expected two or more under [[terms]]")
    seen: dict[str, Term] = {}
    for term in terms:
        for spelling in (term.text, *term.also):
            before = seen.setdefault(spelling.casefold(), term)
            if before is not term:
                head.wrong(_twice(before, term, spelling), f'"{before.text}"', f'"{spelling}"')
    head.texts("name", "title", "about")
    head.language()
    head.provenance()
    file.check()


def _twice(before: Term, term: Term, spelling: str) -> str:
    if before.group != term.group:
        what = f"{spelling!r} stands in two groups, {before.group!r} and {term.group!r}"
    elif before.text == term.text:
        what = f"{spelling!r} stands twice"
    else:
        what = f"{spelling!r} is a spelling of both {before.text!r} and {term.text!r}"
    return f"{what}; a term stands once in a list, whatever its case"
