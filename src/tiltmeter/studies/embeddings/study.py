"""What a study of embeddings found: its frames, and how they are shown and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.report.folder import Stage, unheard
from tiltmeter.report.study import Study, StudyFile, write

if TYPE_CHECKING:
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Embeddings(Study):
    """The tables of a study of embeddings, how it was made, and how to write its report.

    Every frame but comparisons begins with embedding. `list` names a list of identity terms, `term`
    one of its words. Probabilities are of the polarity assessed (negative, unless `run` says
    positive). Where a frame has p it has p_adjusted too: after Holm, over all its rows. A number
    that is not finite is null.
    """

    embeddings: pl.DataFrame
    """A row each: spec, kind (words or texts), format, dimension, digest, licence, asked, found,
    respelled (words found only under another case or spelling)."""
    classifiers: pl.DataFrame
    """A row each: lexicon, n_positive, n_negative, missing (words of the lexicon without a vector),
    ridge, chosen_by, accuracy, balanced, balanced_low, balanced_high, auc, log_loss, folds, reason
    (why it is refused; null where it is not)."""
    ridges: pl.DataFrame
    """The choice of the ridge: ridge, log_loss, se, balanced, chosen."""
    rnsb: pl.DataFrame
    """A row for each list: list, title, rnsb, low, high, bias (by how much resamples lie above the
    estimate), even_low and even_high and by_chance (2.5, 97.5 and 50 % of as many ordinary words
    drawn by chance), p (the share of such draws at least as uneven), n_terms, n_found, coverage,
    most (the term with the largest share), least, reason (null where there is a number)."""
    terms: pl.DataFrame
    """A row for each term: list, term, group, found_as (null: not in the embedding), probability,
    low, high, share (of all terms; 1/n is even), share_low, share_high, log_odds."""
    groups: pl.DataFrame
    """A row for each two groups of a list that has groups: list, first, second, n_first, n_second,
    mean_first, mean_second (of the probability), difference, low, high, p, exact."""
    comparisons: pl.DataFrame
    """Two embeddings side by side, on the terms both hold and the same resamples: list, first,
    second (embeddings), n_terms, rnsb_first, rnsb_second, difference, low, high (95 %, of this one
    alone), joint_low, joint_high (of all rows together with 95 %: these decide)."""
    correlations: pl.DataFrame
    """A row for each two terms: list, first, second, r."""
    plane: pl.DataFrame
    """The map: list, text, kind (positive, negative, term), x, y, x_share, y_share (of the
    variance)."""
    weat: pl.DataFrame
    """A row for each test: test, title, kind (weat or seat), first, second (targets), good, bad
    (attributes; their names), effect, low, high, p, exact, permutations, n_first, n_second, n_good,
    n_bad, missing (how many words), published (the effect that Caliskan et al. print for GloVe),
    reason, missing_words (which)."""
    associations: pl.DataFrame
    """A row for each target word of a test: test, side (first or second), word, association."""
    others: pl.DataFrame
    """Further measures of the same tests: test, measure (ect, rnd, ripa, mac), value, reason."""
    links: pl.DataFrame
    """A row for each system: system, task, corpus, n, pearson, low, high, p, spearman,
    spearman_low, spearman_high, slope, reason."""
    link_names: pl.DataFrame
    """A row for each name: system, task, person, group, log_odds (of the vector), deviation (of the
    system, on its scale), n."""
    link_gaps: pl.DataFrame
    """A row for each two groups: system, task, axis, first, second, gap, carried (the part that
    goes with the vectors), low, high, share."""
    mitigation: pl.DataFrame
    """A row for each number before and after: direction, method (none, hard, soft, inlp), measure
    (rnsb, weat, similarity, analogies, neighbours, accuracy, cluster, probe), what (a list, a test,
    a set of pairs), value, low, high, n, reason."""
    run: Mapping[str, Any]
    """What determines the numbers: mode, polarity, seed, resamples, coverage, lexicon, lists …"""
    environment: Mapping[str, Any]
    """Where and when they were made."""
    notes: tuple[str, ...] = field(default=())
    """What a reader should know: guesses, what was refused, warnings."""
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was found odd while reading, by embedding."""

    def __post_init__(self) -> None:
        for one in fields(self):
            frame = getattr(self, one.name)
            if isinstance(frame, pl.DataFrame):
                number = pl.col(pl.Float64)
                finite = frame.with_columns(pl.when(number.is_finite()).then(number))
                object.__setattr__(self, one.name, finite)

    def __repr__(self) -> str:
        known = self.rnsb["rnsb"].count()
        return f"<Embeddings: {len(self.names)} assessed, {known} of {self.rnsb.height} RNSB>"

    @property
    def refused(self) -> bool:
        """Whether lists were asked for and none of them has a number."""
        return bool(self.rnsb.height) and self.rnsb["rnsb"].null_count() == self.rnsb.height

    @property
    def polarity(self) -> str:
        """The sentiment that is assessed."""
        return str(self.run.get("polarity") or "negative")

    @property
    def published(self) -> bool:
        """Whether the numbers are as the authors computed them."""
        return self.run.get("mode") == "published"

    @property
    def names(self) -> list[str]:
        """Every embedding, in order."""
        return [str(name) for name in self.embeddings["embedding"]]

    @property
    def lists(self) -> dict[str, str]:
        """Every list of terms and its title, in order."""
        return {str(of): str(title or of) for of, title in self.rnsb.select("list", "title").rows()}

    def measured_terms(self, of: str) -> Sequence[Row]:
        """The terms of a list, in those embeddings where it is not refused."""
        known = {row["embedding"] for row in rows_of(self.rnsb, list=of) if row["rnsb"] is not None}
        return [row for row in rows_of(self.terms, list=of) if row["embedding"] in known]

    def page(self) -> Page:
        """What people read."""
        from tiltmeter.studies.embeddings.page import embeddings_page

        return embeddings_page(self)

    def document(self) -> tuple[str, str]:
        """What programs read."""
        from tiltmeter.studies.embeddings.tables import FILE, embeddings_json

        return FILE, embeddings_json(self)

    def tables(self) -> Sequence[Table]:
        """Every table, for spreadsheets and for papers."""
        from tiltmeter.studies.embeddings.tables import embedding_tables

        return embedding_tables(self)

    def figures(self) -> Iterator[StudyFile]:
        """Figures as files; the vectors themselves are not copied, as licences may forbid it."""
        from tiltmeter.studies.embeddings.page import embedding_figures

        for nth, (name, text) in enumerate(embedding_figures(self).items()):
            yield StudyFile(f"figures/{name}.svg", text, "" if nth else "drawing the figures")

    def report(
        self, folder: Path | str = "tiltmeter-out", *, force: bool = False,
        stage: Stage | None = None,
    ) -> Path:  # fmt: skip
        """Write the page, figures, tables and `embeddings.json`; returns the page's path."""
        return write(self, Path(folder), force=force, stage=stage or unheard)


def rows_of(frame: pl.DataFrame, **values: object) -> Sequence[Row]:
    """Rows with these values.

    >>> rows_of(pl.DataFrame({"list": ["a", "b"], "r": [1, 2]}), list="b")
    [{'list': 'b', 'r': 2}]
    """
    for name, value in values.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    return frame.to_dicts()


def parts_of(frame: pl.DataFrame, *by: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Rows by the values of some columns, in the order in which they first stand."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    yield from found.items()
