"""What a rating says in ten seconds: who depends on whom, how sure, one pair, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tiltmeter.report import phrases
from tiltmeter.report.first_screen import Chip, ChipShape, FirstScreen, NextCommand
from tiltmeter.report.numbers import count
from tiltmeter.report.phrases import called
from tiltmeter.shell import paste_words
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.figures import Strip, rating_strips
from tiltmeter.studies.rating.study import RatedSystem, Ratings, SystemRatings
from tiltmeter.studies.rating.telling_pair import driving_row, telling_pair

FEW = 3
"""Systems up to which each has a chip; more are counted, and the figure has their ratings."""
ROWS, MOST_TILT, LEAST_TILT = 6, 3, 2
"""Rows of the figure; of more systems, how many with the most and with the least tilt."""
FEW_GROUPS, AXES = 4, 4
"""Groups that the figure of one system has, and attributes that it marks."""
NAMED, SHORT = 3, 28
"""Systems that a sentence and a command name, and letters of a name."""
PAPERS = frozenset("1234")
"""The groups whose sentences, in English, an audit of drawn names is like."""
OUTPUT = {"-o": 1, "--output": 1, "--json": 1, "--store": 1, "--force": 0, "--open": 0, "-q": 0,
          "--quiet": 0}  # fmt: skip
"""Options of a command that say where results go, and how many words follow each."""
ASKING = (
    *("--scale", "--base-url", "--parse", "--prompt", "--temperature", "--trust", "--scores"),
)
"""Options without which the same systems would not be asked alike."""


def first_screen(study: Ratings) -> FirstScreen:
    """All that stands under the question."""
    step = next_command(study)
    who, rests_on = whom_it_rests_on(study)
    return FirstScreen(
        lead=phrases.kept(lead(study)),
        chips=tuple(chips(study)),
        figure=figure(study),
        pair=telling_pair(study),
        moved=f"{who}: {rests_on}" if rests_on and step is None else "",
        moved_title="Whom it rests on",
        steps=() if step is None else (step,),
    )


# -------------------------------- the bottom line


def lead(study: Ratings) -> str:
    """Who depends on whom beyond chance, or that nobody does, in one sentence."""
    rated = [one for one in study.systems if one.first.grade is not None]
    if not rated:
        return "No system could be rated; their labels say why."
    if study.alone:
        return _by_itself(study, rated[0])
    sure = [one for one in reversed(rated) if any(one.first.beyond.values())]
    if sure:
        return _beyond_chance(sure, len(rated) - len(sure))
    grades = [one.first.grade or 0 for one in rated]
    worst = [one for one in reversed(rated) if one.first.grade == max(grades)]
    names = phrases.listed([one.system for one in worst])
    verb = "is" if len(worst) == 1 else "are"
    place = f"{names} {verb} rated {max(grades)} of {study.levels}"
    if min(grades) == max(grades):
        place += ", no less and no more tilt than one another" if len(worst) > 1 else ""
    else:
        place += "" if study.reference else ", the most tilt here"
    if not study.repeats:
        return f"{place}; how steady that is is not known, since everything was drawn once."
    known = {sure for one in rated for sure in one.first.beyond.values()} - {None}
    if not known:
        return f"{place}; too few people are named to tell it from chance."
    return f"{place}, but chance or a few names may explain it."


def _by_itself(study: Ratings, one: RatedSystem) -> str:
    """One system has nobody to be rated among: whether anything shows, and beyond chance."""
    found, _, total = one.first.detected_in
    start = (
        f"{called(one.system, SHORT)}, rated by itself, gets {one.first.grade} of {study.levels}"
    )
    if not found:
        return f"{start}: no difference detected in {count(total, 'group')} of sentences."
    groups = count(total, "group")
    if axes := wording.axes_beyond(one.first.beyond):
        return f"{start}: its scores depend on {axes} beyond chance."
    if not set(one.first.beyond.values()) - {None}:
        return f"{start}: something shows in {found} of {groups}; whether by chance is not known."
    return f"{start}: something shows in {found} of {groups}, but nothing beyond chance."


def _beyond_chance(sure: Sequence[RatedSystem], others: int) -> str:
    """Whose scores depend on whom beyond chance, and what of the others."""
    others_words = "the other system" if others == 1 else f"the other {others} systems"
    if len(sure) == 1:
        (one,) = sure
        axes = wording.axes_beyond(one.first.beyond)
        start = f"Scores of {called(one.system, SHORT)} depend on {axes} beyond chance"
        unseen = [axis for axis, yes in one.first.beyond.items() if not yes and axis not in axes]
        unseen = [axis for axis in unseen if len(phrases.attributes(axis)) == 1]
        rest = [f"on {' or '.join(unseen)}"] if unseen else []
    else:
        axes_of = [wording.axes_beyond(one.first.beyond) for one in sure]
        start = f"Scores of {phrases.listed([one.system for one in sure], axes_of)} depend on who "
        start += "is mentioned beyond chance"
        rest = []
    if others:
        rest.append(f"in {others_words}")
    return f"{start}; {', or '.join(rest)}, nothing is shown." if rest else f"{start}."


# -------------------------------- chips


def chips(study: Ratings) -> Iterator[Chip]:
    """A chip for each of few systems; of many, how many there are of each kind."""
    systems = list(enumerate(study.systems))[::-1]
    flat = scored_alike(study)
    if len(systems) <= FEW:
        for nth, one in systems:
            shape = shape_of(one, flat)
            word = rating_words(
                study, one.first, no_signal=(one.system, one.task) in flat, axes=not study.alone
            )
            yield Chip(shape, display_name(study, one), word, f"#system-{nth}")
        if study.alone and any(systems[0][1].first.beyond.values()):
            for axis, sure in systems[0][1].first.beyond.items():
                if len(phrases.attributes(axis)) == 1:
                    kind = ChipShape.TILTED if sure else ChipShape.UNDECIDED
                    yield Chip(kind, axis, BEYOND[sure], "#groups")
        return
    kinds: dict[tuple[ChipShape, str], int] = {}
    for _, one in systems:
        shape = shape_of(one, flat)
        if one.first.grade is None:
            word = "not rated"
        elif shape is ChipShape.UNDECIDED and not set(one.first.beyond.values()) - {None}:
            word = "rated, chance not known"
        else:
            word = {
                ChipShape.TILTED: "beyond chance",
                ChipShape.UNDECIDED: "nothing beyond chance",
            }.get(shape, "no signal")
        kinds[shape, word] = kinds.get((shape, word), 0) + 1
    for (shape, word), many in sorted(kinds.items(), key=lambda one: SHAPES.index(one[0][0])):
        yield Chip(shape, count(many, "system"), word, "#labels")


SHAPES = [ChipShape.TILTED, ChipShape.UNDECIDED, ChipShape.NO_SIGNAL]
BEYOND = {True: "beyond chance", False: "not beyond chance", None: "chance not known"}


def shape_of(one: RatedSystem, flat: frozenset[tuple[str, str]]) -> ChipShape:
    """Tilted beyond chance, undecided, or nothing to see: no rating, or one score for all."""
    if one.first.grade is None or (one.system, one.task) in flat:
        return ChipShape.NO_SIGNAL
    return ChipShape.TILTED if any(one.first.beyond.values()) else ChipShape.UNDECIDED


def scored_alike(study: Ratings) -> frozenset[tuple[str, str]]:
    """Systems that give every sentence one score: they do not read it."""
    if study.scores is None:
        return frozenset()
    spread = study.scores.group_by("system", "task").agg(
        pl.col("score").max() - pl.col("score").min()
    )
    return frozenset(spread.filter(score=0.0).select("system", "task").rows())


def rating_words(
    study: Ratings, rated: SystemRatings, *, no_signal: bool = False, axes: bool = True
) -> str:
    """As in `2 of 3 (1 to 2)`, and what goes beyond chance."""
    if rated.grade is None:
        return "not rated"
    span = f" ({rated.span})" if rated.span else ""
    said = f"{rated.grade} of {study.levels}{span}"
    if no_signal:
        return f"{said}, no signal"
    if axes and any(rated.beyond.values()):
        return f"{said}: {wording.axes_beyond(rated.beyond)}"
    return said


def display_name(study: Ratings, one: RatedSystem) -> str:
    """A system's name, with its task where there are several."""
    several = study.overall["task"].n_unique() > 1
    name = phrases.shortened(one.system, SHORT)
    return f"{name}, {one.task}" if several else name


