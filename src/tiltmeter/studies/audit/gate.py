"""A gate held against an audit, in hand or in its folder, and the pairs behind its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tiltmeter.audit_run import DEFAULT, AuditRun
from tiltmeter.claims.gate import (
    EVERY,
    Decision,
    Gate,
    GateComparison,
    Pair,
    Recheck,
    StoredScores,
    check_limits,
    decide,
    gate_given,
)
from tiltmeter.claims.judge import COUPLES, TILT, Rule, judge_tilts
from tiltmeter.claims.people_moved import judge_people_moved
from tiltmeter.claims.signal import AuditedSubmission, Exclusions, find_exclusions
from tiltmeter.claims.verdict import Margins
from tiltmeter.errors import TiltmeterError, argument
from tiltmeter.ranking import coarsen
from tiltmeter.schemas import Verdict
from tiltmeter.scoring import Agreement
from tiltmeter.scoring.corpus_scores import Run
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.gate_wording import with_moved_sentences, with_next_steps
from tiltmeter.studies.audit.options import contrasts_wanted, corpora_given
from tiltmeter.studies.audit.stored_audit import (
    AuditFolder,
    is_claim,
    measure_claims,
    naming_place,
    read_audit,
)
from tiltmeter.studies.paired.contrasts import contrast_between
from tiltmeter.studies.paired.pairs import PairStudy, pair_study
from tiltmeter.studies.paired.verdict_wording import population_words_in, with_verdict_sentences
from tiltmeter.studies.paired.wording import sides_of

if TYPE_CHECKING:
    from tiltmeter.studies.audit.results import Audit


SHOWN = 3
"""Pairs of a comparison."""

Find = Callable[[GateComparison], tuple[Pair, ...]]


def with_worst(decision: Decision, find: Find) -> Decision:
    """The decision, each tilted comparison with its worst pairs."""
    shown = (
        replace(one, worst=find(one))
        if one.verdict == Verdict.TILTED and one.measure == TILT
        else one
        for one in decision.comparisons
    )
    return replace(decision, comparisons=tuple(shown))


def among_tables(sentences: pl.DataFrame, scores: pl.DataFrame) -> Find:
    """Looks for pairs in the sentences and scores of a folder."""

    def find(one: GateComparison) -> tuple[Pair, ...]:
        here = sentences.filter(corpus=one.corpus, edition=one.edition)
        asked = scores.filter(system=one.system, task=one.task, corpus=one.corpus)
        contrast = contrast_between(here, one.axis, one.first, one.second)
        return _pairs(one, pair_study(here, asked, [contrast], flips=0))

    return find


def _pairs(one: GateComparison, study: PairStudy) -> tuple[Pair, ...]:
    """A comparison's largest differences."""
    row = study.submissions.select("system", "task").rows().index((one.system, one.task))
    pairs = study.pairs
    # pairs of couples, or of names: where a match has several people a side
    several = pl.max_horizontal("n_first", "n_second").max().over("match") > 1
    names = pairs.select(several.alias("names"))["names"]
    of_kind = ~names if one.people == COUPLES else names
    compared = (pairs["axis"] == one.axis) & (pairs["contrast"] == one.contrast)
    mine = (compared & of_kind).arg_true().to_numpy()
    signed = np.nan_to_num(study.deltas[row, mine] * np.sign(one.value or 0.0), nan=-np.inf)
    pooled = pairs["n_first"].gather(mine).to_numpy()  # of equal ones, those of single sentences
    order = np.lexsort((pooled, -coarsen(signed, float(study.submissions["width"][row]))))
    worst = mine[order[: min(SHOWN, int((signed > 0).sum()))]]
    return tuple(
        Pair(
            told["text_first"],
            told["text_second"],
            float(study.first[row, column]),
            float(study.second[row, column]),
            told["n_first"],
            told["n_second"],
        )
        for column in worst
        for told in (pairs.row(int(column), named=True),)
    )


