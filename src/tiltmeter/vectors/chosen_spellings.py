"""Which of a word's spellings is taken, where a file holds several, and what is said of it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from tiltmeter.vectors.encoder import WordVectors
from tiltmeter.vectors.formats import SourceVectors, said

RESPELLED = "were found only in another spelling"
MIXED = "also stand in another case, which was not used"
Asked = Mapping[str, Sequence[str]]
"""Words, each with the spellings it is looked for under, the best first."""


def chosen(held: WordVectors, asked: Asked, known: Container[str]) -> dict[str, str]:
    """The spelling of each word that is taken: the first there is, sooner than one built."""
    built, taken = _built(held), {}
    for word, forms in asked.items():
        there = [form for form in forms if form in known]
        if there:
            taken[word] = next((form for form in there if form not in built), there[0])
    return taken


def remarks_on(
    held: WordVectors, asked: Asked, known: Container[str], taken: Mapping[str, str]
) -> tuple[str, ...]:
    """What a reader should know of the file, and of how words were found in it."""
    other = {word: f"as {form!r}" for word, form in taken.items() if word != form}
    mixed = _in_other_cases(held, asked, known, taken)
    told = [said(what, which) for what, which in ((RESPELLED, other), (MIXED, mixed)) if which]
    return (*_notes(held, asked, taken), *told)


def _notes(held: WordVectors, asked: Asked, taken: Mapping[str, str]) -> tuple[str, ...]:
    """What was found odd about the spellings taken, and about those that would have come first."""
    if not isinstance(held, SourceVectors):
        return held.notes
    passed = {
        form
        for word, forms in asked.items()
        for form in forms[: forms.index(taken[word]) if word in taken else None]
        if form not in held.built()
    }
    return held.notes_on(passed | set(taken.values()))


def _in_other_cases(
    held: WordVectors, asked: Asked, known: Container[str], taken: Mapping[str, str]
) -> dict[str, str]:
    """Words whose spelling stands there in another case too, with those."""
    built, mixed = _built(held), {}
    for word, form in taken.items():
        there = [one for one in asked[word] if one in known and one not in built and one != form]
        if same := [one for one in there if one.lower() == form.lower()]:
            mixed[word] = " and ".join(map(repr, same))
    return mixed


def _built(held: WordVectors) -> Container[str]:
    return held.built() if isinstance(held, SourceVectors) else ()
