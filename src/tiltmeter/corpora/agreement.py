"""What changes with the person besides the person: forced by grammar, or more than that.

In *She found herself …* grammar forces *herself*. Where the wording lets a word follow the person
though grammar agrees it with something else, a pair differs in more than the person, and a system
can look tilted for reading grammar. Templates say so with `grammar`.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.design import (
    PERSON_FREE,
    AgreeingSlot,
    Design,
    PersonSlot,
    Slot,
    Template,
    WordSlot,
)
from tiltmeter.corpora.template import write_with_slot

PAIR_COLUMNS = (
    "template", "frame", "match", "axis", "first_group", "first_id", "first_text",
    "second_group", "second_id", "second_text", "differs_in",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A word of a template that changes with the person, and why."""

    slot: str
    forms: tuple[str, ...]
    """Its forms, of the first word that has several: ('herself', 'himself')."""
    agrees: str
    grammar: str
    example: bool = False
    """True where other words stand in the slot too, each with forms of its own."""

    def __str__(self) -> str:
        return ("e.g. " if self.example else "") + " / ".join(self.forms)

    @property
    def forced(self) -> bool:
        """True where grammar asks for the change."""
        return self.agrees == self.grammar


def changes(design: Design, template: Template) -> tuple[Change, ...]:
    """The words of a template that change with a person, in order."""
    found = (_change(design, template, slot) for slot in _slots(template))
    return tuple(change for change in found if change)


def _slots(template: Template) -> tuple[Slot, ...]:
    slots = {piece.name: piece for piece in template.pieces if not isinstance(piece, str)}
    return tuple(slots.values())


def _change(design: Design, template: Template, slot: Slot) -> Change | None:
    if isinstance(slot, PersonSlot):
        return _person_change(design, slot)
    if not isinstance(slot, WordSlot | AgreeingSlot) or slot.agrees in PERSON_FREE:
        return None
    people = template.person_slot(slot.agrees).people
    wanted = dict.fromkeys(design.agreement_form(person) for person in people)
    if isinstance(slot, AgreeingSlot):
        variants = [tuple(dict.fromkeys(slot.forms.get(form or "") for form in wanted))]
    else:
        variants = [tuple(dict.fromkeys(word.form(form) for form in wanted)) for word in slot.words]
    forms = next((forms for forms in variants if len(forms) > 1), None)
    if forms is None:
        return None
    shown = tuple(form for form in forms if form)
    many = isinstance(slot, WordSlot) and len(slot.words) > 1
    return Change(slot.name, shown, slot.agrees, slot.grammar or slot.agrees, many)


def _person_change(design: Design, slot: PersonSlot) -> Change | None:
    """What a person's own form brings along: the person once more, or words fused with them.

    In *Lo vi a él* and *معها* the pronoun takes words that a name does not.
    """
    if not slot.repeats and slot.otherwise is None:
        return None
    forms: dict[str | None, str | None] = {}
    for person in slot.people:
        if slot.repeats or slot.form in person.forms:
            forms.setdefault(design.agreement_form(person), slot.surface(person))
    shown = tuple(form for form in forms.values() if form)
    who = slot.repeats or slot.name
    return Change(slot.name, shown, who, who) if len(set(shown)) > 1 else None


def pairs_beyond_the_person(design: Design, among: pl.DataFrame | None = None) -> pl.DataFrame:
    """Every pair whose sentences differ in a word that grammar would have kept the same.

    `among` are the sentences of a dataset drawn from the design; without it, all of them count.
    """
    schema = dict.fromkeys(PAIR_COLUMNS, pl.String())
    frames = [pl.DataFrame(schema=schema)]
    for template in design.templates:
        for slot in _slots(template):
            if isinstance(slot, WordSlot | AgreeingSlot) and slot.grammar not in ("", slot.agrees):
                frames.append(_differing(design, template, slot.name, among))
    return pl.concat(frames)


def _differing(
    design: Design, template: Template, slot: str, among: pl.DataFrame | None
) -> pl.DataFrame:
    there = write_with_slot(design, template, slot)
    if among is not None:
        there = there.join(among, on="id", how="semi", maintain_order="left")
    return pl.concat(differing_pairs(there, axis.name, axis.contrasts) for axis in design.axes)


def differing_pairs(
    sentences: pl.DataFrame, axis: str, contrasts: tuple[tuple[str, str], ...]
) -> pl.DataFrame:
    """The pairs of a contrast whose `surface` differs: both sentences and what they differ in.

    A pool differs when its groups hold different sets of surfaces; the first of each stand for it.
    """
    keys = ["template", "frame", "match"]
    sides = (
        sentences.filter(pl.col(axis).is_not_null())
        .group_by([*keys, axis], maintain_order=True)
        .agg(
            pl.col("id", "text").first(),
            pl.col("surface").unique(maintain_order=True).sort().str.join(", "),
        )
    )
    found = []
    for first, second in contrasts:
        left = sides.filter(pl.col(axis) == first)
        right = sides.filter(pl.col(axis) == second)
        found.append(
            left.join(right, on=keys, suffix="_2", maintain_order="left")
            .filter(pl.col("surface") != pl.col("surface_2"))
            .select(
                *keys,
                pl.lit(axis).alias("axis"),
                pl.lit(first).alias("first_group"),
                pl.col("id").alias("first_id"),
                pl.col("text").alias("first_text"),
                pl.lit(second).alias("second_group"),
                pl.col("id_2").alias("second_id"),
                pl.col("text_2").alias("second_text"),
                pl.concat_str("surface", "surface_2", separator=" / ").alias("differs_in"),
            )
        )
    return pl.concat(found)
