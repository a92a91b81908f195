"""The files that authors published, recognised and matched to the generated corpora.

We never ship those files. A user's own copy keeps its wording; what each sentence compares comes
from the generated corpus, and everything that differs is said. Which corpus a file is a copy of is
decided by its sentences: Câmara's files of English names have the very header of K&M's.

*Equity-Evaluation-Corpus.csv* (Kiritchenko & Mohammad 2018) has IDs, which are kept, and is joined
on the sentence, the misspelt edition's too.

The four multilingual files of Câmara et al. (2022), English with Latino or Arab names, Spanish and
Arabic, number their rows, leave out accents and full stops, misspell some words, repeat sentences,
and in places say another sentence than their own template. A row is matched by its columns, as far
as they can be made out, else by its sentence, accents and spelling aside. What is matched to
nothing is set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.columns import EEC_COLUMNS, fold_name
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Design
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.table_files import TableFile

COLUMNS = ("ID", "Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
"""The columns of the authors' file."""

CHECKED = {"Gender": "gender", "Race": "race", "Emotion": "emotion", "Emotion word": "emotion_word"}
"""Their columns that must say the same as ours."""

RACES = {"african american": "african american", "european": "european american"}
"""Their names of the groups in ours; K&M call European Americans European in the file."""

MISSPELT, RIGHT = "dissapointed", "disappointed"
"""A word in one of the two editions that circulate, and as the other one spells it."""

SHOWN = 3
"""How many examples a note gives."""

KEY, LINE = "*key", "*line"


def is_published(columns: Iterable[str]) -> bool:
    """True for a file with the columns of the authors' file, in any order and case."""
    return {fold_name(name) for name in columns} >= {fold_name(name) for name in COLUMNS}


def published_copy(table: TableFile, references: Sequence[Corpus]) -> Corpus | None:
    """A file with the published columns as the reference it is a copy of, by what its rows say.

    None where fewer than half of its sentences are of any reference; a file with K&M's columns is
    then refused. The first reference
    is K&M's corpus, whose IDs a copy keeps: submissions are joined on them.
    """
    names = table.frame.columns
    if strange := [name for name, kind in table.frame.schema.items() if kind != pl.String]:
        if not is_published(names):
            return None
        what = f"the columns {', '.join(strange)} hold lists or bytes; expected text"
        raise CorpusError(f"{table.path.name} cannot be read", [Problem(table.at(), what)])
    sentence = next(name for name in names if fold_name(name) == "sentence")
    texts = table.frame.select(pl.col(sentence).alias("text"))
    known = [_sentences_known(texts, corpus) for corpus in references]
    place = known.index(max(known))
    is_copy = 2 * known[place][0] >= texts.height
    if is_published(names) and (place == 0 or not is_copy):
        return published_corpus(table, references[place])
    return multilingual_corpus(table, references[place]) if is_copy else None


def _sentences_known(texts: pl.DataFrame, corpus: Corpus) -> tuple[int, int]:
    """How many of the texts are sentences of the corpus: spelling aside, and to the letter."""
    ours, theirs = (frame.select("text", spelling("text").alias(KEY)) for frame in
                    (corpus.sentences(), texts))  # fmt: skip
    spelt, exact = (
        theirs.join(ours.unique(column), on=column, how="semi").height for column in (KEY, "text")
    )
    return spelt, exact


