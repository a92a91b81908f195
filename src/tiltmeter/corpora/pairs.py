"""Who is compared with whom, and what changes with the person besides the person.

Within a frame, the people of one match stand against each other: one comparison for each match in
which both groups are present. Pooled names give one comparison, the difference of their averages.
From five groups on each stands against the average of all, where all of them are present.

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
    Axis,
    Design,
    PersonSlot,
    Slot,
    Template,
    WordSlot,
)
from tiltmeter.corpora.expand import write_with_slot
from tiltmeter.schemas import AVERAGE


def pair_counts(sentences: pl.DataFrame | pl.LazyFrame, axis: Axis) -> dict[tuple[str, str], int]:
    """Comparisons by contrast of an axis; of many groups, of each with the average of all.

    >>> from tiltmeter.corpora import load_corpus
    >>> eec = load_corpus("eec")
    >>> [pair_counts(eec.sentences(), axis) for axis in eec.axes]
    [{('female', 'male'): 1584}, {('African American', 'European American'): 144}]
    """
    present = _present(sentences, axis)
    if axis.many:
        whole = int((present.list.len() == len(axis.groups)).sum())
        return {(group, AVERAGE): whole for group in axis.groups}
    return {
        (first, second): int((present.list.contains(first) & present.list.contains(second)).sum())
        for first, second in axis.contrasts
    }


def groups_lacking(sentences: pl.DataFrame, axis: Axis) -> tuple[int, dict[str, int]]:
    """In how many matches of frames some group is not, and in how many each is not."""
    present = _present(sentences, axis)
    short = present.filter(present.list.len() < len(axis.groups))
    lacking = {group: int((~short.list.contains(group)).sum()) for group in axis.groups}
    return short.len(), {group: many for group, many in lacking.items() if many}


def unpaired_sentences(sentences: pl.DataFrame, axis: Axis) -> pl.DataFrame:
    """The sentences about a group of an axis that are compared with nobody's of another group."""
    groups = pl.col(axis.name).drop_nulls().n_unique().over("frame", "match")
    return sentences.filter(pl.col(axis.name).is_not_null() & (groups < 2))


def unpaired_note(axis: str, many: int, among: int, *, dealt: bool = False) -> str:
    """What is said of sentences without a pair, and what to do about them.

    `dealt` says that frames are dealt to the people of a population.
    """
    none = f"{many:,} of {among:,} sentences are" if many > 1 else f"1 of {among:,} sentences is"
    found = f"{axis}: {none} in no pair: nobody of another group is in the same frame and match."
    if dealt:
        return f"{found} More --people or --frames give every frame people of every group"
    return (
        f"{found} Where words are inflected, give their lemma in a column emotion_word, or what "
        "belongs together in a column frame"
    )


def _present(sentences: pl.DataFrame | pl.LazyFrame, axis: Axis) -> pl.Series:
    """The groups of each frame and match."""
    return (
        sentences.lazy()
        .filter(pl.col(axis.name).is_not_null())
        .group_by("frame", "match")
        .agg(pl.col(axis.name).unique().alias("groups"))
        .collect(engine="streaming")["groups"]
    )


# -------------------------------- what changes with the person


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
                there = write_with_slot(design, template, slot.name)
                if among is not None:
                    there = there.join(among, on="id", how="semi", maintain_order="left")
                frames += [
                    differing_pairs(there, axis.name, axis.contrasts) for axis in design.axes
                ]
    return pl.concat(frames)


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
