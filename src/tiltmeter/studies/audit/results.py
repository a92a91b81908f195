"""What an audit found, in every form: tables, page, folder, gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.claims.gate import Decision
from tiltmeter.report.folder import Stage, unheard
from tiltmeter.report.study import Study, StudyFile, write
from tiltmeter.schemas import Significance
from tiltmeter.scoring.corpus_scores import Run
from tiltmeter.scoring.provenance import Unavailable, unavailable_in
from tiltmeter.studies.paired.pairs import MEAN
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.tilt import TILT

if TYPE_CHECKING:
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table

OUTLINED = 8
"""Comparisons that an audit in a few lines tells of."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(AuditResults, Study):
    """What an audit found, as tables, and how to write its report."""

    runs: tuple[Run, ...] = ()
    """The scores, a run for each corpus."""
    with_figures: bool = False
    """Whether its folder has the paper's figures."""
    individual: bool = False
    """Whether its folder has a page for each system."""

    @property
    def unavailable(self) -> tuple[Unavailable, ...]:
        """The systems that were to be audited too and could not be scored, each with its why."""
        return unavailable_in(self.runs)

    @property
    def scores(self) -> pl.DataFrame:
        """Every score, as the `scores` table; of a large corpus `lazy_scores` needs no memory."""
        return self.lazy_scores.collect()

    @property
    def lazy_scores(self) -> pl.LazyFrame:
        """Every score, read as it is used."""
        return pl.concat(run.lazy_scores() for run in self.runs)

    @property
    def sentences(self) -> pl.DataFrame:
        """Every sentence scored, as the `sentences` table; an axis a corpus lacks is null."""
        return self.lazy_sentences.collect()

    @property
    def lazy_sentences(self) -> pl.LazyFrame:
        """Every sentence, written as it is used."""
        return pl.concat((run.lazy_sentences() for run in self.runs), how="diagonal")

    @property
    def people(self) -> pl.DataFrame:
        """Whom the sentences are about, as the `people` table; none of a user's own table."""
        return pl.concat(run.corpus.people for run in self.runs)

    def page(self) -> Page:
        """What people read: the answer, and what lies behind it."""
        from tiltmeter.studies.audit.page import audit_page

        return audit_page(self, figures=self.with_figures)

    def document(self) -> tuple[str, str]:
        """Every finding, for programs."""
        from tiltmeter.studies.audit.findings import findings_json

        return "findings.json", findings_json(self, self._finding_rows)

    @cached_property
    def _finding_rows(self) -> list[dict[str, Any]]:
        from tiltmeter.studies.audit.findings import audit_rows

        return audit_rows(self)

    def data(self) -> dict[str, pl.DataFrame | pl.LazyFrame]:
        """The tables that other programs read on."""
        return {
            "estimates": self.estimates,
            "scores": self.lazy_scores,
            "sentences": self.lazy_sentences,
            "people": self.people,
        }

    def about(self) -> dict[str, str]:
        """What the tables are of: corpora, editions and samples."""
        facts = {
            "corpus": [one.name for one in self.compared],
            "edition": [one.edition for one in self.compared],
            "sample": [one.sample for one in self.compared if one.sample],
        }
        return {
            f"tiltmeter.{name}": "; ".join(dict.fromkeys(values))
            for name, values in facts.items()
            if values
        }

    def tables(self) -> tuple[Table, ...]:
        """The paper's tables, and every other one."""
        from tiltmeter.studies.audit.tables import audit_tables

        return audit_tables(self)

    def figures(self) -> Iterator[StudyFile]:
        """The paper's figures, where they are wanted."""
        from tiltmeter.studies.audit.figures import drawn_figures

        for name, content in drawn_figures(self) if self.with_figures else ():
            yield StudyFile(f"figures/{name}", content, f"drawing {name}")

    def files(self) -> Iterator[StudyFile]:
        """Every system's model card, and its own page where they are wanted."""
        from tiltmeter.studies.audit.model_card import cards_of
        from tiltmeter.studies.audit.page import individual_pages

        for name, text in cards_of(self, self._finding_rows):
            yield StudyFile(name, text)
        if self.individual:
            yield from individual_pages(self)

    def report(
        self,
        folder: Path | str = "tiltmeter-out",
        *,
        force: bool = False,
        individual: bool = False,
        figures: bool = False,
        stage: Stage | None = None,
    ) -> Path:
        """Write the report and everything beside it to a folder; returns the page's path.

        A folder that holds something else needs `force`; `individual` adds a page per system,
        `figures` the paper's figures as SVG and PNG; `stage` is told what is being done.
        """
        from tiltmeter.report.charts import check_drawing

        if figures:
            check_drawing()
        whole = replace(self, with_figures=figures, individual=individual)
        return write(whole, Path(folder), force=force, stage=stage or unheard)

    def gate(self, gate: object, undecided: str | None = None) -> Decision:
        """What a gate such as "gender<=0.01, race<=0.01" says: pass, tilted or undecided.

        `undecided` is "fail", unless the gate says otherwise, or "pass": what is made of what the
        data do not decide.
        """
        from tiltmeter.studies.audit.gate import gate_of

        return gate_of(self, gate, undecided)

    def __repr__(self) -> str:
        # An audit in a few lines, for a prompt: what was asked, how much was found, where to look
        findings = self.findings
        systems, paired = findings["system"].n_unique(), pl.col("measure").is_in([MEAN, TILT])
        shown = pl.col("subset") == self.subset
        findings = findings.filter(shown | ~paired | (pl.col("measure") == TILT))
        corpora = ", ".join(f"{one.name} ({one.size:,} sentences)" for one in self.compared)
        lines = [f"Audit of {systems:,} system{'s' * (systems != 1)} on {corpora}"]
        by = ("corpus", "axis", "contrast", "measure", "subset")
        for key, part in findings.group_by(by, maintain_order=True):
            corpus, axis, contrast, measure, of = key
            where = f"{corpus}, " if len(self.compared) > 1 else ""
            if measure == TILT:
                counts = part["verdict"].value_counts(sort=True).rows()
                said = ", ".join(f"{many} {str(one).replace('_', ' ')}" for one, many in counts)
                lines.append(f"  {where}{axis} {contrast}, by {of}: {said}")
                continue
            found = part["significance"].is_in([Significance.UP, Significance.DOWN]).sum()
            how = "" if measure == MEAN else "regression, "
            told = f"{axis} {contrast}: difference detected in {found} of {part.height}"
            lines.append(f"  {how}{where}{told}")
        rest = len(lines) - 1 - OUTLINED
        more = [f"  … and {rest:,} more comparisons"] if rest > 0 else []
        look = (
            "  tables: .findings .tilts .estimates .scores .sentences .skill; page: .report(folder)"
        )
        return "\n".join([*lines[: OUTLINED + 1], *more, look])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from tiltmeter.studies.audit.page import summary

        return summary(self)