def published_corpus(table: TableFile, reference: Corpus) -> Corpus:
    """The user's copy of K&M's file as the corpus it is, with all that differs noted."""
    # The file's rows with our names for the ID and sentence, its own for what is checked
    named = {fold_name(name): name for name in reversed(table.frame.columns)}
    kept = {"ID": "id", "Sentence": "text"} | {name: name for name in CHECKED}
    rows = table.frame.select(
        pl.col(named[fold_name(name)]).alias(alias) for name, alias in kept.items()
    )
    theirs = rows.with_columns(table.lines.alias(LINE), _sentence_key("text"))
    ours = reference.sentences().with_columns(_sentence_key("text"))
    joined = theirs.join(
        ours.drop("id", "text"), on=KEY, how="inner", suffix="*ours", maintain_order="left"
    )
    extra = theirs.join(ours, on=KEY, how="anti", maintain_order="left")
    if 2 * (matched := theirs.height - extra.height) < theirs.height:
        first = f"{extra['text'][0] or ''!r} ({table.among(extra[LINE].head(1))})"
        what = (
            f"found {matched:,} of its {theirs.height:,} sentences among the {reference.size:,} of "
            f"the generated corpus; expected at least half. The first that is not: {first}. To "
            "read the file as a table of your own, say which column is what: --column text=Sentence"
        )
        subject = f"{table.path.name} has the columns of the published {reference.title} but not"
        raise CorpusError(f"{subject} its sentences", [Problem(table.at(), what)])
    problems = list[Problem]()
    for name, column in (("ID", "id"), ("Sentence", "text")):
        problems += table.empty(theirs.filter(pl.col(column).is_null())[LINE], name)
    for name, column in (("ID", "id"), ("sentence", KEY)):  # in either spelling
        several = f"{name}s that stand more than once"
        problems += table.repeated(theirs[column], name, "it once", several)
    if problems:
        raise CorpusError(f"{table.path.name} cannot be used as the published corpus", problems)
    missing = ours.join(theirs, on=KEY, how="anti", maintain_order="left")
    notes = (*table.notes, *_notes(table, reference, joined, missing, extra))
    sentences = joined.select(reference.columns)
    return replace(reference, size=joined.height, write=sentences.iter_slices, notes=notes)


def _sentence_key(text: str) -> pl.Expr:
    """The sentence as it is joined on: spaces evened out, the misspelt word put right."""
    even = pl.col(text).str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    return even.str.replace_all(MISSPELT, RIGHT, literal=True).alias(KEY)


def _notes(
    table: TableFile,
    reference: Corpus,
    joined: pl.DataFrame,
    missing: pl.DataFrame,
    extra: pl.DataFrame,
) -> Iterator[str]:
    """What was recognised, and everything in which the file and the generated corpus differ."""
    yield f"recognised as the published {reference.title}; its IDs and wording are kept"
    yield f"{joined.height:,} of {reference.size:,} sentences matched the generated corpus"
    if misspelt := int(joined["text"].str.contains(MISSPELT, literal=True).sum()):
        yield f"{misspelt:,} sentences spell {MISSPELT!r}, as one edition of the file does"
    if missing.height:
        yield f"missing from the file: {missing.height:,}, {_such_as(missing['text'])}"
    if extra.height:
        where = f"in {table.among(extra[LINE])}, {_such_as(extra['text'])}"
        yield f"not in the generated corpus, so set aside: {extra.height:,}, {where}"
    # Rows whose own columns contradict the generated corpus, whose values are used
    differs = [_label(name).ne_missing(_label(ours)).alias(name) for name, ours in CHECKED.items()]
    apart = joined.filter(pl.any_horizontal(differs))
    if apart.height:
        row = apart.row(0, named=True)
        contradictions = [
            f"{name} {row[name] or 'nothing'} where ours is {row[CHECKED[name]] or 'nothing'}"
            for name, differ in apart.head(1).select(differs).row(0, named=True).items()
            if differ
        ]
        yield (
            f"rows that differ from the generated corpus in {', '.join(CHECKED)}: "
            f"{apart.height:,}; ours is used; the first, {table.at(row[LINE])}, says "
            f"{' and '.join(contradictions)}"
        )


def _label(column: str) -> pl.Expr:
    """A label as it is compared: whatever its case and hyphens, under our names."""
    plain = pl.col(column).str.to_lowercase().str.replace_all("-", " ", literal=True)
    right = plain.str.strip_chars().str.replace_all(MISSPELT, RIGHT, literal=True)
    return right.replace(RACES) if column == "Race" else right


# -------------------------------- Câmara et al. (2022)


