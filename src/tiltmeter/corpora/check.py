"""What to know of a corpus before trusting it: who is compared with whom, and what else differs.

Within a frame, the people of one match stand against each other: one comparison for each match in
which both groups are present. Pooled names give one comparison, the difference of their averages.
From five groups on each stands against the average of all, where all of them are present.

In *She found herself …* grammar forces *herself*. Where the wording lets a word follow the person
though grammar agrees it with something else, a pair differs in more than the person, and a system
can look tilted for reading grammar. Templates say so with `grammar`.

A corpus that cannot be used never gets here: reading it raises, with every problem. What is left
is either fine or worth knowing, and no remark fails a corpus.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import (
    NEGATIVE,
    PERSON_FREE,
    POSITIVE,
    AgreeingSlot,
    Axis,
    Design,
    PersonSlot,
    Slot,
    Template,
    WordSlot,
    class_name,
)
from tiltmeter.corpora.expand import write_with_slot
from tiltmeter.schemas import AVERAGE, SENTENCES, validate


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
    """The words of a template that change with a person, in order.

    A person's own form may bring some along: the person once more, or words fused with them. In
    *Lo vi a él* and *معها* the pronoun takes words that a name does not.
    """
    found = []
    for slot in _slots(template):
        if isinstance(slot, PersonSlot) and (slot.repeats or slot.otherwise is not None):
            surfaces: dict[str | None, str | None] = {}
            for person in slot.people:
                if slot.repeats or slot.form in person.forms:
                    surfaces.setdefault(design.agreement_form(person), slot.surface(person))
            forms = tuple(form for form in surfaces.values() if form)
            who = slot.repeats or slot.name
            if len(set(forms)) > 1:
                found.append(Change(slot.name, forms, who, who))
        elif isinstance(slot, WordSlot | AgreeingSlot) and slot.agrees not in PERSON_FREE:
            people = template.person_slot(slot.agrees).people
            agreements = dict.fromkeys(design.agreement_form(person) for person in people)
            variants = (
                [[slot.forms.get(form or "") for form in agreements]]
                if isinstance(slot, AgreeingSlot)
                else [[word.form(form) for form in agreements] for word in slot.words]
            )
            several = next((each for each in variants if len(set(each)) > 1), None)
            if several:
                forms = tuple(form for form in dict.fromkeys(several) if form)
                many = isinstance(slot, WordSlot) and len(slot.words) > 1
                found.append(
                    Change(slot.name, forms, slot.agrees, slot.grammar or slot.agrees, many)
                )
    return tuple(found)


def _slots(template: Template) -> tuple[Slot, ...]:
    slots = {piece.name: piece for piece in template.pieces if not isinstance(piece, str)}
    return tuple(slots.values())


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


# -------------------------------- remarks


EXAMPLES = 3
PAIRS = "pairs"
"""The subject of remarks on what is compared."""
JOINERS = r"[\x{200C}\x{200D}]"
"""Invisible letters that scripts need."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing looked at: fine, or worth knowing, with examples."""

    subject: str
    text: str
    fine: bool = True
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at, and the pairs that differ by more than the person."""

    corpus: Corpus
    remarks: tuple[Remark, ...]
    pairs: pl.DataFrame

    @property
    def notes(self) -> tuple[Remark, ...]:
        """The remarks that are worth a reader's attention."""
        return tuple(remark for remark in self.remarks if not remark.fine)


def check_corpus(corpus: Corpus) -> CheckReport:
    """Look a corpus over: structure, balance, repeats, pairs, names, text, provenance."""
    sentences = validate(corpus.sentences(), SENTENCES, where=corpus.name)
    design = corpus.design
    pairs, wording = _wording(corpus, sentences)
    remarks = [
        Remark("structure", f"{sentences.height:,} sentences, each with an ID of its own"),
        *rating_remarks(corpus, sentences),
        *_balance(corpus, sentences),
        _repeats(sentences),
        wording,
    ]
    if design:
        for template in design.templates:
            forced = "; ".join(str(each) for each in changes(design, template) if each.forced)
            text = f"template {template.id} changes with the person, as its file declares: {forced}"
            remarks += [Remark("grammar", text)] if forced else []
    remarks += [_shared_names(corpus, sentences), _tidy_text(sentences)]
    if design:
        nameless = [name for name, provenance in design.lists.items() if not provenance.source]
        if nameless:
            text = f"no source given for {', '.join(nameless)}"
            remarks.append(Remark("provenance", text, fine=False))
        unread = [t.id for t in design.templates if t.provenance.review.startswith("unreviewed")]
        text = f"unreviewed by a native speaker: templates {', '.join(unread)}"
        review = text if unread else design.provenance.review
        remarks.append(Remark("review", review, fine=not unread))
    return CheckReport(corpus, tuple(remarks), pairs)


