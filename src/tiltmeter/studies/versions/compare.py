"""Two versions compared on one page: two audits' folders in, what changed out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.claims.changes import judge_changes
from tiltmeter.claims.gate import Decision
from tiltmeter.claims.judge import Rule
from tiltmeter.claims.verdict import Margins
from tiltmeter.errors import TiltmeterError, argument, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.report.page import Page
from tiltmeter.report.study import Study, write
from tiltmeter.report.table import Table
from tiltmeter.scoring import on_unit
from tiltmeter.scoring.provenance import environment
from tiltmeter.studies.audit.gate import silent_in
from tiltmeter.studies.audit.options import margins_given
from tiltmeter.studies.audit.stored_audit import AuditFolder, phrases_of_audit, read_audit
from tiltmeter.studies.versions.measure import (
    VersionPair,
    VersionStudy,
    contrasts_with_pairs,
    version_study,
)
from tiltmeter.studies.versions.notes import (
    Common,
    change_decision,
    check_apart,
    common_sentences,
    inferred_ends,
    notes_on,
    skill_of_versions,
)
from tiltmeter.studies.versions.tables import changes_table, document, skill_table, with_rows
from tiltmeter.studies.versions.view import compare_page
from tiltmeter.studies.versions.wording import with_change_sentences
from tiltmeter.systems import SIGNED, Scale

# Which system of an earlier audit is which of a later one


Submission = tuple[str, str]
"""A system and its task."""

PAIR = argument("pairs", "--pair")


@dataclass(frozen=True, slots=True)
class VersionPairs:
    """Versions put together, and what is left over on either side."""

    pairs: tuple[VersionPair, ...]
    only_old: tuple[Submission, ...] = ()
    only_new: tuple[Submission, ...] = ()


def paired_versions(
    old: Sequence[Submission], new: Sequence[Submission], given: Iterable[tuple[str, str]] = ()
) -> VersionPairs:
    """Versions by the names given, then by name and task, then where a task has one on each side.

    >>> paired_versions([("a", "valence")], [("b", "valence")]).pairs
    (VersionPair(old='a', new='b', task='valence'),)
    """
    pairs = list[VersionPair]()
    left, right = list(old), list(new)

    def take(before: Submission, after: Submission) -> None:
        left.remove(before)
        right.remove(after)
        pairs.append(VersionPair(before[0], after[0], after[1]))

    for first, second in given:
        for task in _tasks(first, second, old, new):
            for name, side in ((first, left), (second, right)):
                if (name, task) not in side:
                    what = f"{PAIR}: {name!r} is paired twice"
                    raise TiltmeterError(f"{what}; expected each system once")
            take((first, task), (second, task))
    for one in [one for one in left if one in right]:
        take(one, one)
    for task in dict.fromkeys(task for _, task in left):
        before, after = ([one for one in side if one[1] == task] for side in (left, right))
        if len(before) == len(after) == 1:
            take(before[0], after[0])
    order = {one: place for place, one in enumerate(new)}
    pairs.sort(key=lambda pair: order[pair.new, pair.task])
    return VersionPairs(tuple(pairs), tuple(left), tuple(right))


def _tasks(
    first: str, second: str, old: Sequence[Submission], new: Sequence[Submission]
) -> list[str]:
    """The tasks that two systems both have; refused where there is none."""
    for name, side, where in ((first, old, "old"), (second, new, "new")):
        names = list(dict.fromkeys(system for system, _ in side))
        if name not in names:
            near = did_you_mean(name, names) or f"it holds {', '.join(names[:8])}"
            raise TiltmeterError(f"{PAIR}: the {where} audit has no system {name!r}: {near}")
    shared = [task for system, task in old if system == first and (second, task) in new]
    if not shared:
        raise TiltmeterError(f"{PAIR}: {first!r} and {second!r} were audited for different tasks")
    return shared


def split_pair(text: str, old: Iterable[str], new: Iterable[str]) -> tuple[str, str]:
    """OLD=NEW cut at the sign that leaves a name on either side; names may hold one themselves.

    >>> split_pair("tilted:gender=0.0=tilted:gender=0.03", ["tilted:gender=0.0"], [])
    ('tilted:gender=0.0', 'tilted:gender=0.03')
    """
    cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == "="]
    cuts = [(a.strip(), b.strip()) for a, b in cuts if a.strip() and b.strip()]
    if not cuts:
        raise TiltmeterError(f"{PAIR} is {text!r}; expected OLD=NEW, two systems' names")
    before, after = set(old), set(new)
    return max(cuts, key=lambda cut: (cut[0] in before) + (cut[1] in after))


# Two versions compared on one page: two audits' folders in, what changed out


Phrases = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True, eq=False, repr=False)
class Versions(Study):
    """What changed between two audits, as tables, and how to write its report."""

    old: Path
    new: Path
    changes: pl.DataFrame
    """A row for each pair of versions, corpus, contrast and kind of people (`subset`: names or
    couples): either tilt, the change with its interval, and the verdict: same, better, worse,
    undecided, no_signal or not_estimable."""
    moved: pl.DataFrame
    """The pairs of sentences whose scores moved most apart, or together."""
    skill: pl.DataFrame
    """How well either version agrees with gold scores, where the audits know."""
    unpaired: pl.DataFrame
    """audit, system, task: what has no counterpart."""
    notes: tuple[str, ...]
    run: Mapping[str, Any]
    """What determines the verdicts."""
    environment: Mapping[str, Any]
    phrases: Phrases

    @property
    def old_name(self) -> str:
        """The older audit's folder, as a report names it."""
        return without_folders(str(self.old))

    @property
    def new_name(self) -> str:
        """The newer audit's folder, likewise."""
        return without_folders(str(self.new))

    def page(self) -> Page:
        """compare.html."""
        return compare_page(self)

    def tables(self) -> list[Table]:
        """Every table that is not empty."""
        return with_rows([
            changes_table(self.changes), Table("pairs", self.moved), skill_table(self.skill),
            Table("unpaired", self.unpaired),
        ])  # fmt: skip

    def document(self) -> tuple[str, str]:
        """compare.json."""
        head = {"old": self.old_name, "new": self.new_name, "notes": self.notes}
        return "compare.json", document(
            head, self.run, self.environment, changes=changes_table(self.changes).frame,
            pairs=self.moved, skill=self.skill, unpaired=self.unpaired,
        )  # fmt: skip

    def gate(self, undecided: str = "fail") -> Decision:
        """What a gate says: worse where any is, undecided where any is, else pass."""
        return change_decision(self.changes, undecided)

    def report(self, folder: Path | str = "tiltmeter-compare", *, force: bool = False) -> Path:
        """Write the page and everything beside it to a folder; returns the page's path."""
        where = Path(folder)
        check_apart(where, (self.old, self.new))
        return write(self, where, force=force)

    def __repr__(self) -> str:
        counts = self.changes["verdict"].value_counts(sort=True).rows()
        told = ", ".join(f"{many} {verdict}" for verdict, many in counts)
        return f"Versions {self.old} and {self.new}: {told}\n  tables: .changes .moved .skill"


