"""First names of the US Census 2020: whose each is, and the name that stands opposite.

A name is a woman's or a man's where nine of ten bearers are; the names of the Equity Evaluation
Corpus are whose its authors say.

    census_names()["Latoya"].gender     'female'
    counterpart("Ebony")                'Alonzo'
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from tiltmeter.corpora.people import CENSUS, WHOLE
from tiltmeter.corpora.schema import PEOPLE
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import parquet_frame

FEMALE, MALE = "female", "male"
OTHER = {FEMALE: MALE, MALE: FEMALE}


class CensusName(NamedTuple):
    """A first name as the Census counts its bearers."""

    gender: str | None
    race: str | None
    bearers: int
    most: str
    """The group that more of its bearers belong to than to any other."""


@cache
def census_names() -> Mapping[str, CensusName]:
    """Every first name of the Census: whose it is, by nine of ten and eight of ten bearers.

    >>> census_names()["Latoya"][:2], census_names()["Casey"].gender
    (('female', 'Black'), None)
    """
    table = parquet_frame(PEOPLE / f"{CENSUS}.parquet")
    races = {
        "black": "Black",
        "white": "White",
        "asian": "Asian or Pacific",
        "hispanic": "Hispanic",
    }
    names = {}
    for row in table.sort("bearers", descending=True, maintain_order=True).iter_rows(named=True):
        share = row["female"]
        gender = FEMALE if share >= 0.9 * WHOLE else MALE if share <= 0.1 * WHOLE else None
        most = max(races, key=row.__getitem__)
        certain = row[most] >= 0.8 * WHOLE
        names[row["name"]] = CensusName(
            gender, races[most] if certain else None, row["bearers"], races[most]
        )
    for name, gender in _eec_genders().items():
        names[name] = names[name]._replace(gender=gender)
    return names


@cache
def _names_of(gender: str, group: str) -> list[str]:
    """The names of a gender that most bearers of a group have, the most frequent first."""
    return [
        name
        for name, known in census_names().items()
        if known.gender == gender and known.most == group
    ]


def counterpart(name: str, gender: str | None = None) -> str:
    """The name of the other gender that is as frequent in the same group; EEC names in its pairs.

    `gender` is whose the name is here, where the Census leaves it open.

    >>> counterpart("Latoya") in census_names(), counterpart("Ebony"), counterpart("Alonzo")
    (True, 'Alonzo', 'Ebony')
    """
    known = census_names().get(name)
    if known is None:
        raise TiltmeterError(f"{name!r} is no name that the Census lists; none stands opposite")
    whose = gender or known.gender
    if whose is None:
        raise TiltmeterError(f"{name!r} is a name of women and of men; no one name stands opposite")
    if name in _eec_pairs() and whose == known.gender:
        return _eec_pairs()[name]
    alike = _names_of(whose, known.most)
    more = (nth for nth, one in enumerate(alike) if census_names()[one].bearers <= known.bearers)
    rank = alike.index(name) if name in alike else next(more, len(alike))
    others = [one for one in _names_of(OTHER[whose], known.most) if one != name]
    return others[min(rank, len(others) - 1)]


@cache
def _eec_lists() -> Mapping[tuple[str, str], list[str]]:
    """The EEC's first names by race and gender."""
    from tiltmeter.corpora.catalogue import load_corpus

    design = load_corpus("eec").design
    lists: dict[tuple[str, str], list[str]] = {}
    for person in design.people if design else ():
        race, gender = person.groups.get("race"), person.groups.get("gender")
        if race and gender:
            lists.setdefault((race, gender), []).append(person.name)
    return lists


def _eec_genders() -> dict[str, str]:
    """Whose each name of the EEC is by its authors, whatever the Census says."""
    return {name: gender for (_, gender), names in _eec_lists().items() for name in names}


@cache
def _eec_pairs() -> Mapping[str, str]:
    """The EEC's first names: the nth woman's for the nth man's of the same group, and back."""
    lists = _eec_lists()
    pairs: dict[str, str] = {}
    for (race, gender), names in lists.items():
        pairs |= dict(zip(names, lists[race, OTHER[gender]], strict=True))
    return pairs