def _balance(corpus: Corpus, sentences: pl.DataFrame) -> Iterator[Remark]:
    """Of each axis: its pairs, the sentences in none, and how many sentences each group has."""
    drawn = corpus.dataset is not None and corpus.dataset.drawn
    for axis in corpus.axes:
        yield from _pair_remarks(axis, sentences)
        alone = unpaired_sentences(sentences, axis)
        if not drawn and alone.height:
            among = int(sentences[axis.name].count())
            examples = tuple(
                f"{row['text']} ({row[axis.name]} alone in {row['frame']}, {row['match']})"
                for row in alone.unique("frame", keep="first", maintain_order=True)
                .head(EXAMPLES)
                .iter_rows(named=True)
            )
            note = unpaired_note(axis.name, alone.height, among, dealt=bool(corpus.population))
            yield Remark(PAIRS, note, fine=False, examples=examples)
        if drawn and not corpus.population:
            text = "words are drawn for each person, so a match need not hold both groups"
            yield Remark("balance", f"{axis.name}: {text}")
        else:
            yield _group_sizes(axis, sentences, dealt=bool(corpus.population))


def _pair_remarks(axis: Axis, sentences: pl.DataFrame) -> Iterator[Remark]:
    """The pairs of an axis; of many groups, how often each is compared with the average of all."""
    counts = pair_counts(sentences, axis)
    if not axis.many:
        for (first, second), number in counts.items():
            yield Remark(PAIRS, f"{axis.name}: {number:,} pairs of {first} and {second}")
        return
    whole, groups = max(counts.values()), f"each of {len(axis.groups):,} groups"
    yield Remark(PAIRS, f"{axis.name}: {whole:,} pairs of {groups} and the average of all")
    short, lacking = groups_lacking(sentences, axis)
    if short:
        most = sorted(lacking.items(), key=lambda one: -one[1])[:EXAMPLES]
        examples = tuple(f"{group} is not in {many:,} of them" for group, many in most)
        text = (
            f"{axis.name}: {short:,} of {short + whole:,} matches lack a group, and are left out "
            "where groups are compared with the average of all; --all-pairs or --reference uses "
            "the two groups that are there"
        )
        yield Remark(PAIRS, text, fine=False, examples=examples)


def _group_sizes(axis: Axis, sentences: pl.DataFrame, *, dealt: bool) -> Remark:
    """Within a frame and match, each group should be spoken of as often as the others.

    People of a population are dealt frames of their own: there, how many of a group one frame has.
    """
    there = sentences.filter(pl.col(axis.name).is_not_null())
    sizes = there.group_by("frame", "match", axis.name).len()
    if dealt:
        counts = sizes["len"].to_list()
        text = f"{axis.name}: frames are dealt; a match has {min(counts):,} to {max(counts):,}"
        return Remark("balance", f"{text} sentences of a group")
    least, most = pl.col("len").min().alias("least"), pl.col("len").max().alias("most")
    spread = sizes.group_by("frame", "match").agg(least, most)
    uneven = spread.filter(pl.col("least") != pl.col("most")).sort("frame", "match")
    if uneven.is_empty():
        return Remark("balance", f"{axis.name}: as many sentences of each group in every match")
    examples = tuple(
        f"{row['frame']}, {row['match']}: {row['least']} against {row['most']}"
        for row in uneven.head(EXAMPLES).iter_rows(named=True)
    )
    text = f"{axis.name}: {uneven.height:,} matches have more sentences of one group than another"
    return Remark("balance", text, fine=False, examples=examples)


def _repeats(sentences: pl.DataFrame) -> Remark:
    repeated = (
        sentences.group_by("text", maintain_order=True)
        .agg(pl.col("id"), pl.col("emotion").drop_nulls().unique(maintain_order=True))
        .filter(pl.col("id").list.len() > 1)
    )
    if repeated.is_empty():
        return Remark("repeats", "no sentence stands twice")
    examples = tuple(
        f"{row['text']} ({', '.join(row['id'])})"
        for row in repeated.head(EXAMPLES).iter_rows(named=True)
    )
    why = "; a word serves two emotions" if (repeated["emotion"].list.len() > 1).all() else ""
    text = f"{repeated.height:,} sentences stand more than once, under separate IDs{why}"
    return Remark("repeats", text, fine=False, examples=examples)


