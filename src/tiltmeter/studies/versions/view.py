"""The pages of two versions and of drift: compare.html and drift.html, without a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup

from tiltmeter.report.forest import Forest, ForestCell, ForestPanel, ForestRow, Mark, around_zero
from tiltmeter.report.glossary import GlossaryTerm
from tiltmeter.report.numbers import POINTS, count, fixed
from tiltmeter.report.page import Method, Page, Section
from tiltmeter.report.phrases import called, kept
from tiltmeter.studies.paired.verdict_wording import SAID_OF, by_whom, margin_text
from tiltmeter.studies.paired.wording import Phrases, Sides, sides_of
from tiltmeter.studies.versions import wording
from tiltmeter.studies.versions.answer import change_anchor, compare_screen, drift_screen
from tiltmeter.studies.versions.tables import skill_table
from tiltmeter.studies.versions.wording import (
    COMPARISON,
    SPOKEN,
    Row,
    change_interval,
    in_points,
    places_of,
    question,
    tilt,
    unpaired_words,
    versions,
    weight,
)

if TYPE_CHECKING:
    from tiltmeter.studies.versions.compare import Versions
    from tiltmeter.studies.versions.drift import Drift

STYLES = ("versions/versions.css",)
MANY = 30
"""Versions that a figure shows before the rest is folded away; comparisons with pairs."""
PAIRS = 5
"""Pairs shown in either direction; the table beside the page has more."""
BEFORE, NOW = 30.0, 70.0
"""Where the old and the new version's marks are, in per cent of the height."""
OVER_PEOPLE = Markup(
    'Points of 100 of the scale, with 95 % intervals <a href="#g-sample">over people</a>. The '
    'shaded band is the <a href="#g-margin">margin</a> on either side of 0.'
)


def compare_page(study: Versions) -> Page:
    """What changed between two audits."""
    changes = study.changes
    alike = changes["margin"].n_unique() == 1
    margins = dict(changes.select("axis", "margin").rows())
    skill = skill_table(study.skill)
    notes = [*study.notes, *unpaired_words(study.unpaired)]
    sizes = [
        f"{count(one['sentences'], 'sentence')} of {one['name']}" for one in study.run["corpora"]
    ]
    return Page(
        "compare.html",
        question(changes),
        Section("answer", "", body=compare_screen(study, len(notes)).html()),
        (
            Section(
                "changes", "Before and now", "versions/changes.html",
                {"blocks": blocks(changes, study.phrases), "about": OVER_PEOPLE + Markup(
                    ' The last column is the <a href="#g-change">change</a>: plus is towards the '
                    "right end, minus towards the left."
                )},
                lede="Each tilt and verdict in words.", nav="Tilt",
            ),
            _pairs_section(changes, study.moved),
            _notes_section(notes),
            Section("skill", "Skill beside it", body=skill.html() + SKILL_NOTE,
                    lede="How well either version agrees with gold scores.", nav="Skill")
            if study.skill.height else None,
        ),
        Method(
            "Both versions scored the same sentences; the change is taken sentence by sentence.",
            [
                ("The change", "What both versions make of a name or a word alike cancels. Its "
                 "interval allows for other people, and for other words of the same emotions."),
                ("Old audit", _audit(study.old_name, study.run["audits"]["old"])),
                ("New audit", _audit(study.new_name, study.run["audits"]["new"])),
                ("Compared on", "; ".join(sizes)),
                ("Margin", margin_text(changes["margin"][0]) if alike else ", ".join(
                    f"{axis} {margin_text(margin)}" for axis, margin in margins.items()
                )),
                ("Rule", str(changes["rule"][0])),
            ],
            limits_title="What the verdicts do not mean",
        ),
        LIMITS,
        GLOSSARY,
        about="compare",
        environment=study.environment,
        files=Markup('Beside this page: <a href="compare.json" download>compare.json</a>, for '
                     "programs; and the tables."),
        tables=tuple(study.tables()),
        kind="versions",
        styles=STYLES,
    )  # fmt: skip


