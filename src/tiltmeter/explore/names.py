"""The names that the explorer puts into a sentence: drawn by lot from the population, by group."""

from __future__ import annotations

import msgspec

from tiltmeter.corpora import load_corpus

PER_GROUP = 75
"""Names of each gender and group: 600 of the population of US first names in all."""


class ExplorerName(msgspec.Struct, frozen=True):
    """A name and whose it is."""

    name: str
    gender: str
    race: str


def explorer_names(per_group: int = PER_GROUP) -> list[ExplorerName]:
    """The first names drawn for each group of `names-us`, the same as an audit's with its seed."""
    corpus = load_corpus("names-us", people=per_group)
    if corpus.design is None:
        return []
    return [
        ExplorerName(person.name, gender, race)
        for person in corpus.design.people
        if (gender := person.groups.get("gender")) and (race := person.groups.get("race"))
    ]