def _wording(corpus: Corpus, sentences: pl.DataFrame) -> tuple[pl.DataFrame, Remark]:
    """The pairs that differ by more than the person, and what is said of them.

    From a design, by its declared grammar; from a table, by what is left without the person.
    """
    if corpus.design:
        part = corpus.dataset or corpus.population
        pairs = pairs_beyond_the_person(corpus.design, sentences if part else None)
    else:
        without = [
            re.sub(rf"(?<!\w){re.escape(person)}(?!\w)", "…", text, count=1, flags=re.IGNORECASE)
            for text, person in sentences.select("text", "person").iter_rows()
        ]
        rest = sentences.with_columns(pl.Series("surface", without, dtype=pl.String))
        pairs = pl.concat(differing_pairs(rest, axis.name, axis.contrasts) for axis in corpus.axes)
        differs = []  # the words that stand on one side only: `happy / glad`
        for sides in pairs["differs_in"]:
            first, second = (side.split() for side in sides.split(" / ", 1))
            left = " ".join(word for word in first if word not in second)
            right = " ".join(word for word in second if word not in first)
            differs.append(f"{left or '…'} / {right or '…'}")
        pairs = pairs.with_columns(pl.Series("differs_in", differs, dtype=pl.String))
    if pairs.is_empty():
        text = "no pair differs by more than the person and what grammar forces"
        return pairs, Remark("wording", text)
    by_template = pairs.group_by("template", maintain_order=True).len()
    where = ", ".join(f"{number:,} in template {name}" for name, number in by_template.iter_rows())
    text = f"{pairs.height:,} pairs differ by more than the person: {where}"
    if not corpus.design:
        text += " (some of it may be forced by grammar; a table does not say)"
    examples = tuple(
        f"{row['first_text']} ≠ {row['second_text']}"
        for row in pairs.unique("template", maintain_order=True).head(EXAMPLES).to_dicts()
    )
    return pairs, Remark("wording", text, fine=False, examples=examples)


def _shared_names(corpus: Corpus, sentences: pl.DataFrame) -> Remark:
    """Names that are the same but for accents and case, in different groups of an axis."""
    groups = [axis.name for axis in corpus.axes]
    people = sentences.select("person", *groups).unique(maintain_order=True)

    def fold(name: str) -> str:
        letters = unicodedata.normalize("NFKD", name)
        return "".join(c for c in letters if not unicodedata.combining(c)).casefold()

    folded = people.with_columns(pl.col("person").map_elements(fold, pl.String).alias("folded"))
    several = folded.group_by("folded").agg(pl.struct(groups).n_unique().alias("places"))
    twice = several.filter(pl.col("places") > 1)["folded"]
    shared = folded.filter(pl.col("folded").is_in(twice.to_list())).sort("folded", "person")
    if shared.is_empty():
        return Remark("names", "no name is shared between groups")
    examples = tuple(
        f"{row['person']} ({', '.join(row[axis] or 'no group' for axis in groups)})"
        for row in shared.head(2 * EXAMPLES).iter_rows(named=True)
    )
    text = f"{shared.height:,} people share a name with someone of another group, accents aside"
    return Remark("names", text, fine=False, examples=examples)


def _tidy_text(sentences: pl.DataFrame) -> Remark:
    text = pl.col("text")
    odd = sentences.filter(
        text.str.contains(r"^\s|\s$|\s\s|[\p{Cc}\p{Co}\p{Cn}]")
        | text.str.replace_all(JOINERS, "").str.contains(r"\p{Cf}")
        | (text.str.normalize("NFC") != text)
    )
    if odd.is_empty():
        return Remark("text", "every sentence is in Unicode NFC, with single spaces")
    examples = tuple(repr(found) for found in odd["text"].head(EXAMPLES))
    what = "sentences have doubled or outer spaces, invisible characters, or are not in NFC"
    return Remark("text", f"{odd.height:,} {what}", fine=False, examples=examples)


# -------------------------------- rating datasets: which words are said of whom


def rating_remarks(corpus: Corpus, sentences: pl.DataFrame) -> Iterator[Remark]:
    """The words of a dataset and who is given them; the sets of a group that is looked at whole."""
    plan, dataset, design = corpus.rating, corpus.dataset, corpus.design
    if plan is None or design is None:
        return
    if dataset is None:
        sets = ", ".join(plan.sets)
        yield Remark("rating", f"group {plan.group}, datasets with the words {sets}")
        return
    for note in dataset.notes:
        yield Remark("rating", note)
    # Sentences of each polarity that the dataset may say, by class in the axes' order, NA last
    by = [axis.name for axis in corpus.axes]
    words = [word for listed in design.words.values() for word in listed]
    there = {plan.polarity[word.emotion] for word in words if word.lemma in dataset.lemmas}
    polarities = [name for name in (POSITIVE, NEGATIVE) if name in there]
    polarity = pl.col("emotion").replace_strict(dict(plan.polarity), return_dtype=pl.String)
    order = [
        pl.col(axis.name).replace_strict(
            {group: place for place, group in enumerate(axis.groups)}, return_dtype=pl.Int64
        )
        for axis in corpus.axes
    ]
    counts = (
        sentences.group_by(by)
        .agg((polarity == name).sum().alias(name) for name in polarities)
        .sort(order, nulls_last=True)
    )
    classes = {
        class_name({name: row[name] for name in by}): {name: row[name] for name in polarities}
        for row in counts.iter_rows(named=True)
    }
    listed = (
        f"{label}: " + ", ".join(f"{number} {name}" for name, number in numbers.items())
        for label, numbers in classes.items()
    )
    yield Remark("words", "; ".join(listed))
    if empty := [
        f"no {name} word in the class {label}"
        for label, numbers in classes.items()
        for name, number in numbers.items()
        if number == 0
    ]:
        what = f"{'; '.join(empty)}; no effect of words can be adjusted there"
        yield Remark("positivity", f"{what}, and another seed may draw some", fine=False)