def compare(
    old: Path | str,
    new: Path | str,
    *,
    pairs: Iterable[tuple[str, str] | str] = (),
    margin: float | Mapping[str, float] | None = None,
    correction: str = "bonferroni",
    family: int | None = None,
    level: float = 0.05,
    command: str = "",
) -> Versions:
    """Compare two versions of systems by the folders that their audits wrote.

    Systems are paired by name and task, or where a task has one system on either side; `pairs`
    names others, as (old, new) or "OLD=NEW". `margin` is the change of tilt that does not matter,
    a part of the scale: one for all axes, or by axis; 0.01 by default.
    """
    rule = Rule(correction, level, family)
    margins_given(margin)  # what no margin can be is said before anything is read
    before, after = read_audit(old), read_audit(new)
    margins = margins_given(margin, after.axes)
    paired = _paired(before, after, pairs)
    before, after = _on_one_scale(before, after, paired.pairs)
    shared = _shared(before, after)
    tried = [(common, _study(common, before, after, paired.pairs)) for common in shared]
    studies = [(common, study) for common, study in tried if study is not None]
    if not studies:
        what = "no pair of versions has pairs of sentences to compare"
        pairs = f"{argument('measures', '--measure')} pairs"
        raise TiltmeterError(f"{what}; audit both with {pairs} on the same corpus")
    changes = pl.concat([_of_corpus(common, study.changes) for common, study in studies])
    left_over = [("old", *one) for one in paired.only_old]
    left_over += [("new", *one) for one in paired.only_new]
    columns = dict.fromkeys(("audit", "system", "task"), pl.String)
    unpaired = pl.DataFrame(left_over, columns, orient="row")
    phrases = phrases_of_audit(after)
    silent = silent_in(before, changes, "old_system"), silent_in(after, changes, "new_system")
    judged = with_change_sentences(judge_changes(changes, rule, margins, silent), phrases)
    return Versions(
        before.path, after.path, judged,
        pl.concat([_of_corpus(common, study.moved) for common, study in studies]),
        skill_of_versions(before, after, paired.pairs), unpaired,
        tuple(notes_on(before, after, paired.pairs, shared)),
        _facts(before, after, paired, shared, rule, margins, judged), environment(command),
        phrases,
    )  # fmt: skip


