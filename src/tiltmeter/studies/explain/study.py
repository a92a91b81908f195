"""What an explanation found, in every form: tables, JSON, page, folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.report.json_files import json_document
from tiltmeter.report.study import Study, write
from tiltmeter.studies.explain.carriers import Carriers, carriers_frame, together_frame
from tiltmeter.studies.explain.interactions import Interactions, interactions_frame
from tiltmeter.studies.explain.material import ExplainedClaim
from tiltmeter.studies.explain.rarity import Rarity, rarity_frame
from tiltmeter.studies.explain.sentences import SentenceExplanation
from tiltmeter.studies.explain.wording import NOT_SHOWN, driving_sentence

if TYPE_CHECKING:
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ClaimExplanation:
    """Why one claim is as it is: whom, what words, known and unknown names."""

    carriers: Carriers
    interactions: tuple[Interactions, ...] = ()
    rarity: Rarity | None = None

    @property
    def claim(self) -> ExplainedClaim:
        """What is explained."""
        return self.carriers.claim


@dataclass(frozen=True, slots=True)
class QuestionCost:
    """What asking comes to: texts in all, those that are new, those that the store has."""

    system: str = ""
    texts: int = 0
    new: int = 0
    stored: int = 0
    price: float = 0.0
    """Of the new ones, in the user's currency."""

    def __str__(self) -> str:
        """In one sentence."""
        if not self.texts:
            return "Nothing was asked of any system."
        price = f", at a price of {self.price:.2f}" if self.price else ""
        texts = f"{self.texts:,} {'text' if self.texts == 1 else 'texts'}"
        return f"{self.system}: {texts}, {self.new:,} new{price}, {self.stored:,} stored."

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Study):
    """Why a system scores as it does."""

    system: str
    claims: tuple[ClaimExplanation, ...]
    """Of an audit; none where only a text was asked about."""
    names: tuple[SentenceExplanation, ...]
    text: SentenceExplanation | None
    asked: QuestionCost
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    """What could not be done, and why."""

    @property
    def people(self) -> pl.DataFrame:
        """Everybody of every claim, what they add, and the claim without them."""
        return carriers_frame([one.carriers for one in self.claims])

    @property
    def together(self) -> pl.DataFrame:
        """Every claim without its first two, three, … people."""
        return together_frame([one.carriers for one in self.claims])

    @property
    def words(self) -> pl.DataFrame:
        """Every word, emotion and template of every claim: its tilt and its interaction."""
        return interactions_frame([each for one in self.claims for each in one.interactions])

    @property
    def known(self) -> pl.DataFrame:
        """The names of every claim apart: known and unknown, and by bearers."""
        return rarity_frame([one.rarity for one in self.claims if one.rarity is not None])

    @property
    def sentences(self) -> Iterator[SentenceExplanation]:
        """The text, then the names."""
        if self.text is not None:
            yield self.text
        yield from self.names

    def page(self) -> Page:
        """explain.html."""
        from tiltmeter.studies.explain.view import explain_page

        return explain_page(self)

    def tables(self) -> Sequence[Table]:
        """Every table that has rows."""
        from tiltmeter.report.table import Table

        frames = {
            "people": self.people, "without": self.together, "words-templates": self.words,
            "known-names": self.known, "sentence-words": self.word_effects,
        }  # fmt: skip
        return [Table(name, frame) for name, frame in frames.items() if frame.height]

    @property
    def word_effects(self) -> pl.DataFrame:
        """Every word that was left out of a sentence, and what it does to the score."""
        rows = [
            {"name": one.name, "text": one.text, "word": each.word.text, "start": each.word.start,
             "effect": each.effect, "lexicon": each.lexicon, "unit": one.unit}
            for one in self.sentences
            for each in one.found.effects
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    def document(self) -> tuple[str, str]:
        """explain.json."""
        head = {
            "schema_version": SCHEMA_VERSION,
            "environment": self.environment,
            "run": self.run,
            "system": self.system,
            "asked": self.asked.to_dict(),
            "notes": list(self.notes),
            "not_shown": dict(NOT_SHOWN),
        }
        lists: dict[str, list[dict[str, Any]]] = {
            "claims": [self._claim_row(one) for one in self.claims],
            "people": self.people.to_dicts(),
            "without": self.together.to_dicts(),
            "words": self.words.to_dicts(),
            "known": self.known.to_dicts(),
            "sentences": [one.to_dict() for one in self.sentences],
        }
        return "explain.json", json_document(head, lists)

    def _claim_row(self, one: ClaimExplanation) -> dict[str, Any]:
        row, carriers = one.claim.row, one.carriers
        kept = ("value", "low", "high", "unit", "margin", "verdict")
        driver = carriers.driver
        return one.claim.keys | {name: row[name] for name in kept} | {
            "people": len(carriers.people), "people_moving": carriers.moving,
            "driven_by": driver.name if driver else None,
            "without": driver.without.to_dict() if driver and driver.without else None,
            "sentence": driving_sentence(carriers),
        }  # fmt: skip

    def report(self, folder: Path | str = "tiltmeter-explain", *, force: bool = False) -> Path:
        """Write the page and everything beside it to a folder; returns the page's path."""
        return write(self, Path(folder), force=force)

    def __repr__(self) -> str:
        lines = [f"Explanation of {self.system}"]
        lines += [f"  {driving_sentence(one.carriers)}" for one in self.claims]
        return "\n".join([*lines, "  tables: .people .words .known .word_effects"])
