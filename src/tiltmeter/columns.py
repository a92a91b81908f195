"""Which column of a table is what: by the names it may have, or as the user says.

Names are compared whatever their case, spaces, underscores and hyphens. What is absent, unclear or
nearly right is said with the columns there are and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.errors import did_you_mean
from tiltmeter.schemas import SENTENCES

Aliases = Mapping[str, Sequence[str]]
"""Our columns, and what each may be called in a file."""

TASKS = ("valence", "anger", "fear", "joy", "sadness")
"""What scores may be of; a column of scores may be called after one."""

AXES = "axes"
"""The column in which an export says its axes. An axis cannot be called so."""
BESIDE_AXES = (
    "n", "system", "task", "unit", "axis", "contrast", "people", "mean", "fitted", "pull"
)  # fmt: skip
"""Columns that stand beside the axes in some table of an audit."""
RESERVED = (*SENTENCES.columns, *BESIDE_AXES, AXES)
"""What no axis may be called."""
JOINS = "+*:"
"""What joins axes in the formula of a regression, and so is in no axis' name."""
AXIS_NAME = (
    f"a name that begins with a letter, has none of {' '.join(JOINS)} and is none of "
    f"{', '.join(RESERVED)}"
)
KNOWN_AXES = (
    *("gender", "sex", "race", "ethnicity", "religion", "nationality", "age", "disability"),
    *("orientation", "sexual_orientation", "caste", "social_class", "dialect"),
)
"""Column names that are taken for an axis without being asked for."""