LABELS = {"Gender": "gender", "Race": "race", "Emotion": "emotion"}
"""Their columns that say what ours do."""
ARABIC_SPELLINGS = {
    r"منروع": "مروع",
    r"متحس([^س]|$)": "متحسس${1}",
    r"مسيي(\s|$)": "مسي${1}",
    r"(^|\s)بال\s*": "${1}",
}
"""Words that the Arabic file misspells, and as its paper means them; letters as in `spelling`.

The last is a prefix that the paper's tables join to every word, and the file to hardly any.
"""
ROUNDS = 10
"""How often rows are matched again after others took what fitted them best."""

ROW = "*row"


@dataclass(frozen=True, slots=True)
class _Matched:
    """A file's rows beside the generated sentences they were matched to."""

    corpus: Corpus
    by_sentence: pl.DataFrame
    """The row and the ID of each pair."""
    by_columns: pl.DataFrame
    """Those whose sentence is another than ours."""


def multilingual_corpus(table: TableFile, reference: Corpus) -> Corpus:
    """The file as the corpus it is a copy of, its rows matched one by one."""
    # The rows under the authors' own names for the columns
    named = {fold_name(name): name for name in reversed(table.frame.columns)}
    there = [name for name in EEC_COLUMNS if fold_name(name) in named]
    rows = table.frame.select(pl.col(named[fold_name(name)]).alias(name) for name in there)
    if "Emotion word" not in rows.columns:
        rows = rows.with_columns(pl.lit(None, pl.String).alias("Emotion word"))
    rows = rows.with_columns(table.lines.alias(LINE)).with_row_index(ROW)
    theirs = rows.with_columns(spelling("Sentence").alias(KEY))
    best = _matched(theirs, reference)
    pairs = pl.concat([best.by_sentence, best.by_columns])
    ours = best.corpus.sentences()
    joined = (
        theirs.join(pairs, on=ROW, maintain_order="left")
        .join(ours.drop("text"), on="id", suffix="*ours", maintain_order="left")
        .with_columns(text="Sentence")
    )
    notes = (*table.notes, *_multilingual_notes(table, theirs, joined, best))
    sentences = joined.select(best.corpus.columns)
    return replace(best.corpus, size=joined.height, write=sentences.iter_slices, notes=notes)


def spelling(text: str) -> pl.Expr:
    """A text as it is matched: without case, accents, vowel marks, hamzas, stops, odd spaces."""
    plain = pl.col(text).str.normalize("NFKD").str.to_lowercase()
    plain = plain.str.replace_all(r"[\p{M}\u{0621}\u{0640}]", "").str.replace_all("ة", "ه")
    plain = plain.str.replace_all("ى", "ي").str.replace_all(r"[\p{P}\p{S}]", " ")
    plain = plain.str.replace_all(r"\s+", " ").str.strip_chars()
    for wrong, right in ARABIC_SPELLINGS.items():
        plain = plain.str.replace_all(wrong, right)
    return plain


