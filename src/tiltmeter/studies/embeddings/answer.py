"""The first screen of a study of embeddings: the bottom line, chips, the strip, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup, escape

from tiltmeter.ranking import coarsen
from tiltmeter.report.first_screen import (
    Chip,
    ChipShape,
    FirstScreen,
    NextCommand,
    SentencePair,
)
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    around_zero,
    from_zero,
)
from tiltmeter.report.numbers import fixed
from tiltmeter.report.phrases import called, kept, shortened
from tiltmeter.studies.embeddings.bottom_line import KNOWN, NAME, bottom_line, known_text
from tiltmeter.studies.embeddings.choice import (
    FARTHEST,
    KNOWLEDGE,
    MARGIN,
    Choice,
    ListComparison,
    Outcome,
    UndecidedBy,
    choice,
    known_of,
)
from tiltmeter.studies.embeddings.forests import beyond, is_detected, method_title
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import (
    effect_texts,
    gap_texts,
    per_cent,
    points_texts,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, rows_of

ROWS, PANELS, CHIPS, BESIDE = 4, 4, 6, 2
"""Embeddings and lists in the strip, chips, and sentences beside: the sections below have all."""
OTHER_LEXICONS = {"vader": "nrc", "nrc": "vader", "afinn": "vader", "senticnet": "vader",
                  "hu-liu": "vader"}  # fmt: skip
"""English lexicons known by name, and one to ask beside each."""


def first_screen(study: Embeddings) -> FirstScreen:
    """What a reader learns of the study in ten seconds."""
    found = choice(study)
    return FirstScreen(
        lead=bottom_line(study, found),
        chips=tuple(_chips(study, found)),
        figure=_figure(study, found),
        pair=_furthest_terms(study),
        moved=_beside(study, found),
        steps=_next_steps(study, found),
        pair_title="Furthest apart",
        moved_title="Beside",
        steps_title="Next",
    )


# ---- chips


def _chips(study: Embeddings, found: Choice) -> list[Chip]:
    """One for each embedding; the lists of a single one have theirs in the strip."""
    if len(study.names) == 1:
        return []
    order = dict.fromkeys(
        name for name in (found.taken, *found.less_even, *found.left, *found.refused) if name
    )
    chips = [_embedding_chip(study, found, name) for name in order]
    if len(chips) <= CHIPS:
        return chips
    more = Chip(ChipShape.NO_SIGNAL, "", f"{len(chips) - CHIPS + 1} more", "#choice")
    return [*chips[: CHIPS - 1], more]


def _list_chip(row: Row) -> Chip:
    if row["rnsb"] is None:
        return Chip(ChipShape.NO_SIGNAL, "", _refused(row), "#strip")
    shape, word = {
        None: (ChipShape.NO_SIGNAL, "ordinary words unknown"),
        True: (ChipShape.TILTED, "more uneven"),
        False: (ChipShape.UNDECIDED, "no difference detected"),
    }[beyond(row)]
    return Chip(shape, "", word, "#strip")


def _embedding_chip(study: Embeddings, found: Choice, name: str) -> Chip:
    label = called(name, NAME)
    if name in found.refused:
        fewest = min(
            rows_of(study.rnsb, embedding=name), key=lambda row: coarsen(row["coverage"] or 0.0)
        )
        return Chip(ChipShape.NO_SIGNAL, label, _refused(fewest), "#strip")
    if name == found.taken and found.outcome is Outcome.TAKE:
        return Chip(ChipShape.BETTER, label, "more even", "#choice")
    if name == found.taken:
        return Chip(ChipShape.BETTER, label, "more even, knows less", "#choice")
    if name in found.less_even:
        return Chip(ChipShape.WORSE, label, "less even", "#choice")
    if found.outcome is Outcome.ALIKE:
        return Chip(ChipShape.EVEN, label, f"alike within {MARGIN:g}", "#choice")
    word = "depends on the list" if found.outcome is Outcome.BY_LIST else "not decided"
    return Chip(ChipShape.UNDECIDED, label, word, "#choice" if found.comparisons else "#strip")


def _refused(row: Row) -> str:
    missing = row["n_terms"] - row["n_found"]
    if missing and row["coverage"] is not None and row["coverage"] < 1:
        return f"refused: {missing} of {row['n_terms']} terms missing"
    return "refused"


def _ordered(found: Choice) -> list[str]:
    """The one taken first, then those that are left, then the others; those without lists not."""
    first = [found.taken] if found.taken else []
    return list(dict.fromkeys([*first, *found.left, *found.less_even, *found.refused]))


# ---- the strip


def _figure(study: Embeddings, found: Choice) -> Markup:
    strip = glance_forest(study, found)
    if strip is None:
        return Markup()
    many = len(found.left) + len(found.less_even)
    said = (
        f"RNSB: unevenness of {study.polarity} sentiment (0: even).",
        "Grey: ordinary words." if study.rnsb["even_low"].count() else "",
        f"{ROWS} of {many} shown." if many > ROWS else "",
    )
    return strip.html() + Markup('<p class="aside">{}</p>').format(" ".join(filter(None, said)))


def glance_forest(study: Embeddings, found: Choice) -> Forest | None:
    """RNSB of few embeddings on few lists; of two, their difference with what decides under it.

    One embedding has a row for each list; several have a panel for each.
    """
    known = [name for name in _ordered(found) if name not in found.refused]
    rows = {(row["embedding"], row["list"]): row for row in rows_of(study.rnsb)}
    numbers = [row for row in rows.values() if row["rnsb"] is not None]
    if not numbers:
        return None
    ends = [row[name] for row in numbers for name in ("rnsb", "high", "even_high")]
    if len(study.names) == 1:
        [name] = known
        scale = from_zero(ends, least=0.001, steps=2)
        return Forest(
            "glance", "RNSB of each list, beside ordinary words",
            (ForestPanel(shortened(name, NAME), scale, ("even", "more uneven")),),
            tuple(
                ForestRow(shortened(study.lists[of], NAME), (_rnsb_cell(row, spreads=True),),
                          about=_list_chip(row).html())
                for of in [*study.lists][:PANELS] if (row := rows.get((name, of)))
            ),
            first="Words", directed=False,
        )  # fmt: skip
    compared = {one.of for one in found.comparisons}
    lists = [of for of in study.lists if of in compared or not compared][:PANELS]
    shown = known[:ROWS] if len(known) > 2 else [name for name in study.names if name in known]
    strip = [
        ForestRow(shortened(name, NAME), tuple(_rnsb_cell(rows.get((name, of))) for of in lists))
        for name in shown
    ]
    if len(shown) == 2 and found.comparisons:
        strip.append(_difference_row(shown[0], found.between(*shown), lists))
    scale = ForestScale(0.0, max([0.001, *(end for end in ends if end is not None)]), steps=1)
    return Forest(
        "glance", "RNSB of each embedding, by list of words",
        tuple(ForestPanel(shortened(study.lists[of], NAME), scale) for of in lists), tuple(strip),
        first="", layout="below" if len(lists) > 1 else "beside", directed=False,
    )  # fmt: skip


def _rnsb_cell(row: Row | None, *, spreads: bool = False) -> ForestCell:
    """A dot with its interval, and what ordinary words get."""
    if row is None or row["rnsb"] is None:
        return ForestCell(number="refused" if row is not None else "")
    number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
    known = row["even_low"] is not None and row["even_high"] is not None
    return ForestCell(
        (Mark(row["rnsb"], row["low"], row["high"], ink=True, filled=beyond(row) is not False),),
        number, spread=spread if spreads else "",
        band=(row["even_low"], row["even_high"]) if known else None,
    )  # fmt: skip


def _difference_row(
    first: str, compared: Sequence[ListComparison], lists: Sequence[str]
) -> ForestRow:
    """The first embedding less the second, with the intervals that decide."""
    by = {one.of: one for one in compared}
    ends = [end for one in compared for end in (one.low, one.high) if end is not None]
    scale = around_zero([one.difference for one in compared], [*ends, MARGIN])
    scale = replace(scale, steps=1)

    def cell(one: ListComparison | None) -> ForestCell:
        if one is None:
            return ForestCell(says=("not compared",))
        number, spread = gap_texts(one.difference, one.low, one.high)
        mark = Mark(one.difference, one.low, one.high, ink=True, filled=one.better is not None,
                    shape="diamond")  # fmt: skip
        return ForestCell((mark,), number, spread=spread, band=(-MARGIN, MARGIN), scale=scale)

    label = f"left: {called(first, NAME)} more even"
    return ForestRow("Difference, shared terms", tuple(cell(by.get(of)) for of in lists), label)


# ---- words furthest apart, what stands beside, what to do next


def _furthest_terms(study: Embeddings) -> SentencePair | None:
    """The terms with the highest and the lowest probability where terms are the most uneven."""
    rows = [
        row for row in rows_of(study.rnsb)
        if row["rnsb"] is not None and None not in (row["most"], row["least"])
    ]  # fmt: skip
    if not rows:
        return None
    row = max(rows, key=lambda one: coarsen(one["rnsb"] - (one["by_chance"] or 0.0)))
    terms = rows_of(study.terms, embedding=row["embedding"], list=row["list"])
    chances = {term["term"]: term["probability"] for term in terms}
    ends = [chances.get(row[name]) for name in ("most", "least")]
    if ends[0] is None or ends[1] is None:
        return None
    words = [called(row[name], NAME) for name in ("most", "least")]
    return SentencePair(
        escape(words[0]), escape(words[1]), fixed(ends[0], 2), fixed(ends[1], 2),
        where=f"Probability of being {study.polarity}, {called(row['embedding'], NAME)}",
        href="#lists", more="all terms", levels=(ends[0], ends[1]),
    )  # fmt: skip


def _beside(study: Embeddings, found: Choice) -> Markup | str:
    """Groups of words that differ, what the vectors know, the link, what a projection leaves."""
    said = [*_groups(study), *_knowledge(study, found), *_links(study), *_mitigation(study)]
    return Markup("<br>").join(escape(kept(one)) for one in said[:BESIDE])


def _groups(study: Embeddings) -> list[str]:
    """The largest difference between groups of terms that was detected."""
    rows = [row for row in rows_of(study.groups)
            if row["difference"] is not None and is_detected(row)]  # fmt: skip
    if not rows:
        return []
    row = max(rows, key=lambda one: coarsen(abs(one["difference"])))
    up = row["difference"] > 0
    ends = [row["low"], row["high"]] if up else [row["high"], row["low"]]
    signed = [None if end is None else (end if up else -end) for end in ends]
    number, spread = points_texts(abs(row["difference"]), *signed)
    higher, lower = (row["first"], row["second"]) if up else (row["second"], row["first"])
    where = f"{called(row['embedding'], NAME)}: " if len(study.names) > 1 else ""
    return [
        f"{where}{called(higher, 30)} terms {number} points more {study.polarity} than "
        f"{called(lower, 30)}"
        f"{f' ({spread})' if spread else ''}."
    ]


def _knowledge(study: Embeddings, found: Choice) -> list[str]:
    """What each of two embeddings knows: similarity and analogies where they were measured."""
    known = [name for name in study.names if name in (*found.left, *found.less_even)]
    knowledge = known_of(study)
    if len(known) != 2:
        return []
    for measure in reversed(KNOWLEDGE):
        own, its = (knowledge[name].get(measure) for name in known)
        if own is not None and its is not None:
            values = f"{known_text(own).removesuffix(' %')} and {known_text(its)}"
            text = f"{KNOWN[measure]}: {values}."
            return [f"{text[:1].upper()}{text[1:]}"]
    return []


def _links(study: Embeddings) -> list[str]:
    """How far the first system's tilt between names goes with the vectors."""
    row = next((row for row in rows_of(study.links) if row["pearson"] is not None), None)
    if row is None:
        return []
    number, spread = effect_texts(row["pearson"], row["low"], row["high"])
    return [
        f"Names’ vectors and {called(row['system'], 30)}’s scores: "
        f"r = {number}{f' ({spread})' if spread else ''}."
    ]


