"""What `corpus show` and `corpus check` print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltmeter.cli.console import facts, heading, say, table, visible
from tiltmeter.corpora import changes, pair_counts, template_size

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.corpora import CheckReport, Corpus, Design, Template

CHECKSUM_UP_TO = 200_000
"""Past so many sentences the checksum is left out: sorting them all would take the memory."""
PAIRS_SHOWN = 3
"""Pairs shown of each template unless all are asked for."""
WRITTEN = {"ltr": "left to right", "rtl": "right to left"}


def show_corpus(corpus: Corpus) -> None:
    """Print a corpus' page."""
    say(visible(corpus.title), style="bold")
    facts(_identity(corpus))
    heading("What is compared")
    table(("axis", "contrast", "pairs"), _axes(corpus), right=("pairs",))
    if corpus.design:
        _show_design(corpus.design)
    heading("Example pairs")
    facts(_examples(corpus))
    if corpus.notes:
        heading("How the file was read")
        facts(("", note) for note in corpus.notes)


def _identity(corpus: Corpus) -> list[tuple[str, str]]:
    design = corpus.design
    note = design.edition_note if design and not corpus.notes else ""
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
    return [
        (axis.name, f"{first} − {second}", f"{number:,}")
        for axis in corpus.axes
        for (first, second), number in pair_counts(corpus.lazy(), axis).items()
    ]


def _show_design(design: Design) -> None:
    heading("Templates")
    table(
        ("", "template", "sentences", "changes with the person"),
        (_template_row(design, template) for template in design.templates),
        right=("sentences",),
    )
    notes = [(template.id, template.provenance.note) for template in design.templates]
    facts((f"template {name}", note) for name, note in notes if note)
    heading("Lists")
    rows = []
    for name, provenance in design.lists.items():
        rows.append((name, _contents(design, name), provenance.source, provenance.review))
    table(("list", "holds", "source", "review"), rows)
    facts((name, provenance.note) for name, provenance in design.lists.items() if provenance.note)


def _template_row(design: Design, template: Template) -> tuple[str, str, str, str]:
    found = [
        str(change) + ("" if change.forced else f" (grammar: {change.grammar})")
        for change in changes(design, template)
    ]
    return template.id, template.text, f"{template_size(template):,}", "; ".join(found)


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
        for one, other in axis.contrasts:
            pair = _example(first, axis.name, one, other)
            rows += [(one, pair[0]), (other, pair[1])] if pair else []
    return rows


def _example(sentences: pl.DataFrame, axis: str, one: str, other: str) -> tuple[str, str] | None:
    left = sentences.filter(sentences[axis] == one)
    right = sentences.filter(sentences[axis] == other)
    both = left.join(right, on=["frame", "match"], suffix="_2", maintain_order="left_right")
    return (both["text"][0], both["text_2"][0]) if both.height else None


def show_check(report: CheckReport, *, every: bool = False) -> None:
    """Print a validity report: what is fine in a line each, what is worth knowing with examples."""
    corpus = report.corpus
    say(visible(f"{corpus.name}, {corpus.edition} edition"), style="bold")
    facts(("file", note) for note in corpus.notes)
    facts(
        (
            "ok  " if remark.fine else "note",
            "\n    ".join((f"{remark.subject}: {remark.text}", *remark.examples)),
        )
        for remark in report.remarks
    )
    if report.pairs.height:
        _show_pairs(report, every=every)
    notes = len(report.notes)
    say()
    say(f"The corpus holds together; {notes or 'no'} note{'' if notes == 1 else 's'}.")


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