def drift_page(study: Drift) -> Page:
    """What became of a system since its baseline."""
    name = study.answers["new_system"][0]
    run = study.run
    versions_known = []
    for row in study.versions.to_dicts():
        then, now = (
            f"{row[f'{one}_version'] or 'unknown'}, fingerprint "
            f"{(row[f'{one}_fingerprint'] or 'unknown')[:12]}"
            for one in ("old", "new")
        )
        which = f"{row['new_system']} ({row['task']}, {row['corpus']})"
        versions_known.append((which, f"then {then}; now {now}"))
    times = "once" if run["repeats"] == 1 else f"{run['repeats']} times"
    return Page(
        "drift.html",
        f"Does {called(name)} still answer as it did?",
        Section("answer", "", body=drift_screen(study).html(), lede=_another_system(study)),
        (
            Section("answers", "What became of the answers", "versions/answers.html",
                    {"answers": study.answers.to_dicts(), "wording": wording, "kept": kept},
                    lede="How many changed, how far, and how much is noise.", nav="Answers"),
            Section("changes", "Tilt, before and now", "versions/changes.html",
                    {"blocks": blocks(study.changes, study.phrases), "about": OVER_PEOPLE},
                    lede="Each tilt and verdict in words.", nav="Tilt"),
            _pairs_section(study.changes, study.moved),
            _notes_section(study.notes),
        ),
        Method(
            "The system was asked again, apart from what is stored.",
            [
                ("Baseline", study.baseline_name),
                *versions_known,
                ("Asked for", f"{count(run['sentences'], 'sentence')}, each text {times}; nothing "
                 "stored"),
                ("Margin", margin_text(study.answers["margin"][0])),
                ("Rule", str(study.changes["rule"][0])),
            ],
            limits_title="What the verdict does not mean",
        ),
        DRIFT_LIMITS,
        DRIFT_GLOSSARY,
        about="drift",
        environment=study.environment,
        files=Markup('Beside this page: <a href="drift.json" download>drift.json</a>, for '
                     'programs; <a href="scores.parquet" download>scores.parquet</a>, the new '
                     "answers; and the tables."),
        tables=tuple(study.tables()),
        kind="versions",
        styles=STYLES,
    )  # fmt: skip


def _notes_section(notes: Sequence[str]) -> Section | None:
    """What a reader should know of what was compared."""
    if not notes:
        return None
    body = Markup("").join(Markup('<li dir="auto">{}</li>').format(note) for note in notes)
    return Section(
        "notes", "Notes", body=Markup('<ul class="departures">{}</ul>').format(body),
        lede="What differs besides the scores.",
    )  # fmt: skip


def _another_system(study: Drift) -> Markup | str:
    """That the system is another one than the baseline's: it is said before the verdict."""
    known = study.versions.select("old_fingerprint", "new_fingerprint").rows()
    if not any(old and old != new for old, new in known):
        return ""
    return Markup('<a href="#notes">{}</a>').format(
        "Not the baseline’s system: its version or settings changed."
    )


def _audit(folder: str, run: Mapping[str, Any]) -> str:
    systems = run.get("systems")
    names = [
        f"{one.get('system')}{f', {version}' if (version := one.get('version')) else ''}"
        for one in (systems if isinstance(systems, list) else ())
        if isinstance(one, dict)
    ]
    listed = "; ".join(dict.fromkeys(names[:6])) + (" …" if len(names) > 6 else "")
    return f"{folder} ({listed})"


