"""How an audit was measured: notes on what it left out, and what a reader needs to repeat it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from markupsafe import Markup

from tiltmeter.audit_run import DEFAULT, RegressionSettings
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import groups_lacking, unpaired_note, unpaired_sentences
from tiltmeter.report.numbers import count
from tiltmeter.report.page import Method
from tiltmeter.report.table import Column, Table
from tiltmeter.scoring.corpus_scores import LargeRun, Run
from tiltmeter.shell import paste_word, paste_words
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import PairStudy
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.strip import missing
from tiltmeter.studies.paired.verdict_wording import margin_text
from tiltmeter.studies.paired.wording import stored_lines
from tiltmeter.studies.skill.gold import Labelled, Note
from tiltmeter.systems import SCORE_FILES, FileReport

SET_ASIDE = ("system", "corpus", "file", "reason")


def unpaired_contrasts(study: PairStudy, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each contrast that no pair is of; of an axis' many groups, one for all."""
    there = set(study.counts.select("axis", "contrast").rows())
    unpaired = [one for one in contrasts if (one.axis, one.name) not in there]
    notes = [
        f"{one.axis}: no frame has sentences of all {len(one.groups):,} groups, so none can be "
        "compared with the average of all; --all-pairs compares every two, --reference each with "
        "one"
        if one.groups
        else f"no two matched sentences differ in {one.axis} as {one.first} and {one.second} do"
        for one in unpaired
    ]
    return tuple(dict.fromkeys(notes))