def _mitigation(study: Embeddings) -> list[str]:
    """What clustering still finds after the first method."""
    rows = [row for row in rows_of(study.mitigation, measure="cluster") if row["value"] is not None]
    if not rows:
        return []
    own = {
        row["method"]: row["value"]
        for row in rows
        if (row["embedding"], row["direction"]) == (rows[0]["embedding"], rows[0]["direction"])
    }
    after = [name for name in own if name != BEFORE]
    if BEFORE not in own or not after:
        return []
    return [
        f"After {method_title(after[0])} clustering still finds {per_cent(own[after[0]])} of "
        f"leaning words ({per_cent(own[BEFORE])} before)."
    ]


def _next_steps(study: Embeddings, found: Choice) -> tuple[NextCommand, ...]:
    """What would decide, as a command where one would help."""
    if not study.lists:
        return ()
    if any(one.why is UndecidedBy.NO_INTERVAL for one in found.comparisons):
        again = repeated(study, {"--mode": None, "--resamples": None})
        return (NextCommand(again, "gives the numbers intervals"),)
    lexicon = _lexicon(study)
    other = OTHER_LEXICONS.get(str(lexicon.get("name")))
    if other is None or study.published:
        return ()
    needed = [
        one.words_needed for one in found.comparisons
        if one.words_needed is not None and one.words_needed <= FARTHEST
    ]  # fmt: skip
    note = f"asks other words than {lexicon['name']}’s"
    if found.outcome is Outcome.OPEN and needed:
        times = max(1.1, min(needed))
        many = fixed(times, 1 if times < 9.5 else 0)
        note = f"deciding takes {many} times as many words"
    elif found.outcome is Outcome.OPEN:
        note = "asks other words; more would not decide"
    changes = {**dict.fromkeys(FURTHER), "--lexicon": other}
    if len(study.names) > 2 * CHIPS:  # too many to type again
        return (NextCommand(f"--lexicon {other}", f"in the same command; {note}"),)
    return (NextCommand(repeated(study, changes), note),)


def _lexicon(study: Embeddings) -> Mapping[str, object]:
    told = study.run.get("lexicon")
    return told if isinstance(told, Mapping) else {"name": told, "title": ""}


FURTHER = ("--system", "--corpus", "--task", "--mitigate", "--direction", "--similarity",
           "--analogies", "--weat", "--scale")  # fmt: skip
"""Options that are about more than RNSB."""
PLACES = ("-o", "--output", "--json")
SWITCHES = ("-q", "--quiet", "--force", "--open")


def repeated(study: Embeddings, changes: Mapping[str, str | None]) -> str:
    """The study's command again with other values of options; None leaves an option out.

    It writes into a folder of its own.
    """
    given = shlex.split(str(study.environment.get("command") or ""))
    if given[:2] != ["tiltmeter", "embeddings"]:
        given = ["tiltmeter", "embeddings", *map(str, study.embeddings["spec"])]
    words, waiting = [], False
    for word in given:
        option = word.partition("=")[0]
        if waiting:
            waiting = False
        elif option in (*PLACES, *changes):
            waiting = "=" not in word
        elif word not in SWITCHES:
            words.append(word)
    for option, value in changes.items():
        words += [] if value is None else [option, value]
    return shlex.join([*words, "-o", "again"])