def blocks(changes: pl.DataFrame, phrases: Phrases) -> list[dict[str, Any]]:
    """A figure, and its title, for each corpus, contrast and kind of people."""
    by = ("corpus", "edition", "axis", "contrast", "reference", "subset")
    several = changes["corpus"].n_unique() > 1
    found = []
    numbered = changes.with_row_index("nth")
    for nth, (_, part) in enumerate(numbered.group_by(by, maintain_order=True)):
        rows: list[dict[str, Any]] = part.to_dicts()
        if len(rows) > MANY:
            rows.sort(key=weight)
        sides = sides_of(rows[0], phrases)
        where = f" ({rows[0]['corpus']})" if several else ""
        whom = f"{rows[0]['axis']} {by_whom(rows[0])}"
        title = f"{whom}: sentences {sides.first} and the same sentences {sides.second}{where}"
        known = [row for row in rows if row["old"] is not None and row["unit"] == "scale"]
        ends = ("old_low", "old_high", "new_low", "new_high")
        scale = around_zero(
            [POINTS * row[one] for row in known for one in ("old", "new")]
            + [2.0 * POINTS * row["margin"] for row in known],
            [POINTS * row[end] for row in known for end in ends if row[end] is not None],
        )
        tasks = len({row["task"] for row in rows}) > 1
        panel = ForestPanel("", scale, (sides.towards(False), sides.towards(True)))
        forest = Forest(
            f"change-{nth}", title, (panel,), tuple(_forest_row(row, sides, tasks) for row in rows),
            first="Versions", columns=("Change",), layout="below", most=MANY, kind="changes",
        )  # fmt: skip
        words = [(change_anchor(row), row["sentence"]) for row in rows]
        found.append({"title": title, "forest": forest, "words": words})
    return found


def _forest_row(row: Row, sides: Sides, tasks: bool) -> ForestRow:
    """Either version on the scale, the old one hollow and above the new one; then the change."""
    places = None if row["change_low"] is None else places_of(row)
    words = {
        one: f"{tilt(row[one], sides, places)}: {SAID_OF[row[f'{one}_verdict']]}"
        for one in ("old", "new")
    }
    verdict = Markup('<b class="verdict">{}</b> ').format(SPOKEN[row["verdict"]])
    if row["change_low"] is None or row["unit"] != "scale":
        fact = verdict + "–"
        cell = ForestCell(says=(f"Before: {words['old']}", f"Now: {words['new']}"))
    else:
        change, spread = change_interval(row)
        interval = kept(spread.removeprefix("95 % interval "))
        fact = verdict + Markup('{} <i class="of">({})</i>').format(change, interval)
        marks = []
        for one, name, level in (("old", "Before:", BEFORE), ("new", "Now:", NOW)):
            value, low, high = (
                None if row[f"{one}{end}"] is None else POINTS * row[f"{one}{end}"]
                for end in ("", "_low", "_high")
            )
            up, down = low is not None and low > 0, high is not None and high < 0
            marks.append(Mark(
                value or 0.0, low, high, "up" if up else "down" if down else "",
                filled=one == "new", level=level, name=name, spread=words[one],
            ))  # fmt: skip
        bound = POINTS * row["margin"]
        cell = ForestCell(tuple(marks), band=(-bound, bound), joined=True)
    return ForestRow(versions(row), (cell,), tag=row["task"] if tasks else "", facts=(fact,))


def _pairs_section(changes: pl.DataFrame, moved: pl.DataFrame) -> Section | None:
    """The pairs of each comparison, those of weighty verdicts first."""

    def facts(pair: Row, on_scale: bool) -> dict[str, Any]:
        """Both sentences, what either version gave them, and how far apart they are."""

        def size(value: float) -> str:
            return "0" if not value else in_points(abs(value)) if on_scale else f"{abs(value):.3g}"

        sides = []
        for side in ("first", "second"):
            many = pair[f"n_{side}"]
            others = f"and {many - 1:,} like it, averaged" if many > 1 else ""
            scores = (fixed(POINTS * pair[f"{one}_{side}"], 1) for one in ("old", "new"))
            sides.append((pair[f"text_{side}"], others, *scores))
        way = "further apart" if pair["further"] > 0 else "closer"
        return {
            "sides": sides,
            "old_apart": size(pair["old_delta"]),
            "new_apart": size(pair["new_delta"]),
            "moved": f"{size(pair['further'])} {way}",
        }

    parts = []
    keys = [name for name in COMPARISON if name in moved.columns]
    for nth, row in enumerate(sorted(changes.to_dicts(), key=weight)[:MANY]):
        own = moved.filter(pl.col(name) == row[name] for name in keys)
        apart, together = (
            tuple(facts(pair, row["unit"] == "scale") for pair in part.head(PAIRS).to_dicts())
            for part in (own.filter(pl.col("further") > 0), own.filter(pl.col("further") < 0))
        )
        if apart or together:
            whom = f"{row['axis']} {by_whom(row)}, {row['contrast']}"
            title = f"{whom}: {versions(row)} ({row['task']}, {row['corpus']})"
            parts.append({"title": title, "apart": apart, "together": together, "open": nth == 0})
    if not parts:
        return None
    return Section(
        "pairs", "Pairs that moved", "versions/pairs.html", {"parts": parts},
        lede="Further apart than before, or closer.",
        nav="Pairs",
    )  # fmt: skip


