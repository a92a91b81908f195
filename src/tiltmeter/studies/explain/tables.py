"""The tables of an explanation, for the terminal and the page."""

from __future__ import annotations

import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import DASH, short
from tiltmeter.report.phrases import shortened
from tiltmeter.report.table import Cell, Column, Row, Table
from tiltmeter.schemas import Verdict
from tiltmeter.studies.explain.carriers import Carriers
from tiltmeter.studies.explain.interactions import TEMPLATE, Interactions
from tiltmeter.studies.explain.material import ExplainedClaim
from tiltmeter.studies.explain.rarity import Rarity
from tiltmeter.studies.explain.sentences import SentenceExplanation
from tiltmeter.studies.explain.wording import (
    KINDS,
    category_words,
    change_text,
    direction,
    ends,
    said,
    sized,
)
from tiltmeter.studies.paired.claims import COUPLES

SHOWN = 5
"""Rows that are shown; files hold all."""
LONGEST = 24
SHORT = {Verdict.EVEN: "even", Verdict.NOT_ESTIMABLE: DASH}


def carriers_table(found: Carriers, most: int = SHOWN) -> Table:
    """Who adds most to a tilt, and what it is without each of them, and without the first few."""
    claim = found.claim
    rows = [row for row, one in zip(found.rows(), found.people, strict=True) if one.moves][:most]
    told = [
        {"who": row["person"], "group": row["group"], "adds": row["adds"],
         "left": row["without"], "low": row["without_low"], "high": row["without_high"],
         "verdict": row["verdict_without"]}
        for row in rows
    ]  # fmt: skip
    told += [
        {"who": f"the first {many:,}", "group": "",
         "adds": sum(one.adds for one in found.people[:many]), "left": left.value,
         "low": left.low, "high": left.high, "verdict": left.verdict}
        for many, left in found.together
    ]  # fmt: skip
    frame = pl.DataFrame(told, infer_schema_length=None)
    who = "couple" if claim.kind == COUPLES else "name"
    columns = (
        Column("who", who, format=lambda name: shortened(name, LONGEST)),
        *([] if claim.kind == COUPLES else [Column("group", "group")]),
        Column("adds", "adds", format=lambda value: sized(claim, value), align="right"),
        Column("left", "without", format=lambda value: sized(claim, value), align="right"),
        Column("low", "95 % interval", cell=lambda row: _ends(claim, row), align="left"),
        Column("verdict", "verdict", format=short_verdict),
    )
    unit = "points of 100" if claim.unit == "scale" else "its own units"
    caption = f"Who adds most to the tilt, in {unit}, {direction(claim)}"
    return Table("carriers", frame, columns, caption=caption)


def short_verdict(verdict: str) -> str:
    """A verdict in one word."""
    return SHORT.get(Verdict(verdict), said(verdict))


def _ends(claim: ExplainedClaim, row: Row) -> str:
    return ends(claim, row["left"], row["low"], row["high"]) or DASH


def interactions_table(found: Interactions, most: int = SHOWN) -> Table:
    """The words, emotions or templates in which a tilt differs most from the whole."""
    claim, of = found.claim, found.of
    frame = pl.DataFrame([*found.rows()][:most], infer_schema_length=None)
    columns = (
        Column("category", KINDS[of].removesuffix("s"),
               format=lambda name: category_words(of, name)),
        *([Column("example", "as in", format=lambda text: shortened(text, 40))]
          if of == TEMPLATE else []),
        Column("tilt", "tilt there", format=lambda value: sized(claim, value), align="right"),
        Column("interaction", "from the whole",
               format=lambda value: sized(claim, value), align="right"),
        Column("low", "95 % interval",
               cell=lambda row: _spread(claim, row), align="left"),
    )  # fmt: skip
    many = len(found.found)
    caption = f"The largest of {many} {KINDS[of]}, {direction(claim)}; corrected for {many}"
    return Table(f"{of}s", frame, columns, caption=caption)


def _spread(claim: ExplainedClaim, row: Row) -> str:
    interval = ends(claim, row["interaction"], row["low"], row["high"])
    return interval or ("alike for all" if row["alike"] and row["interaction"] else DASH)


def rarity_table(found: Rarity) -> Table:
    """Known and unknown names apart, and names about equally common."""
    claim = found.claim
    frame = pl.DataFrame([*found.rows()], infer_schema_length=None)
    knows = frame["known"].null_count() < frame.height
    groups = [one for one, _ in (found.by_knowledge or found.by_bearers)[0].by_group]
    side = [
        Column(f"side_{nth}", shortened(group, 12)) for nth, group in enumerate(groups, 1)
    ] if len(groups) == 2 else []  # fmt: skip
    columns = (
        Column("part", "names", cell=_part),
        Column("names", "number"),
        *([Column("known", "known")] if knows and found.by_bearers else []),
        *side,
        Column("value", "tilt", format=lambda value: sized(claim, value), align="right"),
        Column("low", "95 % interval",
               cell=lambda row: ends(claim, row["value"], row["low"], row["high"]) or DASH,
               align="left"),
    )  # fmt: skip
    caption = f"The tilt among some of the names, {direction(claim)}"
    notes = (f"Known: in {found.source}.",) if found.source else ()
    return Table("known-names", frame, columns, caption=caption, notes=notes)


def _part(row: Row) -> str:
    return str(row["part"]) if row["by"] == "knowledge" else f"{row['part']} bearers"


def words_table(found: SentenceExplanation, most: int | None = None) -> Table:
    """What every word of a sentence does to its score; or those that do most, in their order."""
    effects = found.found.effects
    if most is not None and len(effects) > most:
        size = sorted(
            range(len(effects)), key=lambda nth: -coarsen(abs(effects[nth].effect or 0.0))
        )
        effects = tuple(effects[nth] for nth in sorted(size[:most]))
    lexicon = any(one.lexicon is not None for one in effects)
    frame = pl.DataFrame(
        [
            {"word": one.word.text, "effect": one.effect, "lexicon": one.lexicon,
             "name": one.is_name}
            for one in effects
        ],
        infer_schema_length=None,
    )  # fmt: skip
    columns = (
        Column("word", "word", cell=_word),
        Column("effect", "effect",
               format=lambda value: change_text(value, found.unit), align="right"),
        *([Column("lexicon", "in its list",
                  format=lambda value: short(value, 2), align="right")] if lexicon else []),
    )  # fmt: skip
    return Table(
        "words",
        frame,
        columns,
        caption="Each word left out in turn: the score with it less the score without it",
    )


def _word(row: Row) -> Cell:
    return Cell(row["word"], small="name" if row["name"] else "")