def _matched(theirs: pl.DataFrame, corpus: Corpus) -> _Matched:
    """Every row beside one sentence at most, and the other way round.

    Columns go before the sentence: some rows of the Arabic file say "أبي" of another person.
    """
    ours = corpus.sentences().with_columns(spelling("text").alias(KEY))
    fits = theirs.join(ours, on=KEY, suffix="*ours")
    design = corpus.design
    people, words = _known_forms(design) if design else ({}, {})

    def renamed(column: str, names: dict[str, str], ours: str) -> pl.Expr:
        return (
            pl.col(column).replace_strict(names, default=None, return_dtype=pl.String).alias(ours)
        )

    # What their columns say in our terms, as far as it can be made out
    said = theirs.with_columns(_same_spelling("Person"), _same_spelling("Emotion word")).select(
        ROW,
        KEY,
        renamed("Template", _templates(fits, theirs, design), "template"),
        renamed("Emotion", _majority(fits, "Emotion", "emotion"), "emotion"),
        renamed("Person", people, "person"),
        renamed("Emotion word", words, "emotion_word"),
    )
    keys = ["template", "person", "emotion", "emotion_word"]
    columns = ours.with_columns(_same_spelling("person")).select("id", *keys)
    by_columns = said.drop_nulls(["template", "person"]).join(columns, on=keys, nulls_equal=True)
    by_sentence = said.join(ours.select(KEY, "id", "template", "emotion"), on=KEY, suffix="*ours")
    agree = [
        pl.col(name).eq_missing(pl.col(f"{name}*ours")).cast(pl.Int32)
        for name in ("template", "emotion")
    ]
    ranked = (
        by_sentence.select(ROW, "id", sentence=1, fit=pl.sum_horizontal(agree))
        .join(by_columns.select(ROW, "id", columns=1), on=[ROW, "id"], how="full", coalesce=True)
        .sort("columns", "sentence", "fit", ROW, "id", nulls_last=True,
              descending=[True, True, True, False, False])
    )  # fmt: skip
    pairs = _one_to_one(ranked.select(ROW, "id"))
    alike = pairs.join(ranked.drop_nulls("sentence"), on=[ROW, "id"], how="semi")
    return _Matched(corpus, alike, pairs.join(alike, on=ROW, how="anti"))


def _templates(fits: pl.DataFrame, theirs: pl.DataFrame, design: Design | None) -> dict[str, str]:
    """Which of our templates each of their labels stands for.

    That of most sentences that fit; where none does, the only template left over all of whose
    words the label has: no sentence of four Arabic templates follows them.
    """
    counted = fits.drop_nulls("Template").group_by("Template", "template").len()
    most = counted.filter(2 * pl.col("len") > pl.col("len").sum().over("Template"))
    known = dict(most.select("Template", "template").rows())
    labels = theirs.select("Template", spelling("Template").alias("words")).drop_nulls().unique()
    left = {
        template.id: _words(re.sub(r"\{[^}]*\}", " ", template.text))
        for template in (design.templates if design else ())
        if template.id not in known.values()
    }
    for label, words in labels.rows():
        having = [name for name, needed in left.items() if needed and needed <= {*words.split()}]
        if label not in counted["Template"] and len(having) == 1:
            known[label] = having[0]
    return known


def _words(text: str) -> set[str]:
    """The words of a text as they are matched."""
    spelt: str = pl.DataFrame({"text": [text]}).select(spelling("text")).item()
    return {*spelt.split()}


def _one_to_one(ranked: pl.DataFrame) -> pl.DataFrame:
    """Pairs in which no row and no ID stands twice, the first ones first."""
    taken = ranked.clear()
    for _ in range(ROUNDS):
        best = ranked.unique(ROW, keep="first", maintain_order=True)
        best = best.unique("id", keep="first", maintain_order=True)
        if best.is_empty():
            break
        taken = pl.concat([taken, best])
        ranked = ranked.join(taken, on=ROW, how="anti", maintain_order="left")
        ranked = ranked.join(taken, on="id", how="anti", maintain_order="left")
    return taken


def _majority(fits: pl.DataFrame, theirs: str, ours: str) -> dict[str, str]:
    """What each of their labels mostly stands for in ours, where sentences are the same."""
    counted = fits.drop_nulls([theirs, ours]).group_by(theirs, ours).len()
    first = counted.sort("len", ours, descending=[True, False]).unique(theirs, keep="first")
    return dict(first.select(theirs, ours).rows())


def _same_spelling(column: str) -> pl.Expr:
    return spelling(column).alias(column)


def _known_forms(design: Design) -> tuple[dict[str, str], dict[str, str]]:
    """Every form of every person and emotion word, as it is matched: the name, and the lemma."""
    people = [
        (form, person.name)
        for person in design.people
        for form in (person.name, *person.forms.values())
    ]
    words = [
        (form, word.lemma)
        for listed in design.words.values()
        for word in listed
        for form in (word.lemma, *word.forms.values())
    ]
    names, lemmas = (
        pl.DataFrame(pairs[::-1], ["form", "name"], orient="row").with_columns(
            _same_spelling("form")
        )
        for pairs in (people, words)
    )
    return dict(names.with_columns(_same_spelling("name")).rows()), dict(lemmas.rows())


