"""What `corpus show` and `corpus check` print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tiltmeter.cli.console import facts, heading, paragraph, say, table, visible
from tiltmeter.corpora import (
    PAIRS,
    RATING_DATASETS,
    changes,
    corpus_editions,
    corpus_names,
    group_standings,
    load_corpus,
    pair_counts,
    template_size,
)

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.audit_run import PopulationCell
    from tiltmeter.corpora import (
        Axis,
        CheckReport,
        Corpus,
        Design,
        PopulationSummary,
        RatingPlan,
        Remark,
        Template,
    )


CHECKSUM_UP_TO = 200_000
"""Past so many sentences the checksum is left out: sorting them all would take the memory."""
PAIRS_SHOWN = 3
"""Pairs shown of each template unless all are asked for."""
WRITTEN = {"ltr": "left to right", "rtl": "right to left"}


def show_list() -> None:
    """Print the corpora known by name, the datasets of a rating group in one row."""
    shown: dict[str, list[str]] = {}
    for name in corpus_names():
        group, _ = RATING_DATASETS.get(name, (name, ""))
        shown.setdefault(group, []).append(name)
    table(
        ("name", "language", "sentences", "axes", "editions"),
        (_listed(names) for names in shown.values()),
        right=("sentences",),
    )


def _listed(names: list[str]) -> tuple[str, ...]:
    first, *_, last = loaded = [load_corpus(name) for name in (names[0], names[-1])]
    sizes = sorted({corpus.size for corpus in loaded})
    drawn = " drawn" if first.population else ""
    return (
        first.name if len(names) == 1 else f"{first.name} … {last.name.rpartition('-')[2]}",
        first.language,
        "–".join(f"{size:,}" for size in sizes) + drawn,
        ", ".join(axis.name for axis in first.axes),
        ", ".join(corpus_editions(names[0])),
    )


def show_corpus(corpus: Corpus) -> None:
    """Print a corpus' page."""
    say(visible(corpus.title), style="bold")
    facts(_identity(corpus))
    heading("What is compared")
    table(("axis", "contrast", "pairs"), _axes(corpus), right=("pairs",))
    if corpus.rating:
        _show_rating(corpus, corpus.rating)
    if corpus.population:
        _show_population(corpus.population)
    if corpus.design:
        _show_standings(corpus.design)
        _show_design(corpus, corpus.design)
    heading("Example pairs")
    facts(_examples(corpus))
    if corpus.notes and not corpus.dataset:
        heading("How the file was read")
        facts(("", note) for note in corpus.notes)


def _identity(corpus: Corpus) -> list[tuple[str, str]]:
    design = corpus.design
    read = corpus.notes and not corpus.dataset
    note = design.edition_note if design and not read else ""
    small = corpus.size <= CHECKSUM_UP_TO
    rows = [
        ("name", corpus.name),
        ("edition", f"{corpus.edition}. {note}" if note else corpus.edition),
        ("language", f"{corpus.language}, written {WRITTEN[corpus.direction]}"),
        ("sentences", f"{corpus.size:,}"),
        ("SHA-256", corpus.checksum if small else "not computed for so large a corpus"),
    ]
    if design:
        provenance = design.provenance
        rows += [
            ("source", provenance.source),
            ("licence", provenance.licence),
            ("review", provenance.review),
            ("note", provenance.note),
        ]
    return rows


def _axes(corpus: Corpus) -> list[tuple[str, str, str]]:
    rows = []
    for axis in corpus.axes:
        counts = _pairs(corpus, axis)
        if axis.many:
            each = f"each of {len(axis.groups):,} groups − average of all"
            rows.append((axis.name, each, f"{max(counts.values()):,}"))
            continue
        rows += [
            (axis.name, f"{first} − {second}", f"{number:,}")
            for (first, second), number in counts.items()
        ]
    return rows


def _pairs(corpus: Corpus, axis: Axis) -> Mapping[tuple[str, str], int]:
    """Comparisons of an axis; the frames of a large corpus stand together, and are counted so."""
    counts = Counter[tuple[str, str]]()
    for sentences in corpus.blocks() if corpus.large else [corpus.sentences()]:
        counts.update(pair_counts(sentences, axis))
    return counts


def _show_rating(corpus: Corpus, plan: RatingPlan) -> None:
    """The dataset and how it was drawn, or the sets and cases of the group; then the arrows."""
    heading("Rating")
    facts((("dataset", note) for note in corpus.notes) if corpus.dataset else _sets_and_cases(plan))
    facts(("arrow", " → ".join(edge)) for edge in plan.edges)
    facts(("unobserved", node) for node in plan.unobserved)


def _sets_and_cases(plan: RatingPlan) -> Iterator[tuple[str, str]]:
    yield "group", plan.group
    for name, lemmas in plan.sets.items():
        yield f"words {name}", ", ".join(lemmas)
    if plan.assignment is None:
        yield "assignment", "none: every word stands with every person in every template"
        return
    others = f"all others {plan.assignment.otherwise:g}"
    for k, shares in sorted(plan.assignment.cases.items()):
        yield f"positive, k = {k}", "; ".join([*map(str, shares), others])


def _show_population(population: PopulationSummary) -> None:
    """Who is drawn from: the cells in a table, then what a reader should know."""
    heading("Population")
    facts(
        [
            ("title", population.title),
            ("source", population.source),
            ("licence", population.licence),
            ("note", population.note),
        ]
    )
    say()
    table(
        ("cell", "names", "bearers", "effective", "drawn", "certain", "words"),
        (_cell_row(cell) for cell in population.cells),
        right=("names", "bearers", "effective", "drawn", "certain", "words"),
    )
    for sentence in population.described:
        say()
        paragraph(sentence)


