"""The first screens of two versions and of drift: the verdicts, the interval that decides, a pair.

The figure of two versions draws what decides: around the tilt before lies a band as wide as the
margin, and the tilt now has the interval of the change. Within the band it is the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from tiltmeter.claims.changes import ONCE, ChangeVerdict, DriftVerdict
from tiltmeter.ranking import coarsen_column
from tiltmeter.report.first_screen import Chip, ChipShape, FirstScreen, NextCommand, SentencePair
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    Mark,
    Side,
    around_zero,
)
from tiltmeter.report.numbers import DASH, POINTS, SCALE, count, fixed, short
from tiltmeter.report.page import NOTHING
from tiltmeter.report.phrases import kept, slug
from tiltmeter.shell import paste_words
from tiltmeter.studies.paired.advice import NAMED
from tiltmeter.studies.paired.verdict_wording import (
    by_whom,
    margin_text,
    moved_brief,
    moved_of,
)
from tiltmeter.studies.paired.wording import Phrases, interval_towards_higher, sides_of
from tiltmeter.studies.versions.wording import (
    COMPARISON,
    SYSTEMS,
    Row,
    drift_answer,
    lead,
    ranked,
    versions,
)

if TYPE_CHECKING:
    from tiltmeter.studies.versions.compare import Versions
    from tiltmeter.studies.versions.drift import Drift

ROWS = 3
"""Changes that the first screen draws; the sections below have them all."""
CHIPS: Mapping[str, tuple[ChipShape, str]] = {
    ChangeVerdict.WORSE: (ChipShape.WORSE, "worse"),
    ChangeVerdict.BETTER: (ChipShape.BETTER, "better"),
    ChangeVerdict.SAME: (ChipShape.EVEN, "same"),
    ChangeVerdict.UNDECIDED: (ChipShape.UNDECIDED, "undecided"),
    ChangeVerdict.NO_SIGNAL: (ChipShape.NO_SIGNAL, "no signal"),
    ChangeVerdict.NOT_ESTIMABLE: (ChipShape.NO_SIGNAL, "not estimable"),
    DriftVerdict.DRIFTED: (ChipShape.DRIFTED, "drifted"),
    DriftVerdict.STEADY: (ChipShape.EVEN, "steady"),
}


def compare_screen(study: Versions, notes: int = 0) -> FirstScreen:
    """What changed between two audits, of which there are so many notes below."""
    rows, steps = ranked(study.changes), _deciding_audits(study)
    moved = _people_moved(study, rows)
    few = rows[: ROWS - bool(steps and moved)]  # a command and people moved need room
    shown = [_change_row(row, study.changes, study.phrases) for row in few]
    margin = margin_text(rows[0]["margin"]).removesuffix(" of 100")
    key = f"○ before ● now, with the change’s 95 % interval; shaded: ±{margin}"
    return FirstScreen(
        lead=lead(study.changes, study.phrases),
        figure=_figure(shown, key) + _rest(rows[len(shown) :], notes),
        pair=_telling_pair(rows, study.telling),
        moved=moved,
        steps=steps,
        pair_title="The pair that moved most",
        steps_title="To decide it",
    )


def drift_screen(study: Drift) -> FirstScreen:
    """What became of a system since its baseline."""
    rows, steps = ranked(study.changes), _deciding_checks(study)
    asked_of = min(ROWS, study.answers.height)
    answers = [_answers_row(nth, study.answers) for nth in range(asked_of)]
    few = rows[: ROWS - bool(steps)]  # a command needs room
    tilts = [_drift_row(row, study.changes, study.phrases) for row in few]
    margin = margin_text(study.answers["margin"][0]).removesuffix(" of 100")
    rest = _rest(rows[len(tilts) :], len(study.notes))
    dates = _dates(study.asked_before, str(study.environment.get("time") or ""))
    asked = count(study.run["sentences"], "sentence")
    key = f"● change since then, 95 % interval; shaded: ±{margin}"
    return FirstScreen(
        lead=kept(drift_answer(study.verdict, study.answers, study.changes)),
        figure=_figure([*answers, *tilts], key) + rest,
        pair=_moved_answer(study.answers),
        moved=f"{asked}. Baseline {dates[0] or 'of unknown date'}, now {dates[1]}.",
        steps=steps,
        pair_title="The answer that moved most",
        moved_title="When asked",
        steps_title="To decide it",
    )


def change_chip(row: Row) -> Markup:
    """The verdict on a change, linked to its sentence."""
    shape, word = CHIPS[row["verdict"]]
    return Chip(shape, "", word, f"#{change_anchor(row)}").html()


def change_anchor(row: Row) -> str:
    """Where the sentence of a change is; `nth` is its place among all."""
    return f"change-{row['nth']}-words"


# ---------------------------------------------------------------- the figure


def _figure(shown: Sequence[ForestRow], key: str) -> Markup:
    """A few rows on one scale, and how to read them."""
    cells = [cell for row in shown for cell in row.cells]
    marks = [mark for cell in cells for mark in cell.marks]
    scale = None
    if marks:
        bands = [end for cell in cells for end in cell.band or ()]
        ends = [end for mark in marks for end in (mark.low, mark.high) if end is not None]
        scale = around_zero([*(mark.value for mark in marks), *bands], ends)
    panel = ForestPanel("points of 100 higher", scale)
    forest = Forest("moves", "What changed", (panel,), tuple(_ends_once(shown)), first="",
                    columns=("",), kind="moves")  # fmt: skip
    words = Markup('<p class="aside key">{}</p>').format(kept(key)) if marks else NOTHING
    return forest.html() + words


def _ends_once(shown: Sequence[ForestRow]) -> Iterator[ForestRow]:
    """Rows with the same ends below each other, and the ends said above the first alone."""
    alike: dict[tuple[str, str] | None, list[ForestRow]] = {}
    for row in shown:
        alike.setdefault(row.cells[0].ends, []).append(row)
    for first, *others in alike.values():
        yield first
        for row in others:
            yield replace(row, cells=(replace(row.cells[0], ends=None),))


def _rest(others: Sequence[Row], notes: int) -> Markup:
    """How many more changes there are, by verdict, and how many notes."""
    verdicts = [CHIPS[row["verdict"]][1] for row in others]
    parts = [f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts)]
    links = [("changes", f"{len(others):,} more: {', '.join(parts)}")] if others else []
    links += [("notes", count(notes, "note"))] if notes else []
    made = Markup(" · ").join(Markup('<a href="#{}">{}</a>').format(*one) for one in links)
    return Markup('<p class="rest">{}</p>').format(made) if links else NOTHING


def _titles(row: Row, changes: pl.DataFrame) -> tuple[str, str]:
    """What a change is of, and what else tells it from the others."""
    own = changes.filter(axis=row["axis"])
    several = own["contrast"].n_unique() > 1
    title = f"{row['axis']} {by_whom(row)}" + (f", {row['contrast']}" if several else "")
    names = [str(row[name]) for name in ("task", "corpus") if changes[name].n_unique() > 1]
    systems = changes.select("old_system", "new_system").n_unique()
    return (versions(row), ", ".join([title, *names])) if systems > 1 else (title, ", ".join(names))


def _change_row(row: Row, changes: pl.DataFrame, phrases: Phrases) -> ForestRow:
    """A tilt before and now, with the interval of the change around the latter."""
    title, about = _titles(row, changes)
    chip = change_chip(row)
    if row["change_low"] is None or row["unit"] != SCALE:
        cell = ForestCell(number=DASH)
        return ForestRow(title, (cell,), about=about, facts=(chip,))
    old, change, low, high = (
        POINTS * row[name] for name in ("old", "change", "change_low", "change_high")
    )
    bound = POINTS * row["margin"]
    moved = row["verdict"] in (ChangeVerdict.WORSE, ChangeVerdict.BETTER)
    side = _side(change)
    marks = (
        Mark(old, filled=False),
        Mark(old + change, old + low, old + high, side if moved else "", filled=True),
    )
    return ForestRow(
        title, (_cell(row, phrases, marks, (old - bound, old + bound)),), about=about, facts=(chip,)
    )  # fmt: skip


def _drift_row(row: Row, changes: pl.DataFrame, phrases: Phrases) -> ForestRow:
    """The change of a tilt beside none."""
    title, about = _titles(row, changes)
    chip = change_chip(row)
    if row["change_low"] is None or row["unit"] != SCALE:
        return ForestRow(title, (ForestCell(number=DASH),), about=about, facts=(chip,))
    value, low, high = (POINTS * row[name] for name in ("change", "change_low", "change_high"))
    bound = POINTS * row["margin"]
    moved = row["verdict"] in (ChangeVerdict.WORSE, ChangeVerdict.BETTER)
    mark = Mark(value, low, high, _side(value) if moved else "", filled=True)
    cell = _cell(row, phrases, (mark,), (-bound, bound))
    return ForestRow(title, (cell,), about=about, facts=(chip,))


def _cell(
    row: Row, phrases: Phrases, marks: tuple[Mark, ...], band: tuple[float, float]
) -> ForestCell:
    """What is drawn of a change, and its size and interval, told from the side it went to."""
    sides, change = sides_of(row, phrases), row["change"]
    size, low, high = interval_towards_higher(
        change, row["change_low"], row["change_high"], row["unit"]
    )
    exact = row["change_low"] == row["change_high"]
    return ForestCell(
        marks, size, "points", sides.towards(change > 0) if change else "",
        "exact" if exact else f"{low} to {high}", side=_side(change), band=band, joined=True,
        ends=(sides.second, sides.first),
    )  # fmt: skip


def _answers_row(nth: int, answers: pl.DataFrame) -> ForestRow:
    """How far answers moved, by the number that decides: the mean change, or beyond noise."""
    row = answers.row(nth, named=True)
    shape, word = CHIPS.get(row["verdict"], CHIPS[ChangeVerdict.NOT_ESTIMABLE])
    chip = Chip(shape, "", word, f"#answers-{nth}").html()
    of = versions(row) if row["old_system"] != row["new_system"] else ""
    by_noise = row["beyond"] is not None and abs(row["beyond"]) > abs(row["shift"] or 0.0)
    name = "beyond" if by_noise else "shift"
    title = "answers, beyond noise" if by_noise else "answers, on average"
    names = [row[name] for name in ("task", "corpus") if answers[name].n_unique() > 1]
    about = ", ".join([*filter(None, [of]), *names])
    if row[name] is None or row[f"{name}_low"] is None or row["unit"] != SCALE:
        return ForestRow(title, (ForestCell(number=DASH),), about=about, facts=(chip,))
    value, low, high = (POINTS * row[one] for one in (name, f"{name}_low", f"{name}_high"))
    size, start, end = interval_towards_higher(
        row[name], row[f"{name}_low"], row[f"{name}_high"], row["unit"]
    )
    bound = POINTS * row["margin"]
    drifted = row["verdict"] == DriftVerdict.DRIFTED
    cell = ForestCell(
        (Mark(value, low, high, ink=drifted, filled=True),), size, "points",
        spread="exact" if low == high else f"{start} to {end}", band=(-bound, bound),
        ends=("noise", "change") if by_noise else ("then", "now"),
        side=_side(value),
    )  # fmt: skip
    return ForestRow(title, (cell,), about=about, facts=(chip,))


def _side(value: float) -> Side:
    return "up" if value > 0 else "down" if value < 0 else ""


# ---------------------------------------------------------------- the pair, and people


def _score(value: float | None, unit: str) -> str:
    """A score of either version: points of 100, or the system's own units."""
    if value is None:
        return DASH
    return fixed(POINTS * value, 1) if unit == SCALE else short(value, 3)