def gate_of(audit: Audit, gate: object, undecided: str | None = None) -> Decision:
    """What a gate says of an audit; its comparisons are judged against the gate's margins.

    `gate` is text, as in "gender<=0.01, race<=0.01", a table of margins, or a Gate; `undecided` is
    fail or pass.
    """
    asked = gate_given(gate, undecided)
    studies = {one.name: one.study for one in audit.compared}
    decision = _decision(
        audit.run, audit.paired_estimates, asked,
        lambda one: _pairs(one, studies[one.corpus]), audit.runs,
    )  # fmt: skip
    return _with_stored(decision, stored_for_audit(audit.environment))


def gate_folder(path: Path | str, gate: object, undecided: str | None = None) -> Decision:
    """Judge a stored audit by a gate, from its answers.

    `path` is an audit's output folder or evidence pack. What it states of its own findings decides
    nothing.
    """
    asked, audit = gate_given(gate, undecided), read_audit(path)
    with naming_place(audit.path):
        decision = _decision(
            audit.run, audit.claims, asked, among_tables(audit.sentences, audit.scores), audit.runs
        )
    return _with_stored(decision, stored_in_folder(audit.run, audit.environment))


RECHECKS = {
    Agreement.SAME: Recheck.SAME,
    Agreement.VARY: Recheck.VARY,
    Agreement.NO_ANSWER: Recheck.NO_ANSWER,
    Agreement.NOT_WANTED: Recheck.NOT_WANTED,
}
"""What came of asking again, in a gate's words; of anything else, nothing was asked."""


def stored_for_audit(environment: Mapping[str, Any]) -> Iterator[StoredScores]:
    """The stored scores that an audit in hand used, as its environment says."""
    for fact in environment.get("stored_scores", ()):
        yield StoredScores(
            fact["system"], fact["task"], fact["corpus"], fact.get("first", ""),
            RECHECKS.get(fact["agreement"], Recheck.NOT_ASKED),
            fact["asked_again"], fact["few_for_price"], fact["reason"],
        )  # fmt: skip


def stored_in_folder(run: AuditRun, environment: object) -> Iterator[StoredScores]:
    """Of when the scores of an audit's folder are: as old as the oldest it used, else as itself.

    `environment` is as it stands in run.json, which anybody may have written.
    """
    about = environment if isinstance(environment, Mapping) else {}
    facts = about.get("stored_scores")
    for one in run.systems:
        key = (one.system, one.task, one.corpus)
        moments = [about.get("time")] + [
            fact.get("first")
            for fact in (facts if isinstance(facts, list) else ())
            if isinstance(fact, Mapping)
            and (fact.get("system"), fact.get("task"), fact.get("corpus")) == key
        ]
        read = [moment for moment in map(_moment, moments) if moment]
        yield StoredScores(*key, min(read).isoformat() if read else "", Recheck.FOLDER)