EEC_COLUMNS = ("Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
"""The columns of the published Equity Evaluation Corpora, aside from those that number rows."""
EEC_NEEDED = tuple(name for name in EEC_COLUMNS if name != "Emotion word")
"""In one of the files a name stands twice, and may stand for the word."""

SHOWN, LETTERS = 12, 40
"""How many columns a message lists, and how many letters of each."""


# ---------------------------------------------------------------- names


def fold_name(name: str) -> str:
    """A column name as it is compared, whatever its case, spaces, underscores and hyphens.

    >>> fold_name("Emotion word") == fold_name("emotion_word")
    True
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def name_columns(found: Sequence[str | None]) -> list[str]:
    """The names of columns: a number where one has none, and the published EEC's each once.

    >>> name_columns([*EEC_NEEDED, "Emotion"])[-2:], name_columns(["a", None, "a"])
    (['Emotion', 'Emotion word'], ['a', 'column 2', 'a'])
    """
    names = [name or f"column {nth}" for nth, name in enumerate(found, start=1)]
    if not is_published_eec(names) or len(set(names)) == len(names):
        return names
    once = list[str]()
    for name in names:
        free = "Emotion word" if fold_name(name) == "emotion" else f"{name} again"
        while free in (*names, *once):
            free = f"{free} again"
        once.append(free if name in once else name)
    return once


def is_published_eec(names: Iterable[str]) -> bool:
    """True for the columns that all files of the published corpora have."""
    return {fold_name(name) for name in names} >= {fold_name(name) for name in EEC_NEEDED}


def may_be_axis(name: str) -> bool:
    """Whether an axis may be called so.

    >>> may_be_axis("race"), may_be_axis("template"), may_be_axis("race:gender")
    (True, False, False)
    """
    return name not in RESERVED and name[:1].isalnum() and not set(name) & set(JOINS)


def tasks_in_name(name: str) -> list[str]:
    """The tasks that a file's name speaks of.

    >>> tasks_in_name("2018-Valence-reg-En-test-gold.txt"), tasks_in_name("gold.csv")
    (['valence'], [])
    """
    words = set(re.split(r"[\W\d_]+", name.lower()))
    return [task for task in TASKS if task in words]


# ---------------------------------------------------------------- finding


def places_called(names: Sequence[str], called: Iterable[str]) -> list[int]:
    """Where the columns stand that are called so; a name may stand twice."""
    wanted = {fold_name(name) for name in called}
    return [nth for nth, name in enumerate(names) if fold_name(name) in wanted]


def columns_called(names: Sequence[str], called: Iterable[str]) -> list[str]:
    """The columns that are called so.

    >>> columns_called(["ID", "Tweet", "tweet_id"], ["id", "tweet id"])
    ['ID', 'tweet_id']
    """
    return [names[nth] for nth in places_called(names, called)]


def score_places(
    names: Sequence[str], called: Sequence[str], expected: str
) -> tuple[dict[str | None, int], str]:
    """The place of the one column of scores, or of one for each task; and what is unclear.

    `called` are the names it may have, `expected` those that a message offers.
    """
    general, by_task = places_called(names, called), places_called(names, TASKS)
    if not general and not by_task:
        return {}, f"no column of scores; expected one called {expected} ({', '.join(TASKS)})"
    tasks = [fold_name(names[nth]) for nth in by_task]
    if len(general) > 1 or (general and by_task) or len(set(tasks)) < len(tasks):
        return {}, unclear([names[nth] for nth in (*general, *by_task)], "score")
    return ({None: general[0]} if general else dict(zip(tasks, by_task, strict=True))), ""


def find_column(names: Sequence[str], wanted: str, advice: str) -> tuple[str | None, str]:
    """The column that a user named, whatever its case and spaces, or what is wrong.

    >>> find_column(["Text", "Author group"], "author_group", "name one with --by")
    ('Author group', '')
    >>> find_column(["text", "dialect"], "dialekt", "name one with --by")
    (None, "no column is called 'dialekt': did you mean 'dialect'?")
    """
    near = [wanted] if wanted in names else columns_called(names, [wanted])
    if len(near) > 1:
        listed = " and ".join(map(repr, near))
        return None, f"the columns {listed} could each be {wanted!r}; write it as it stands"
    if near:
        return near[0], ""
    return None, f"no column is called {wanted!r}: {did_you_mean(wanted, names) or advice}"


def rename_columns(
    names: Sequence[str], given: Mapping[str, str], known: Aliases
) -> tuple[dict[str, str], list[str]]:
    """Which columns stay, and under which names, where the user says what some are called.

    What would otherwise be taken for a named column is left out, so that nothing stays unclear.
    Also everything wrong with what was given.
    """
    problems = [
        f"there is no column {ours!r} of ours; expected one of {', '.join(known)}"
        for ours in given
        if ours not in known
    ]
    problems += [
        f"no column is called {theirs!r}: {did_you_mean(theirs, names) or there_are(names)}"
        for theirs in given.values()
        if theirs not in names
    ]
    if problems:
        return {}, problems
    rivals = {fold_name(name) for ours in given for name in known[ours]}
    rivals -= {fold_name(theirs) for theirs in given.values()}
    ours = {theirs: name for name, theirs in given.items()}
    return {name: ours.get(name, name) for name in names if fold_name(name) not in rivals}, []


# ---------------------------------------------------------------- messages


def unclear(found: Iterable[str], ours: str, advice: str = "") -> str:
    """Several columns that could be the same one of ours."""
    listed = " and ".join(map(repr, found))
    advice = advice or "leave only one or rename the others"
    return f"the columns {listed} could each be the {ours}; {advice}"


def there_are(names: Sequence[str]) -> str:
    """The columns of a table.

    >>> there_are(["a", "b"])
    "there are 'a', 'b'"
    """
    listed = ", ".join(repr(name[:LETTERS]) for name in names[:SHOWN])
    return f"there are {listed}{', …' if len(names) > SHOWN else ''}"


# ---------------------------------------------------------------- a table of sentences

SENTENCE_ALIASES: Aliases = {
    "id": ("sentence_id",),
    "corpus": (),
    "edition": (),
    "text": ("sentence", "tweet", "sentence_text"),
    "language": ("lang",),
    "template": ("template_id",),
    "person": ("name",),
    "emotion": (),
    "emotion_word": ("word",),
    "frame": (),
    "match": (),
    AXES: (),
}
"""Our columns that a user's table of sentences may have, and what else they are called there."""
BEFORE, AFTER = "person", "emotion"
"""The columns of an export that the axes stand between."""


def is_export(names: Sequence[str]) -> bool:
    """Whether a table has every column of the sentences, so that we wrote it."""
    return set(SENTENCES.columns) <= set(names)


def axis_columns(names: Sequence[str]) -> list[str]:
    """The columns of an export that are axes, told by their place.

    >>> columns = [*SENTENCES.columns]
    >>> axis_columns([*columns[:7], "dialect", *columns[7:]]), axis_columns(["person", "dialect"])
    (['dialect'], [])
    """
    return list(names[names.index(BEFORE) + 1 : names.index(AFTER)]) if is_export(names) else []


@dataclass(slots=True)
class SentenceColumns:
    """Which column of a user's table stands for which of ours, and what cannot be made out."""

    ours: dict[str, str] = field(default_factory=dict)
    axes: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_export: bool = False
    """Whether the file has the columns that we write, so that the axes are told by their place."""

    def note(self, ours: str) -> str:
        """The choice as a line for people: `text ← Sentence (guessed)`."""
        how = "given" if ours in self.given else "as exported" if self.is_export else "guessed"
        return f"{ours} ← {self.ours[ours]} ({how})"

    def take_given(
        self, names: Sequence[str], columns: Mapping[str, str], known: list[str]
    ) -> None:
        """The columns the user named; a slip in either name is a problem with the nearest ones."""
        for ours, theirs in columns.items():
            same = [name for name in names if name == theirs] or columns_called(names, [theirs])
            if ours not in known:
                near = did_you_mean(ours, known) or f"known are {', '.join(known)}."
                what = f"{ours!r} (given for the column {theirs!r}) is not one of our columns"
                self.problems.append(f"{what}: {near} To compare groups by it: --axis {ours}")
            elif len(same) != 1:
                what = f"no column {theirs!r}, which was given for {ours!r}"
                self.problems.append(f"{what}; {_near_or_all(theirs, names)}")
            else:
                self.ours[ours] = same[0]
            self.given.add(ours)

    def take_axis(self, names: Sequence[str], axis: str) -> None:
        """The column of an axis the user asked for."""
        if not may_be_axis(axis):
            self.problems.append(f"an axis cannot be called {axis!r}; expected {AXIS_NAME}")
        elif axis not in self.given:
            self.guess(names, axis, ())
            self.given.add(axis)
            if axis not in self.ours:
                what = f"no column for the axis {axis!r}; {_near_or_all(axis, names)}"
                self.problems.append(f"{what}; say which holds it: --column {axis}=COLUMN")

    def guess(self, names: Sequence[str], ours: str, others: Iterable[str] = ()) -> None:
        """The one free column called like ours, else the one called like something near it."""
        if ours in self.ours or ours in self.given:
            return
        free = [name for name in names if name not in self.ours.values()]
        near = columns_called(free, [ours]) or columns_called(free, others)
        near = [ours] if ours in near else near
        if len(near) > 1:
            self.problems.append(unclear(near, ours, f"say which is: --column {ours}={near[0]}"))
            self.unclear.add(ours)
        elif near:
            self.ours[ours] = near[0]

    def require(self, names: Sequence[str]) -> None:
        """Without a text nothing can be scored; without a template or frame nothing compared."""
        there = _near_or_all("", names)
        spoken_of = {*self.ours, *self.given, *self.unclear}
        if "text" not in spoken_of:
            called = ", ".join(("text", *SENTENCE_ALIASES["text"]))
            what = f"no column for the text; expected one called {called}; {there}"
            self.problems.append(f"{what}; or say which it is: --column text=COLUMN")
        if not {"template", "frame"} & spoken_of:
            self.problems.append(
                "no column says which sentences are compared; expected template (sentences that "
                f"are alike but for the person share one) or frame; {there}; or say: "
                "--column template=…"
            )


def sentence_columns(
    names: Sequence[str], columns: Mapping[str, str], axes: Iterable[str]
) -> SentenceColumns:
    """Which column is what: as given, then the axes asked for, then as the names suggest."""
    axes = list(axes)
    choice = SentenceColumns(is_export=is_export(names))
    known = [*SENTENCE_ALIASES, *axes, *(axis for axis in KNOWN_AXES if axis not in axes)]
    choice.take_given(names, columns, known)
    for axis in axes:
        choice.take_axis(names, axis)
    for ours, others in SENTENCE_ALIASES.items():
        if ours != AXES or choice.is_export:
            choice.guess(names, ours, others)
    for axis in (*filter(may_be_axis, axis_columns(names)), *KNOWN_AXES):
        choice.guess(names, axis)
    asked_first = dict.fromkeys((*axes, *choice.ours))
    choice.axes = [it for it in asked_first if it in choice.ours and it not in SENTENCE_ALIASES]
    choice.left_out = [name for name in names if name not in choice.ours.values()]
    choice.require(names)
    return choice


def _near_or_all(wanted: str, names: Sequence[str]) -> str:
    near = did_you_mean(wanted, names)
    listed = f"there are {', '.join(names)}"
    return f"{near} {listed}" if near else listed
