"""Terms that are the names of a corpus' people, so that each name is written down once."""

from __future__ import annotations

from tiltmeter.corpora.catalogue import load_corpus
from tiltmeter.corpora.words.part import Part
from tiltmeter.corpora.words.records import Term
from tiltmeter.errors import TiltmeterError, did_you_mean

CORPUS_KEYS = ("corpus", "axis", "match")


def terms_of_names(head: Part) -> tuple[Term, ...]:
    """The names of the corpus that `[list]` names, grouped by one of its axes; else none.

    `match` keeps to the people of one pool (`names`); without it everyone who is one word.
    """
    if "corpus" not in head.values:
        for key in CORPUS_KEYS[1:]:
            if key in head.values:
                head.wrong(f"{key!r} needs 'corpus', the corpus whose names are taken", key)
        return ()
    name, axis, match = head.text("corpus"), head.text("axis"), head.text("match", "")
    if not name or not axis:
        return ()
    return _terms(head, name, axis, match)


def _terms(head: Part, name: str, axis: str, match: str) -> tuple[Term, ...]:
    try:
        corpus = load_corpus(name)
    except TiltmeterError as error:
        head.wrong(f"the corpus {name!r} cannot be read: {error}", "corpus")
        return ()
    axes = [one.name for one in corpus.axes]
    if axis not in axes or corpus.design is None:
        near = did_you_mean(axis, axes) or f"its axes are {', '.join(axes)}"
        head.wrong(f"the corpus {name!r} has no axis {axis!r} of people: {near}", "axis")
        return ()
    return tuple(
        Term(person.name, person.groups.get(axis))
        for person in corpus.design.people
        if person.groups.get(axis)
        and person.match == (match or person.match)
        and " " not in person.name
    )