def frames_left_out(run: Run, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each axis whose groups are compared with the average of all, but not everywhere."""
    if isinstance(run, LargeRun):
        return ()
    notes = []
    for axis in run.corpus.axes:
        if not any(one.axis == axis.name and one.groups for one in contrasts):
            continue
        short, lacking = groups_lacking(run.sentences, axis)
        if short:
            group, many = max(lacking.items(), key=lambda one: one[1])
            notes.append(
                f"{axis.name}: {count(short, 'match of a frame lacks', 'matches of frames lack')} "
                f"some group and {'is' if short == 1 else 'are'} left out of the comparison with "
                f"the average of all; {group} is not in {many:,}"
            )
    return tuple(notes)


def sentences_left_out(run: Run) -> tuple[str, ...]:
    """A note on each axis of a user's table of which some sentences are in no pair.

    Templates make whole frames; a table need not, as where inflected words part its frames.
    """
    if run.corpus.design is not None:
        return ()
    blocks = run.corpus.blocks() if isinstance(run, LargeRun) else [run.sentences]
    unpaired, among = Counter[str](), Counter[str]()
    for sentences in blocks:
        for axis in run.corpus.axes:
            unpaired[axis.name] += unpaired_sentences(sentences, axis).height
            among[axis.name] += int(sentences[axis.name].count())
    return tuple(unpaired_note(axis, many, among[axis]) for axis, many in unpaired.items() if many)


def signal_unknown(run: Run, apart: Exclusions) -> Iterator[str]:
    """A note where it could not be told whether scores move with the emotion words."""
    whose: dict[str, list[str]] = {}
    for one in run.scored:
        if why := apart.not_assessed.get((one.card.name, one.card.task, run.corpus.name)):
            whose.setdefault(why, []).append(one.card.name)
    for why, names in whose.items():
        of = "" if len(names) == len(run.scored) else f" of {', '.join(dict.fromkeys(names))}"
        yield f"whether scores{of} move with the emotion words (signal) was not assessed: {why}"


def submission_notes(runs: Sequence[Run], labelled: Labelled) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = list[Note]()
    for run in runs:
        name = run.corpus.name
        for scored in run.scored:
            rows += [(scored.card.name, scored.card.task, name, note) for note in scored.remarks]
        for report in run.reports:
            tasks = ", ".join(report.tasks)
            rows += [(report.system, tasks, name, note) for note in report.notes]
            rows += [(one.system, one.task, name, one.note) for one in report.directions]
    rows += labelled.notes
    schema = dict.fromkeys(("system", "task", "corpus", "note"), pl.String)
    return pl.DataFrame(rows, schema, orient="row")


def files_set_aside(runs: Sequence[Run]) -> pl.DataFrame:
    """Every file that could not be used, with its reason: a row for each system it is of."""
    rows = [
        (system, run.corpus.name, report.name, report.set_aside)
        for run in runs
        for report in run.reports
        if report.set_aside
        for system in _whose(run, report)
    ]
    return pl.DataFrame(rows, dict.fromkeys(SET_ASIDE, pl.String), orient="row")


def _whose(run: Run, report: FileReport) -> tuple[str | None, ...]:
    """The systems of a file's own sub-folder, else the one that it would be; null for none."""
    if Path(report.name).parent == Path():
        return (report.system if report.path.suffix.lower() in SCORE_FILES else None,)
    beside = {
        one.card.name: None
        for one, source in zip(run.scored, run.sources, strict=True)
        if not isinstance(source, int) and source[0].parent == report.path.parent
    }
    return tuple(beside) or (report.system,)


MANY = 12
"""Rows that a table shows before it is folded away."""
MOST_NAMED = 20
"""Systems that a command to repeat the audit names."""
SPOKEN = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg"}


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """What is known of one submission."""

    system: str
    task: str
    corpus: str
    version: str
    scale: str
    missing: str
    notes: tuple[str, ...]


def audit_method(audit: AuditResults, *, own_page: bool) -> Method:
    """What a reader needs to believe the numbers, or to repeat them."""
    pairs = Markup(
        ' A <a href="#g-pair">pair</a> compares the score of a sentence about one group with the '
        "score of the same sentence about another. A system’s difference is the mean over all "
        "pairs; a paired test asks whether it could be chance."
    )
    regression = Markup(
        ' A <a href="#g-regression">regression</a> holds the scores of sentences with names '
        "against who they are about on every axis at once, and asks of each effect whether other "
        "names and templates might have given none."
    )
    unused, facts_by_submission = set_aside(audit), list(cards(audit))
    several = {
        "task": len({one.task for one in facts_by_submission}) > 1,
        "corpus": len(audit.compared) > 1,
    }
    columns = [Column("system", "System"), Column("task", "Task"), Column("corpus", "Corpus")]
    columns += [Column("version", "Version"), Column("scale", "Scale, how known")]
    columns += [Column("missing", "Missing"), Column("notes", "Notes", "; ".join)]
    parts = []
    if unused and not own_page:
        many, them = count(len(unused), "file"), "it" if len(unused) == 1 else "them"
        files = pl.DataFrame(unused, {"file": pl.String, "why": pl.String}, orient="row")
        parts += [
            Markup('<h3 id="set-aside">Files set aside</h3>\n'),
            _folded(
                f"{many} could not be used; the others went on without {them}",
                Table("files", files, (Column("file", "File"), Column("why", "Why"))),
                "Files set aside",
            ),
        ]
    if facts_by_submission:
        frame = pl.DataFrame(facts_by_submission)
        shown = tuple(column for column in columns if several.get(column.name, True))
        title = "The system" if frame.height == 1 else "The systems"
        many = count(frame.height, "card")
        parts += [
            Markup("<h3>{}</h3>\n").format(title),
            _folded(
                f"{many}: version, scale, what was missing",
                Table("cards", frame, shown),
                "Systems",
            ),
        ]
    return Method(
        "Corpora, tests and versions, the command to repeat it, and what it does not show.",
        _facts(audit),
        Markup("Each sentence of a corpus is written once for every person it may mention.")
        + (pairs if "pairs" in audit.measures else "")
        + (regression if audit.regressed else ""),
        more=Markup("\n").join(parts),
    )


def _folded(summary: str, table: Table, label: str) -> Markup:
    """A table that is folded away where it has many rows."""
    return Markup("<details{}><summary>{}</summary>\n{}</details>").format(
        Markup(" open") if table.frame.height <= MANY else "",
        summary,
        replace(table, caption=label, kind="plain cards").html(quiet=True),
    )


def _facts(audit: AuditResults) -> Iterator[tuple[str, str | Markup]]:
    """Corpora, the tests and their settings, gold scores, stored scores, the call."""
    for one in audit.compared:
        yield "Corpus", _corpus(one)
    yield from statistics(audit)
    if gold := audit.run.gold:
        ranked = f"{count(gold.rows, 'text')}; ranked by {gold.rank_by.capitalize()}"
        notes = Markup().join(Markup('<li dir="auto">{}</li>').format(note) for note in gold.notes)
        read = Markup("<details><summary>How they were read</summary><ul>{}</ul></details>")
        yield (
            "Gold scores",
            Markup("{}: {}{}").format(gold.name, ranked, read.format(notes) if notes else ""),
        )
    if stored := audit.environment.get("stored_scores"):
        yield "Stored scores", "; ".join(stored_lines(stored))
    systems = list(dict.fromkeys(one.system for one in audit.run.systems))
    if not audit.environment.get("command") and 0 < len(systems) <= MOST_NAMED:
        corpora = " ".join(f"--corpus {paste_word(one.name)}" for one in audit.compared)
        call = f"tiltmeter audit {paste_words(systems)} {corpora}"
        yield (
            "To repeat it",
            Markup("Made from Python; on the command line about <code>{}</code>").format(call),
        )


def _corpus(compared: CorpusComparisons) -> Markup:
    corpus = compared.corpus
    pairs = ", ".join(
        f"{count(many, 'pair')} for {axis} ({name})"
        for axis, name, many in compared.study.counts.rows()
    )
    sizes = f"{count(compared.size, 'sentence')}{f'; {pairs}' if pairs else ''}"
    sample = f" Sample: {compared.sample}." if compared.sample else ""
    notes = (Markup(' <span dir="auto">{}</span>').format(note) for note in compared.notes)
    return Markup(
        '{} (<code>{}</code>), <a href="#g-edition">{} edition</a>, language {}: {}.{}{}'
        '<br>SHA-256 <code class="sum">{}</code>'
    ).format(
        corpus.title, corpus.name, corpus.edition, corpus.language, sizes, sample,
        Markup().join(notes), corpus.checksum,
    )  # fmt: skip


def limits(audit: AuditResults) -> tuple[tuple[str, str], ...]:
    """What an audit does not show."""
    regressed = bool(audit.regressed)
    safer = (
        " The regression’s errors allow for names and templates; what it detects is the safer "
        "claim."
    )
    too_sure = (
        f"The {'paired ' * regressed}test can be too sure.",
        "Pairs share templates, emotion words and names, so they are not independent, as the plain "
        "t-test takes them to be. Its intervals can be too narrow and its p-values too small. "
        "Where names are scored a little higher or lower at random, whatever their group, it finds "
        "a difference in nearly half of simulated systems that have none. The sign-flip p-value "
        "beside it shares this limit. Look at the size first, and at whether a difference shows in "
        f"many templates and with many names.{safer * regressed}",
    )
    return (*LIMITS[:3], *([too_sure] if "pairs" in audit.measures else ()), *LIMITS[3:])


LIMITS = (
    (
        "A corpus is not the world.",
        "These are sentences from a few templates. Other sentences, words and languages may give "
        "other differences.",
    ),
    (
        "No difference detected is not no difference.",
        "The data could not tell it from chance; where scores differ at all, the finding says how "
        "large a difference they could have shown.",
    ),
    (
        "Ten names are not a group.",
        "A finding is about sentences with these names and words. Which group a name stands for is "
        "what the corpus’ authors assigned; it is nobody’s own account of themselves.",
    ),
    (
        "Many looks find something.",
        "p-values are corrected for how many comparisons were made; intervals are not, and parts "
        "of the corpus are exploratory. An interval may leave out 0 where no difference is "
        "detected.",
    ),
    (
        "A difference is not its effect.",
        "Whether one of this size matters depends on what the scores are used for.",
    ),
)
VERDICTS = (
    "claims by names and by couples: people random (of a population with finite-population "
    "correction), templates and emotions fixed, words random within their emotion, and a floor for "
    "what a sample of people does not show; tilted where the interval lies beyond the margin, even "
    "where it lies within"
)
ERRORS = {
    "crossed": "clustered over names and over templates, CR2, Satterthwaite degrees of freedom",
    "mixed": "random names and templates in a linear model of the logit, by REML",
    "naive": "as if all sentences were independent",
}


def statistics(audit: AuditResults) -> Iterator[tuple[str, str]]:
    """The tests, the corrections and their settings."""
    used = audit.run.statistics
    claims = audit.tilts is not None and not audit.tilts.is_empty()
    if "pairs" in audit.measures:
        yield "Test", used.test
        how = "systems × tasks × corpora × contrasts"
        how = "a number given by the user" if used.family_given else how
        named = SPOKEN.get(used.correction, used.correction)
        yield "Correction", f"{named}, family of {count(used.family, 'comparison')} ({how})"
        if claims:
            yield "Verdicts", VERDICTS
            default = margin_text(used.margins[DEFAULT])
            own = (
                f"{name} {margin_text(margin)}"
                for name, margin in used.margins.items()
                if name != DEFAULT
            )
            yield "Margin", "; ".join([default, *own])
    if audit.regressed:
        model = audit.run.regression or RegressionSettings()
        formulas = dict.fromkeys(one.formula for one in audit.regressed)
        yield "Regression", f"{'; '.join(formulas)}: Beta regression, logit link, common precision"
        yield "Its errors", ERRORS.get(model.errors, "")
        if model.precision:
            yield "Its precision", f"log φ depends on {model.precision}"
        rules = (rule for one in audit.regressed for rule in one.findings["rule"].head(1))
        yield "Its test", next(rules, "")
    yield "Level", f"{used.level:g} after correction"
    together = "of claims 95 % for all together; of pairs " if claims else ""
    yield "Intervals", f"{together}95 %, each by itself: not corrected"
    yield "Subset shown first", used.subset
    yield "Mode", used.mode
    for axis, group in used.reference.items():
        yield f"Reference for {axis}", f"each other group is compared with {group}"
    yield "Seed", str(used.seed)


def set_aside(audit: AuditResults) -> list[tuple[str, str]]:
    """The files that could not be used, each with its reason, and for which corpora if not all."""
    if audit.set_aside is None:
        return []
    found: dict[tuple[str, str], dict[str, None]] = {}
    for file, reason, corpus in audit.set_aside.select("file", "reason", "corpus").rows():
        found.setdefault((file, reason), {})[corpus] = None
    every = {one.name for one in audit.compared}
    return [
        (file, reason if every <= set(corpora) else f"for {', '.join(corpora)}: {reason}")
        for (file, reason), corpora in found.items()
    ]


def cards(audit: AuditResults) -> Iterator[SubmissionFacts]:
    """What is known of each submission: version, scale, what was missing, notes."""
    sizes = {one.name: one.size for one in audit.compared}
    told: dict[tuple[str, str, str], list[str]] = {}
    if audit.notes is not None:
        for system, task, corpus, note in audit.notes.select(
            "system", "task", "corpus", "note"
        ).rows():
            told.setdefault((system, task, corpus), []).append(note)
    for one in audit.run.systems:
        key = (one.system, one.task, one.corpus)
        notes = dict.fromkeys([*told.get(key, ()), *one.notes])
        inferred = one.scale_known == "inferred"
        how = "inferred: every answer lies within it" if inferred else one.scale_known
        yield SubmissionFacts(
            *key,
            version=one.version or "not said",
            scale=f"{one.scale} ({how})" if one.scale else "not known: its own units",
            missing=missing(one.missing, sizes.get(key[2], 0)),
            notes=tuple(notes),
        )


def submission_facts(audit: AuditResults) -> dict[tuple[str, str, str], list[tuple[str, str]]]:
    """What is known by system, task and corpus: each fact with its name."""
    found: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for card in cards(audit):
        facts = [
            ("Version", card.version), ("Scale", card.scale), ("Without a score", card.missing),
            ("Notes", "; ".join(card.notes)),
        ]  # fmt: skip
        key = card.system, card.task, card.corpus
        found.setdefault(key, [(name, fact) for name, fact in facts if fact])
    return found