def _paired(
    before: AuditFolder, after: AuditFolder, given: Iterable[tuple[str, str] | str]
) -> VersionPairs:
    names = [[system for system, _ in audit.submissions] for audit in (before, after)]
    told = [split_pair(one, *names) if isinstance(one, str) else one for one in given]
    paired = paired_versions(before.submissions, after.submissions, told)
    if not paired.pairs:
        held = list[str]()
        for audit in (before, after):
            shown = ", ".join(f"{system} ({task})" for system, task in audit.submissions[:4])
            more = len(audit.submissions) - 4
            rest = f" and {more:,} more" if more > 0 else ""
            held.append(f"{audit.path} holds {shown}{rest}")
        what = f"no system of one audit is in the other: {'; '.join(held)}"
        raise TiltmeterError(f"{what}; say {PAIR} OLD=NEW")
    return paired


def _on_one_scale(
    before: AuditFolder, after: AuditFolder, pairs: Sequence[VersionPair]
) -> tuple[AuditFolder, AuditFolder]:
    """Two versions whose scales were inferred, and not alike, on the one that holds both.

    Else a single answer below 0 would halve every difference of one version.
    """
    for pair in pairs:
        ends = [
            inferred_ends(audit, system, pair.task)
            for audit, system in ((before, pair.old), (after, pair.new))
        ]
        if None in ends or ends[0] == ends[1]:
            continue
        scale = SIGNED if all(ends) else None  # one of them is −1 to 1, or one unbounded
        before = _rescored(before, pair.old, pair.task, scale)
        after = _rescored(after, pair.new, pair.task, scale)
    return before, after


def _rescored(audit: AuditFolder, system: str, task: str, scale: Scale | None) -> AuditFolder:
    """The audit with the scores of one system on another scale."""
    mine = (pl.col("system") == system) & (pl.col("task") == task)
    score = pl.when(mine).then(on_unit(pl.col("raw"), scale)).otherwise("score")
    return replace(audit, scores=audit.scores.with_columns(score=score))


def _shared(before: AuditFolder, after: AuditFolder) -> list[Common]:
    """What the audits share of every corpus that both are of."""
    both = [name for name in after.corpora if name in before.corpora]
    shared = [common_sentences(before.sentences, after.sentences, name) for name in both]
    kept = [one for one in shared if one.sentences.height]
    if not kept:
        held = [f"{one.path} is of {', '.join(one.corpora)}" for one in (before, after)]
        what = "share no sentences" if both else "are of different corpora"
        next_ = "audit both versions on the same sentences, people drawn with the same "
        next_ += f"{argument('people')}, {argument('frames')} and {argument('seed')}"
        raise TiltmeterError(f"the audits {what}: {'; '.join(held)}: {next_}")
    return kept


def _study(
    common: Common, before: AuditFolder, after: AuditFolder, pairs: Sequence[VersionPair]
) -> VersionStudy | None:
    """What changed on one corpus; None where no versions or no groups are compared there."""
    old, new = _scores_of(before, common), _scores_of(after, common)
    there = [set(scores.select("system", "task").unique().rows()) for scores in (old, new)]
    mine = [p for p in pairs if (p.old, p.task) in there[0] and (p.new, p.task) in there[1]]
    known = contrasts_with_pairs(common.sentences, after.contrasts(common.corpus))
    if not mine or not known:
        return None
    people = after.people_of(common.corpus)
    if people.is_empty():
        people = before.people_of(common.corpus)
    return version_study(common.sentences, old, new, mine, known, people)


def _scores_of(audit: AuditFolder, common: Common) -> pl.DataFrame:
    own = audit.scores.filter(pl.col("corpus") == common.corpus)
    return own.join(common.sentences.select("id"), on="id", how="semi", maintain_order="left")


def _of_corpus(common: Common, frame: pl.DataFrame) -> pl.DataFrame:
    names = {"corpus": common.corpus, "edition": str(common.sentences["edition"][0])}
    return frame.with_columns(pl.lit(value).alias(name) for name, value in names.items())


def _facts(
    before: AuditFolder,
    after: AuditFolder,
    paired: VersionPairs,
    shared: Sequence[Common],
    rule: Rule,
    margins: Margins,
    judged: pl.DataFrame,
) -> dict[str, Any]:
    """What determines the verdicts."""
    return {
        "compares": {"old": before.path.name, "new": after.path.name},
        "audits": {"old": before.run_values, "new": after.run_values},
        "pairs": [{"old": p.old, "new": p.new, "task": p.task} for p in paired.pairs],
        "corpora": [
            {"name": one.corpus, "sentences": one.sentences.height,
             "old_sentences": one.old_size, "new_sentences": one.new_size}
            for one in shared
        ],
        "statistics": {
            "margins": margins.to_dict(), "correction": rule.correction, "level": rule.level,
            "family": int(judged["family"][0]), "family_given": rule.family is not None,
        },
    }  # fmt: skip
