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
from tiltmeter.errors import TiltmeterError, argument, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.report.page import Page
from tiltmeter.report.study import Study, write
from tiltmeter.report.table import Table
from tiltmeter.scoring import on_unit
from tiltmeter.scoring.provenance import environment
from tiltmeter.studies.audit.gate import no_signal_reasons
from tiltmeter.studies.audit.options import margins_given
from tiltmeter.studies.audit.stored_audit import AuditFolder, phrases_of_audit, read_audit
from tiltmeter.studies.paired.advice import NextStep
from tiltmeter.studies.paired.verdict_wording import MovedShares
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
    next_audit,
    notes_on,
    people_moved,
    skill_of_versions,
)
from tiltmeter.studies.versions.tables import changes_table, document, skill_table, with_rows
from tiltmeter.studies.versions.view import compare_page
from tiltmeter.studies.versions.wording import with_change_sentences
from tiltmeter.systems import SIGNED

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
        for name, submissions, where in ((first, old, "old"), (second, new, "new")):
            names = list(dict.fromkeys(system for system, _ in submissions))
            if name not in names:
                near = did_you_mean(name, names) or f"it holds {', '.join(names[:8])}"
                raise TiltmeterError(f"{PAIR}: the {where} audit has no system {name!r}: {near}")
        tasks = [task for system, task in old if system == first and (second, task) in new]
        if not tasks:
            what = f"{first!r} and {second!r} were audited for different tasks"
            raise TiltmeterError(f"{PAIR}: {what}")
        for task in tasks:
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
    telling: pl.DataFrame
    """Of each change the two single sentences whose difference moved most, as in `VersionStudy`."""
    skill: pl.DataFrame
    """How well either version agrees with gold scores, where the audits know."""
    unpaired: pl.DataFrame
    """audit, system, task: what has no counterpart."""
    notes: tuple[str, ...]
    run: Mapping[str, Any]
    """What determines the verdicts."""
    environment: Mapping[str, Any]
    phrases: Phrases
    people_moved: tuple[MovedShares, MovedShares] = ({}, {})
    """In either audit: whom a system moves by more than the margin, where the two compare."""
    next_audit: NextStep | None = None
    """The audit of both versions that would decide what is undecided, or why none would."""

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
        verdicts = ", ".join(f"{many} {verdict}" for verdict, many in counts)
        return f"Versions {self.old} and {self.new}: {verdicts}\n  tables: .changes .moved .skill"


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
    names = [[system for system, _ in audit.submissions] for audit in (before, after)]
    given = [split_pair(pair, *names) if isinstance(pair, str) else pair for pair in pairs]
    paired = paired_versions(before.submissions, after.submissions, given)
    if not paired.pairs:
        held = list[str]()
        for audit in (before, after):
            shown = ", ".join(f"{system} ({task})" for system, task in audit.submissions[:4])
            more = len(audit.submissions) - 4
            rest = f" and {more:,} more" if more > 0 else ""
            held.append(f"{audit.path} holds {shown}{rest}")
        what = f"no system of one audit is in the other: {'; '.join(held)}"
        raise TiltmeterError(f"{what}; say {PAIR} OLD=NEW")
    before, after = _on_one_scale(before, after, paired.pairs)
    both = [name for name in after.corpora if name in before.corpora]
    common = [common_sentences(before.sentences, after.sentences, name) for name in both]
    shared = [one for one in common if one.sentences.height]
    if not shared:
        held = [f"{one.path} is of {', '.join(one.corpora)}" for one in (before, after)]
        what = "share no sentences" if both else "are of different corpora"
        next_ = "audit both versions on the same sentences, people drawn with the same "
        next_ += f"{argument('people')}, {argument('frames')} and {argument('seed')}"
        raise TiltmeterError(f"the audits {what}: {'; '.join(held)}: {next_}")
    found = [_study(one, before, after, paired.pairs) for one in shared]
    studies = [study for study in found if study is not None]
    if not studies:
        what = "no pair of versions has pairs of sentences to compare"
        pairs = f"{argument('measures', '--measure')} pairs"
        raise TiltmeterError(f"{what}; audit both with {pairs} on the same corpus")
    changes = pl.concat([study.changes for study in studies])
    left_over = [("old", *one) for one in paired.only_old]
    left_over += [("new", *one) for one in paired.only_new]
    columns = dict.fromkeys(("audit", "system", "task"), pl.String)
    unpaired = pl.DataFrame(left_over, columns, orient="row")
    phrases = phrases_of_audit(after)
    silent = (
        no_signal_reasons(before, changes, "old_system"),
        no_signal_reasons(after, changes, "new_system"),
    )
    judged = with_change_sentences(judge_changes(changes, rule, margins, silent), phrases)
    run = {
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
    return Versions(
        before.path, after.path, judged,
        pl.concat([study.moved for study in studies]),
        pl.concat([study.telling for study in studies]),
        skill_of_versions(before, after, paired.pairs), unpaired,
        tuple(notes_on(before, after, paired.pairs, shared)), run, environment(command), phrases,
        people_moved(before, after, shared), next_audit(judged, after),
    )  # fmt: skip


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
        before, after = (
            replace(audit, scores=audit.scores.with_columns(
                score=pl.when(system=system, task=pair.task)
                .then(on_unit(pl.col("raw"), scale)).otherwise("score")
            ))
            for audit, system in ((before, pair.old), (after, pair.new))
        )  # fmt: skip
    return before, after


def _study(
    common: Common, before: AuditFolder, after: AuditFolder, pairs: Sequence[VersionPair]
) -> VersionStudy | None:
    """What changed on one corpus; None where no versions or no groups are compared there."""
    ids = common.sentences.select("id")
    old, new = (
        audit.scores.filter(corpus=common.corpus).join(
            ids, on="id", how="semi", maintain_order="left"
        )
        for audit in (before, after)
    )
    there = [set(scores.select("system", "task").unique().rows()) for scores in (old, new)]
    here = [p for p in pairs if (p.old, p.task) in there[0] and (p.new, p.task) in there[1]]
    known = contrasts_with_pairs(common.sentences, after.contrasts(common.corpus))
    if not here or not known:
        return None
    people = after.people_of(common.corpus)
    if people.is_empty():
        people = before.people_of(common.corpus)
    study = version_study(common.sentences, old, new, here, known, people)
    return study.on_corpus(common.corpus, str(common.sentences["edition"][0]))