def _telling_pair(rows: Sequence[Row], telling: pl.DataFrame) -> SentencePair | None:
    """Of the first change that has one the two sentences whose difference moved most."""
    several = len({versions(row) for row in rows}) > 1
    for row in rows:
        own = telling.filter(pl.col(name).eq_missing(pl.lit(row[name])) for name in COMPARISON)
        if own.is_empty():
            continue
        pair, unit = own.row(0, named=True), row["unit"]
        old, new = (
            (_score(pair[f"{one}_first"], unit), _score(pair[f"{one}_second"], unit))
            for one in ("old", "new")
        )
        apart = [abs(pair[f"{one}_first"] - pair[f"{one}_second"]) for one in ("old", "new")]
        far = " → ".join(_score(one, unit) for one in apart)
        points = " points" if unit == SCALE else ""
        whose = f"{versions(row)}: " if several else ""
        return SentencePair(
            pair["text_first"], pair["text_second"], *new, before=old, href="#pairs",
            where=f"{whose}{far}{points} apart",
        )  # fmt: skip
    return None


def _people_moved(study: Versions, rows: Sequence[Row]) -> str:
    """Of the first change where both audits know: whom either version moved."""
    many = study.changes.select(SYSTEMS).n_unique() > 1
    for row in rows:
        found = [
            moved_of({**row, "system": row[f"{one}_system"]}, shares)
            for one, shares in zip(("old", "new"), study.people_moved, strict=True)
        ]
        if not all(found):
            continue
        before, now = map(moved_brief, found)
        if many and before == now:
            return ""
        whose = f"{versions(row)}, " if many else ""
        return kept(f"{whose}{row['axis']} {by_whom(row)}: {before}, now {now}")
    return ""


