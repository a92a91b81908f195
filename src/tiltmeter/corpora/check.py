"""Who is compared with whom, and what changes with the person besides the person.

Within a frame, the people of one match stand against each other: one comparison for each match in
which both groups are present. Pooled names give one comparison, the difference of their averages.
From five groups on each stands against the average of all, where all of them are present.

In *She found herself …* grammar forces *herself*. Where the wording lets a word follow the person
though grammar agrees it with something else, a pair differs in more than the person, and a system
can look tilted for reading grammar. Templates say so with `grammar`.
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
    RatingPlan,
    Slot,
    Template,
    WordSlot,
    class_name,
)
from tiltmeter.corpora.expand import write_with_slot
from tiltmeter.schemas import AVERAGE, SENTENCES, validate

# ---- who is compared with whom, and what changes with the person besides the person
# Within a frame, the people of one match stand against each other: one comparison for each match in
# which both groups are present. Pooled names give one comparison, the difference of their averages.
# From five groups on each stands against the average of all, where all of them are present.
# In *She found herself …* grammar forces *herself*. Where the wording lets a word follow the person
# though grammar agrees it with something else, a pair differs in more than the person, and a system
# can look tilted for reading grammar. Templates say so with `grammar`.


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


# ---- a validity report: what a careful reader would want to know before trusting a corpus
# A corpus that cannot be used never gets here: reading it raises, with every problem. What is left
# is either fine or worth knowing, and nothing here fails a corpus.

EXAMPLES = 3
PAIRS = "pairs"
"""The subject of remarks on what is compared."""
JOINERS = r"[\x{200C}\x{200D}]"
"""Invisible letters that scripts need."""


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
    pairs = _pairs(corpus, sentences)
    remarks = [
        Remark("structure", f"{sentences.height:,} sentences, each with an ID of its own"),
        *rating_remarks(corpus, sentences),
        *_balance(corpus, sentences),
        _repeats(sentences),
        _beyond_the_person(corpus, pairs),
        *_grammar(corpus),
        _shared_names(corpus, sentences),
        _tidy_text(sentences),
        *_provenance(corpus),
    ]
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


def _pairs(corpus: Corpus, sentences: pl.DataFrame) -> pl.DataFrame:
    """From a design, by its declared grammar; from a table, by what is left without the person."""
    if corpus.design:
        part = corpus.dataset or corpus.population
        return pairs_beyond_the_person(corpus.design, sentences if part else None)
    without = [
        re.sub(rf"(?<!\w){re.escape(person)}(?!\w)", "…", text, count=1, flags=re.IGNORECASE)
        for text, person in sentences.select("text", "person").iter_rows()
    ]
    rest = sentences.with_columns(pl.Series("surface", without, dtype=pl.String))
    found = pl.concat(differing_pairs(rest, axis.name, axis.contrasts) for axis in corpus.axes)
    differs = []  # the words that stand on one side only: `happy / glad`
    for sides in found["differs_in"]:
        one, other = (side.split() for side in sides.split(" / ", 1))
        left = " ".join(word for word in one if word not in other)
        right = " ".join(word for word in other if word not in one)
        differs.append(f"{left or '…'} / {right or '…'}")
    return found.with_columns(pl.Series("differs_in", differs, dtype=pl.String))


def _beyond_the_person(corpus: Corpus, pairs: pl.DataFrame) -> Remark:
    if pairs.is_empty():
        return Remark("wording", "no pair differs by more than the person and what grammar forces")
    by_template = pairs.group_by("template", maintain_order=True).len()
    where = ", ".join(f"{number:,} in template {name}" for name, number in by_template.iter_rows())
    text = f"{pairs.height:,} pairs differ by more than the person: {where}"
    if not corpus.design:
        text += " (some of it may be forced by grammar; a table does not say)"
    examples = tuple(
        f"{row['first_text']} ≠ {row['second_text']}"
        for row in pairs.unique("template", maintain_order=True).head(EXAMPLES).to_dicts()
    )
    return Remark("wording", text, fine=False, examples=examples)


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


def _grammar(corpus: Corpus) -> Iterator[Remark]:
    design = corpus.design
    if not design:
        return
    for template in design.templates:
        forced = [c for c in changes(design, template) if c.forced]
        if forced:
            words = "; ".join(str(change) for change in forced)
            text = f"template {template.id} changes with the person, as its file declares: {words}"
            yield Remark("grammar", text)


def _provenance(corpus: Corpus) -> Iterator[Remark]:
    design = corpus.design
    if not design:
        return
    nameless = [name for name, provenance in design.lists.items() if not provenance.source]
    if nameless:
        text = f"no source given for {', '.join(nameless)}"
        yield Remark("provenance", text, fine=False)
    unread = [t.id for t in design.templates if t.provenance.review.startswith("unreviewed")]
    if unread:
        text = f"unreviewed by a native speaker: templates {', '.join(unread)}"
        yield Remark("review", text, fine=False)
    else:
        yield Remark("review", f"{design.provenance.review}")


# -------------------------------- rating datasets: which words are said of whom


def rating_remarks(corpus: Corpus, sentences: pl.DataFrame) -> Iterator[Remark]:
    """The words of a dataset and who is given them; the sets of a group that is looked at whole."""
    plan = corpus.rating
    if plan is None:
        return
    if corpus.dataset is None:
        yield Remark(
            "rating", f"group {plan.group}, datasets with the words {', '.join(plan.sets)}"
        )
        return
    for note in corpus.dataset.notes:
        yield Remark("rating", note)
    counts = _counts(corpus, plan, sentences)
    said = (
        f"{row['class']}: "
        + ", ".join(f"{number} {name}" for name, number in row.items() if name != "class")
        for row in counts
    )
    yield Remark("words", "; ".join(said))
    if empty := [
        f"no {name} word in the class {row['class']}"
        for row in counts
        for name, number in row.items()
        if number == 0
    ]:
        what = f"{'; '.join(empty)}; no effect of words can be adjusted there"
        yield Remark("positivity", f"{what}, and another seed may draw some", fine=False)


def _counts(corpus: Corpus, plan: RatingPlan, sentences: pl.DataFrame) -> list[dict[str, object]]:
    """Sentences of each polarity by class, in the order of the axes' groups, NA last."""
    by = [axis.name for axis in corpus.axes]
    polarity = pl.col("emotion").replace_strict(dict(plan.polarity), return_dtype=pl.String)
    order = [
        pl.col(axis.name).replace_strict(
            {group: place for place, group in enumerate(axis.groups)}, return_dtype=pl.Int64
        )
        for axis in corpus.axes
    ]
    # Only the polarities of the words that the dataset may say.
    design, lemmas = corpus.design, corpus.dataset.lemmas if corpus.dataset else ()
    words = [word for listed in design.words.values() for word in listed] if design else []
    there = {plan.polarity[word.emotion] for word in words if word.lemma in lemmas}
    wanted = [name for name in (POSITIVE, NEGATIVE) if name in there]
    return (
        sentences.group_by(by)
        .agg((polarity == name).sum().alias(name) for name in wanted)
        .sort(order, nulls_last=True)
        .with_columns(pl.struct(by).map_elements(class_name, pl.String).alias("class"))
        .select("class", *wanted)
        .to_dicts()
    )


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing looked at: fine, or worth knowing, with examples."""

    subject: str
    text: str
    fine: bool = True
    examples: tuple[str, ...] = ()