# -------------------------------- the figure


def figure(study: Ratings) -> Markup:
    """Ratings on their scale with the range that repeats give; of one system by group."""
    if not any(one.first.grade for one in study.systems):
        return Markup()
    if study.alone:
        rows_alone = [row for row in study.systems[0].first.columns.values() if row["rating"]]
        rows = [
            Strip(
                wording.column_words(row), "#groups", row["rating"], row["low"], row["high"],
                sure=row["p"] is not None and row["p"] <= wording.CHANCE,
            )
            for row in sorted(rows_alone, key=lambda row: row["measure"] != "wrs")[:FEW_GROUPS]
        ]  # fmt: skip
        return rating_strips(rows, study.levels, (), alone=True)
    systems = [(nth, one) for nth, one in enumerate(study.systems) if one.first.grade is not None][
        ::-1
    ]
    more = len(systems) - MOST_TILT - LEAST_TILT if len(systems) > ROWS else 0
    shown = [*systems[:MOST_TILT], *systems[-LEAST_TILT:]] if more else systems
    axes = [
        axis
        for axis in dict.fromkeys(axis for _, one in shown for axis in one.first.beyond)
        if len(phrases.attributes(axis)) == 1
    ]
    known = {sure for _, one in shown for sure in one.first.beyond.values()} - {None}
    axes = axes if study.repeats and known and len(axes) <= AXES else []
    flat = scored_alike(study)
    strips = [
        Strip(
            display_name(study, one), f"#system-{nth}", one.first.grade or 0,
            one.first.overall["low"], one.first.overall["high"],
            sure=any(one.first.beyond.values()),
            marks=tuple(
                None if (one.system, one.task) in flat else one.first.beyond.get(axis)
                for axis in axes
            ),
        )
        for nth, one in shown
    ]  # fmt: skip
    return rating_strips(strips, study.levels, axes, between=(MOST_TILT, more) if more else None)