# -------------------------------- what is said


def _multilingual_notes(
    table: TableFile, theirs: pl.DataFrame, joined: pl.DataFrame, best: _Matched
) -> Iterator[str]:
    """What was recognised, how rows were matched, and everything that differs."""
    corpus = best.corpus
    yield f"recognised as the published {corpus.title}; its wording is kept, its rows get our IDs"
    yield (
        f"{joined.height:,} of {corpus.size:,} sentences matched the generated corpus, "
        f"{best.by_sentence.height:,} by their sentence"
    )
    ours = corpus.sentences().select("id", pl.col("text").alias("*ours"))
    beside = joined.join(ours, on="id", maintain_order="left")
    written = beside.join(best.by_sentence, on="id", how="semi", maintain_order="left")
    written = written.filter(pl.col("text") != pl.col("*ours"))
    if written.height:
        yield (
            f"{written.height:,} sentences differ from ours only in case, accents, spelling or "
            f"stops, such as {_pair(written)}"
        )
    other = beside.join(best.by_columns, on="id", how="semi", maintain_order="left")
    if other.height:
        yield (
            f"{other.height:,} rows say another sentence than their columns, by which they are "
            f"matched; they are kept ({_by_group(other, corpus)}), such as {_pair(other)}"
        )
    missing = corpus.sentences().join(joined, on="id", how="anti", maintain_order="left")
    if missing.height:
        some = _such_as(missing["text"])
        yield f"missing from the file: {missing.height:,} ({_by_group(missing, corpus)}), {some}"
    aside = theirs.join(joined, on=ROW, how="anti", maintain_order="left")
    again = aside.join(joined, on=KEY, how="semi", maintain_order="left")
    unknown = aside.join(joined, on=KEY, how="anti", maintain_order="left")
    for rows, what in ((again, "said before"), (unknown, "not in the generated corpus")):
        if rows.height:
            where = f"in {table.among(rows[LINE])}, {_such_as(rows['Sentence'])}"
            yield f"{what}, so set aside: {rows.height:,}, {where}"
    yield from _label_notes(table, joined)


def _label_notes(table: TableFile, joined: pl.DataFrame) -> Iterator[str]:
    """Labels by which the file calls our groups, and rows that contradict them."""
    for name, ours in LABELS.items():
        called = _majority(joined, name, ours if ours in joined.columns else f"{ours}*ours")
        others = {label: our for label, our in called.items() if fold_name(label) != fold_name(our)}
        if others:
            listed = ", ".join(f"{label!r} for {our}" for label, our in sorted(others.items()))
            yield f"{name} says {listed}"
        said = pl.col(name).replace_strict(called, default=None, return_dtype=pl.String)
        apart = joined.filter(said.ne_missing(pl.col(ours)))
        if apart.height:
            row = apart.row(0, named=True)
            yield (
                f"rows that differ from the generated corpus in {name}: {apart.height:,}; ours is "
                f"used; the first, {table.at(row[LINE])}, says {row[name] or 'nothing'} where ours "
                f"is {row[ours] or 'nothing'}"
            )


def _by_group(rows: pl.DataFrame, corpus: Corpus) -> str:
    """How many rows there are of each group, since uneven ones weigh on a comparison."""
    told = []
    for axis in corpus.axes:
        many = dict(rows[axis.name].value_counts().rows())
        told += [f"{group} {many.get(group, 0):,}" for group in axis.groups]
    return ", ".join(told)


def _pair(rows: pl.DataFrame) -> str:
    return f"{rows['text'][0]!r} where ours is {rows['*ours'][0]!r}"


def _such_as(texts: pl.Series) -> str:
    return "such as " + ", ".join(repr(text) for text in texts.head(SHOWN).fill_null("").to_list())