def _cell_row(cell: PopulationCell) -> tuple[str, ...]:
    numbers = (cell.names, cell.bearers, round(cell.effective), cell.drawn, cell.certain)
    return (
        cell.label,
        *("–" if number is None else f"{number:,}" for number in (*numbers, cell.words)),
    )


def _show_standings(design: Design) -> None:
    """How the names of the corpus' own lists stand in the US Census."""
    if standings := group_standings(design):
        heading("Its names in the US Census 2020")
        facts((standing.group, str(standing)) for standing in standings)
        say("A corpus with names of the Census: tiltmeter corpus show names-us")


def _show_design(corpus: Corpus, design: Design) -> None:
    sizes = _template_sizes(corpus, design)
    heading("Templates")
    table(
        ("", "template", "sentences", "changes with the person"),
        (_template_row(design, template, sizes[template.id]) for template in design.templates),
        right=("sentences",),
    )
    notes = [(template.id, template.provenance.note) for template in design.templates]
    facts((f"template {name}", note) for name, note in notes if note)
    heading("Lists")
    rows = []
    for name, provenance in design.lists.items():
        rows.append((name, _contents(design, name), provenance.source, provenance.review))
    table(("list", "holds", "source", "review"), rows)
    said = corpus.population.note if corpus.population else ""
    notes = [(name, provenance.note) for name, provenance in design.lists.items()]
    facts((name, note) for name, note in notes if note and note != said)


def _template_row(design: Design, template: Template, size: int) -> tuple[str, str, str, str]:
    found = [
        str(change) + ("" if change.forced else f" (grammar: {change.grammar})")
        for change in changes(design, template)
    ]
    return template.id, template.text, f"{size:,}", "; ".join(found)


def _template_sizes(corpus: Corpus, design: Design) -> dict[str, int]:
    """How many sentences each template has, counted where the corpus is part of its design."""
    if not corpus.dataset and not corpus.population:
        return {template.id: template_size(template) for template in design.templates}
    return dict(corpus.lazy().group_by("template").len().collect(engine="streaming").iter_rows())


def _contents(design: Design, name: str) -> str:
    people = [person.name for person in design.people if person.people_list == name]
    words = [word.lemma for word in design.words.get(name, ())]
    found = people or words
    rest = f" … ({len(found)})" if len(found) > 3 else ""
    return ", ".join(found[:3]) + rest


def _examples(corpus: Corpus) -> list[tuple[str, str]]:
    """One pair for each contrast: the first frame that has both sides."""
    first = next(corpus.batches())
    rows: list[tuple[str, str]] = []
    for axis in corpus.axes:
        if axis.many:
            rows += _one_of_each(first, axis)
            continue
        for one, other in axis.contrasts:
            pair = _example(first, axis.name, one, other)
            rows += [(one, pair[0]), (other, pair[1])] if pair else []
    return rows


def _one_of_each(sentences: pl.DataFrame, axis: Axis) -> list[tuple[str, str]]:
    """A sentence of each group, of the frame and match that has most of them."""
    every = sentences.drop_nulls(axis.name).group_by("frame", "match", maintain_order=True)
    fullest = max((part for _, part in every), key=lambda part: part[axis.name].n_unique())
    found = dict(fullest.select(axis.name, "text").unique(axis.name, keep="first").rows())
    return [(group, found[group]) for group in axis.groups if group in found]


def _example(sentences: pl.DataFrame, axis: str, one: str, other: str) -> tuple[str, str] | None:
    left = sentences.filter(sentences[axis] == one)
    right = sentences.filter(sentences[axis] == other)
    first = right.unique(["frame", "match"], keep="first", maintain_order=True)
    both = left.join(first, on=["frame", "match"], suffix="_2", maintain_order="left")
    return (both["text"][0], both["text_2"][0]) if both.height else None


def show_check(report: CheckReport, *, every: bool = False) -> None:
    """Print a validity report: what is fine in a line each, what is worth knowing with examples."""
    corpus = report.corpus
    say(visible(f"{corpus.name}, {corpus.edition} edition"), style="bold")
    facts(("file", note) for note in corpus.notes if not corpus.dataset)
    facts(line for remark in report.remarks for line in _remark(remark))
    if report.pairs.height:
        _show_pairs(report, every=every)
    notes = len(report.notes)
    alone = any(remark.subject == PAIRS for remark in report.notes)
    what = "can be used, but compares only some of its sentences" if alone else "holds together"
    say()
    say(f"The corpus {what}; {notes or 'no'} note{'' if notes == 1 else 's'}.")


def _remark(remark: Remark) -> Iterator[tuple[str, str]]:
    yield "ok  " if remark.fine else "note", f"{remark.subject}: {remark.text}"
    yield from (("", f"    {example}") for example in remark.examples)


def _show_pairs(report: CheckReport, *, every: bool) -> None:
    shown = report.pairs if every else report.pairs.group_by("template", maintain_order=True).head(
        PAIRS_SHOWN
    )  # fmt: skip
    heading("Pairs that differ by more than the person")
    rows = ((row["frame"], row["match"], row["differs_in"]) for row in shown.iter_rows(named=True))
    table(("frame", "match", "differs in"), rows)
    left = report.pairs.height - shown.height
    if left:
        say(f"… and {left:,} more: --all prints them, -o FILE.csv writes them.")