# -------------------------------- who carries it, and what next


def whom_it_rests_on(study: Ratings) -> tuple[str, str]:
    """The system with the most tilt, and the person that half of its raw score depends on."""
    for one in reversed(study.systems):
        if row := driving_row(one):
            return called(one.system, SHORT), wording.rests_on(row)
    return "", ""


def next_command(study: Ratings) -> NextCommand | None:
    """What would tell more: repeats, more people, or names drawn by lot; None where nothing would.

    Only where the rating was made on the command line, so that its systems' names can be typed.
    """
    try:
        words = shlex.split(str(study.environment.get("command") or ""))
    except ValueError:
        return None
    if words[:2] != ["tiltmeter", "rate"] or any(
        word.partition("=")[0] in ASKING for word in words
    ):
        return None
    if not study.repeats:
        command = rerun(words, {"--draws": "200"})
        return NextCommand(command, "draws everything 200 times, to tell how sure a rating is")
    rated = [one for one in study.systems if one.first.grade is not None]
    known = {sure for one in rated for sure in one.first.beyond.values()} - {None}
    if not known:
        if study.config.published and study.settings.get("edition") == "published":
            command = rerun(words, {"--edition": "corrected"})
            return NextCommand(command, "has more people in each group: enough to tell chance")
        if study.raw["p"].null_count() < study.raw.height:
            command = rerun(words, {"--draws": "200"})
            return NextCommand(command, "has draws enough to tell what goes beyond chance")
        return None
    return _audit_of_drawn_names(study, rated, words)


def _audit_of_drawn_names(
    study: Ratings, rated: Sequence[RatedSystem], words: Sequence[str]
) -> NextCommand | None:
    """How large the tilt is over names drawn by lot, where a rating is about a list's names."""
    controls = {one.system for one in study.run.get("systems", ()) if one.control}
    if not {str(one["group"]) for one in study.run.get("groups", ())} <= PAPERS:
        return None
    named = [one for one in rated[::-1] if one.system in words and one.system not in controls]
    named = [one for one in named if (one.first.grade or 1) > 1] or named
    if not named:
        return None
    names = paste_words([one.system for one in named[:NAMED]])
    return NextCommand(
        f"tiltmeter audit {names} --corpus names-us --reference race=White",
        "over names drawn from the US Census",
    )


def rerun(words: Sequence[str], options: Mapping[str, str]) -> str:
    """A command again with other options, and without those that say where results go.

    >>> rerun(["tiltmeter", "rate", "vader", "--draws", "0", "-q"], {"--draws": "200"})
    'tiltmeter rate vader --draws 200'
    >>> rerun(["tiltmeter", "rate", "vader", "--draws=0", "--store=s"], {"--draws": "200"})
    'tiltmeter rate vader --draws 200'
    """
    dropped = OUTPUT | dict.fromkeys(options, 1)
    kept, skip = list[str](), 0
    for word in words:
        name, same, _ = word.partition("=")
        if skip:
            skip -= 1
        elif name in dropped:
            skip = 0 if same else dropped[name]
        else:
            kept.append(word)
    return shlex.join([*kept, *(part for option in options.items() for part in option)])


# -------------------------------- what must not be missed though it is folded


@dataclass(frozen=True, slots=True)
class ScaleFact:
    """A scale, how it is known, and whose it is."""

    scale: str
    inferred: bool
    systems: tuple[str, ...]


def scales(study: Ratings) -> Iterator[ScaleFact]:
    """Every scale with its systems, those inferred first."""
    whose: dict[tuple[bool, str], dict[str, None]] = {}
    for one in study.run.get("systems", ()):
        if one.scale:
            whose.setdefault((one.scale_known == "inferred", one.scale), {})[one.system] = None
    for (inferred, scale), systems in sorted(whose.items(), key=lambda one: not one[0][0]):
        yield ScaleFact(scale, inferred, tuple(systems))


def remarks(study: Ratings) -> Iterator[Markup]:
    """Who is left out, which panel, a scale that was guessed, and that there are notes."""
    lost = [one.system for one in study.run.get("unavailable", ())]
    if lost:
        were = "was" if len(lost) == 1 else "were"
        yield Markup(
            "{} could not be scored and {} left out; with it ratings may be others. "
            '<a href="#notes">Why</a>'
        ).format(phrases.listed(lost), were)
    if study.reference:
        yield Markup("Rated against the stored panel <bdi>{}</bdi>.").format(study.reference)
    guessed = [one for one in scales(study) if one.inferred]
    if guessed:
        one = guessed[0]
        more = f" (and {len(guessed) - 1} more)" if guessed[1:] else ""
        yield Markup(
            "The scale of {} was inferred as {}{}; if it is another, say --scale LOW:HIGH."
        ).format(phrases.listed(one.systems, most=2), one.scale, more)
    if study.notes:
        yield Markup('<a href="#notes">Read {}</a>').format(count(len(study.notes), "note"))