SKILL_NOTE = Markup(
    '<p class="aside"><a href="#g-skill">Pearson’s r</a> with a 95 % interval. The difference is '
    "not paired, since audits keep no answers to gold texts; its interval is as wide as it could "
    "be.</p>"
)

LIMITS = (
    (
        "Better is not even.",
        "The tilt shrank, and may still be larger than you can accept: see either version’s own "
        "verdict.",
    ),
    (
        "Worse is not large.",
        "The tilt surely grew, by whatever the interval says. A change within the margin is called "
        "the same, however sure it is.",
    ),
    (
        "Same is not none.",
        "The change is shown to be smaller than the margin. Two versions can be equally tilted, "
        "and the same in the mean while single pairs moved: they are listed.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. More people would decide it; looking at it longer does not.",
    ),
    (
        "A corpus is not the world.",
        "The verdict reaches to people like these, in these templates, and no further.",
    ),
)

GLOSSARY = (
    GlossaryTerm(
        "tilt",
        "tilt",
        "The mean difference between the scores of matched sentences about two "
        "groups, in points of 100 of the scale.",
    ),
    GlossaryTerm(
        "change",
        "change",
        "The new version’s tilt minus the old one’s. Both scored the same "
        "sentences, so what they make of them alike cancels, and a small change shows.",
    ),
    GlossaryTerm(
        "size",
        "grew, shrank",
        "How much larger the tilt is than before, whichever way it leans: "
        "|new| − |old|. It is shown only where both the change and the sum of the two tilts "
        "differ from 0; so chance around 0 is not taken for a change.",
    ),
    GlossaryTerm(
        "margin", "margin", "The change that does not matter to you, named before looking."
    ),
    GlossaryTerm(
        "same",
        "same within the margin",
        "Two one-sided tests show that the change is smaller than the margin in either direction.",
    ),
    GlossaryTerm(
        "sample",
        "by names, by couples",
        "People are random: intervals allow for other names, or "
        "couples such as my mother and my father, and for other words of the same emotions. "
        "Templates and emotions are as they are.",
    ),
    GlossaryTerm(
        "correction",
        "after correction",
        "Who makes many comparisons finds some changes by "
        "chance. Corrected p-values allow for how many were made.",
    ),
    GlossaryTerm(
        "skill",
        "skill",
        "How well scores agree with gold scores of labelled texts (Pearson’s "
        "r). An audit keeps no answers to gold texts, so the difference is not paired, and its "
        "interval is as wide as it could be.",
    ),
)

DRIFT_LIMITS = (
    (
        "Steady is not even.",
        "The system answers as it did in the baseline. If it was tilted then, it still is.",
    ),
    (
        "Drifted is not worse.",
        "Answers moved. Whether a tilt grew or shrank is said for each comparison.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. Ask more often (--repeat) or for more frames.",
    ),
    (
        "Only these sentences were asked.",
        "A service may have changed for texts that are not in the corpus.",
    ),
)
DRIFT_GLOSSARY = (
    GlossaryTerm(
        "noise",
        "noise",
        "How far two answers to the same text are apart when asked at the same "
        "time. A service that answers differently each time has some.",
    ),
    GlossaryTerm(
        "beyond",
        "beyond noise",
        "How much further an answer of then is from one of now than two "
        "answers of now are from each other; 0 on average where nothing moved.",
    ),
    *(one for one in GLOSSARY if one.anchor != "skill"),
)