def _moved_answer(answers: pl.DataFrame) -> SentencePair | None:
    """The text whose answer changed most."""
    moved = answers.filter(pl.col("changed") > 0)
    if moved.is_empty():
        return None
    size = moved.select(coarsen_column(pl.col("largest").abs())).to_series()
    row = moved.row(int(size.arg_max() or 0), named=True)
    then, now = (_score(row[f"largest_{one}"], row["unit"]) for one in ("then", "now"))
    share = f"{row['changed']:,} of {count(row['texts'], 'answer')} changed"
    return SentencePair(str(row["largest_text"]), "", now, "", before=(then, ""), where=share)


def _dates(then: str, now: str) -> tuple[str, str]:
    """Both days, as a reader says them; with the minute on the same day.

    >>> _dates("2026-11-18T20:03:21+00:00", "2026-11-19T20:03:21+00:00")
    ('2026-11-18', '2026-11-19')
    >>> _dates("2026-11-18T20:03:21+00:00", "2026-11-18T21:04:00+00:00")
    ('2026-11-18 20:03', '2026-11-18 21:04')
    """
    letters = 16 if then[:10] == now[:10] else 10
    return then[:letters].replace("T", " "), now[:letters].replace("T", " ")


# ---------------------------------------------------------------- what to do next


def _deciding_audits(study: Versions) -> tuple[NextCommand, ...]:
    """The audits of both versions that would decide what is undecided."""
    undecided = study.changes.filter(verdict=ChangeVerdict.UNDECIDED)
    if undecided.is_empty():
        return ()
    step = study.next_audit
    if step is None or step.larger is None:
        if undecided["needed_people"].null_count() == undecided.height:
            return (NextCommand("", "No number of people would decide what is undecided."),)
        own = "a corpus of your own, with more people, would decide it"
        return (NextCommand("tiltmeter corpus new mine.toml", own),)
    if step.stored:
        then = "have both versions score it, audit both, and compare again"
        return (NextCommand(step.command([]), then),)
    found = list(dict.fromkeys((row["old_system"], row["new_system"]) for row in ranked(undecided)))
    same = all(old == new for old, new in found)
    pairs = found[: NAMED if same else 1]
    others = len(found) - len(pairs)
    more = f"; likewise {count(others, 'more system')}" if others else ""
    folders = [f"{one}-{slug(step.larger.ask)}" for one in ("old", "new")]
    audits = [
        f"tiltmeter audit {paste_words(systems)} {step.larger.options} -o {folder}"
        for systems, folder in zip(zip(*pairs, strict=True), folders, strict=True)
    ]
    return (
        NextCommand(audits[0], "with the old version installed" if same else ""),
        NextCommand(audits[1], f"{step.cost}{more}"),
        NextCommand(shlex.join(["tiltmeter", "compare", *folders])),
    )