def _moment(text: object) -> datetime | None:
    """A moment as run.json writes it; nothing of what is none."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        return moment and moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _with_stored(decision: Decision, stored: Iterator[StoredScores]) -> Decision:
    """The decision, with the stored scores that its comparisons rest on."""
    judged = {(one.system, one.task, one.corpus) for one in decision.comparisons}
    used = (scores for scores in stored if (scores.system, scores.task, scores.corpus) in judged)
    return replace(decision, stored=tuple(used))


def check_gate(
    gate: Gate,
    corpus: object,
    reference: Mapping[str, str] | None = None,
    *,
    edition: str | None = None,
    mode: str = "corrected",
    measures: Sequence[str] = (),
    all_pairs: bool = False,
) -> None:
    """Raise now for a gate that would judge nothing later: asking a system may cost."""
    if mode != "corrected" or (measures and "pairs" not in measures):
        by_mode, by_measure = argument("mode"), argument("measures", "--measure")
        what = f"{by_mode} {mode}" if mode != "corrected" else f"{by_measure} {' '.join(measures)}"
        raise TiltmeterError(f"{what} has no verdicts; a gate needs {by_mode} corrected and pairs")
    corpora = corpora_given(corpus, edition)
    wanted = contrasts_wanted(corpora, reference or {}, all_pairs=all_pairs)
    for one, contrasts in zip(corpora, wanted, strict=True):
        by_axis: dict[str, list[str]] = {}
        for contrast in contrasts:
            by_axis.setdefault(contrast.axis, []).append(contrast.name)
        check_limits(gate, one.name, by_axis)


def margins_under(gate: Gate, besides: Margins) -> Margins:
    """The margins that a gate names; of what it does not name, as they stand."""
    named = {limit.name: limit.margin for limit in gate.limits}
    if EVERY in named:
        return Margins(named.pop(EVERY), named)
    kept = {
        name: margin
        for name, margin in besides.by_axis.items()
        if name.partition(":")[0] not in named
    }
    return Margins(besides.default, {**kept, **named})


def _decision(
    run: AuditRun, estimates: pl.DataFrame, gate: Gate, find: Find, runs: Sequence[Run]
) -> Decision:
    told = run.statistics
    by_axis = dict(told.margins)
    counted = Margins(by_axis.pop(DEFAULT), by_axis)
    margins = margins_under(gate, counted)
    axes = {axis.name for corpus in run.corpora for axis in corpus.axes}
    others = [axis for axis in axes if margins.of(axis) != counted.of(axis)]
    if any(gate.moved_limit(axis) for axis in others):
        held = [one for one in runs if isinstance(one, ScoreRun)]
        if len(held) < len(runs):
            what = "people moved would have to be counted anew, and it went by in parts"
            next_ = f"run the audit again with the {argument('margin')} of the gate"
            raise TiltmeterError(f"{what}: {next_}")
        claims = measure_claims(run, held, margins)
        estimates = pl.concat([estimates.filter(~is_claim()), claims], how="diagonal_relaxed")
    beside, populations = exclusions_of(run, estimates), population_words_in(run)
    phrases = {
        (corpus.name, axis.name, group): phrase
        for corpus in run.corpora
        for axis in corpus.axes
        for group, phrase in axis.phrases.items()
    }
    rule = Rule(told.correction, told.level, told.family if told.family_given else None)
    judged = judge_tilts(estimates, rule, margins, beside)
    moved = judge_people_moved(estimates, gate, margins, beside)
    decision = decide(
        with_next_steps(with_verdict_sentences(judged, phrases, populations), run), gate,
        with_moved_sentences(moved, phrases, populations),
    )  # fmt: skip
    comparisons = [
        replace(one, about_first=sides.first, about_second=sides.second, average=sides.average)
        if one.reference
        else one
        for one in decision.comparisons
        for sides in [sides_of(asdict(one), phrases)]
    ]
    missing = tuple(one.system for one in run.unavailable)
    return replace(
        with_worst(replace(decision, comparisons=tuple(comparisons)), find), unavailable=missing
    )


def exclusions_of(run: AuditRun, estimates: pl.DataFrame) -> Exclusions:
    """Controls and systems without a signal, which an audit judges apart."""
    if not run.statistics.apart:
        return Exclusions()
    spoken = {one.name: one.language for one in run.corpora}
    return find_exclusions(
        estimates,
        (
            AuditedSubmission(
                one.system, one.task, one.corpus, spoken[one.corpus], one.languages,
                one.control is not None,
            )
            for one in run.systems
        ),
    )  # fmt: skip


def no_signal_reasons(audit: AuditFolder, changes: pl.DataFrame, system: str) -> list[str | None]:
    """Why the version that a column names gives no signal, a reason for each change."""
    reasons = exclusions_of(audit.run, audit.claims).no_signal
    return [reasons.get(key) for key in changes.select(system, "task", "corpus").rows()]