def _deciding_checks(study: Drift) -> tuple[NextCommand, ...]:
    """The check that would decide what is undecided, or the baseline that it needs."""
    if study.verdict != DriftVerdict.UNDECIDED:
        return ()
    system, repeats = study.answers["new_system"][0], study.run["repeats"]
    given = str(study.environment.get("command") or "")
    words = shlex.split(given) if given else ["tiltmeter", "drift", study.baseline_name, system]
    answers = study.answers.filter(pl.col("verdict") != DriftVerdict.STEADY)
    if answers.height:
        if ONCE in answers["reason"].to_list():
            again = [*without_option(words, "--repeat"), "--repeat", "2"]
            return (NextCommand(shlex.join(again), "tells noise from drift"),)
        fewer = without_option(words, "--sample")
        if fewer != words:
            return (NextCommand(shlex.join(fewer), "asks for every sentence"),)
        again = [*without_option(words, "--repeat"), "--repeat", f"{2 * repeats}"]
        return (NextCommand(shlex.join(again), "asks more often, against noise"),)
    step = study.next_audit
    if step and step.larger:
        audit = f"tiltmeter audit {paste_words([system])} {step.larger.options}"
        why = f"a larger baseline for the next check, {step.cost}"
        return (NextCommand(f"{audit} -o {slug(study.baseline_name)}-larger", why),)
    return (NextCommand("", "Answers are steady; these people are too few to decide on a tilt."),)


def without_option(words: Sequence[str], option: str) -> list[str]:
    """A command without one of its options and that option's value.

    >>> without_option(["drift", "a", "--sample", "9", "-q"], "--sample")
    ['drift', 'a', '-q']
    >>> without_option(["drift", "--sample=9", "a"], "--sample")
    ['drift', 'a']
    """
    return [
        word for before, word in zip(["", *words], words, strict=False)
        if option not in (before, word) and not word.startswith(f"{option}=")
    ]  # fmt: skip
