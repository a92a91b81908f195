"""A gate held against an audit, in hand or in its folder: both go the same way to one decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import (
    ALL,
    EVERY,
    Apart,
    Audited,
    Decision,
    Gate,
    Margins,
    Rule,
    apart,
    check_limits,
    decide,
    gate_given,
    judged_tilts,
)
from tiltmeter.flow.run_shape import check_estimates, check_run_shape, said_of
from tiltmeter.flow.wanted import contrasts_wanted, corpora_given
from tiltmeter.flow.worst_pairs import MOST_READ, Find, among_runs, among_tables, with_worst
from tiltmeter.measures import SIGNAL, signal_estimates
from tiltmeter.reading import parquet_frame
from tiltmeter.report import Evidence, evidence_in, sides_of, with_verdict_sentences
from tiltmeter.tables import SCORES, SENTENCES, validate

if TYPE_CHECKING:
    from tiltmeter.flow.audit_folder import AuditFolder
    from tiltmeter.flow.auditing import Audit


def gate_of(audit: Audit, gate: object, undecided: str | None = None) -> Decision:
    """What a gate says of an audit; its comparisons are judged against the gate's margins.

    `gate` is text, as in "gender<=0.01, race<=0.01", a table of margins, or a Gate; `undecided` is
    fail or pass.
    """
    asked = gate_given(gate, undecided)
    return _decided(audit.run, audit.measured, asked, among_runs(audit.runs, audit.studies))


def gate_folder(path: Path | str, gate: object, undecided: str | None = None) -> Decision:
    """The same of an audit's output folder or evidence pack, each file held against its digest."""
    asked = gate_given(gate, undecided)
    with evidence_in(Path(path)) as found:
        run = found.json("run.json").get("run", {})
        with said_of(found.where):
            check_run_shape(run)
        estimates = check_estimates(_table(found, "estimates.parquet"), Path(path))
        if "apart" not in run["statistics"]:
            run, estimates = _with_signal(found, run, estimates)
        return _decided(run, estimates, asked, _in_tables(found))


def _with_signal(
    found: Evidence, run: Mapping[str, Any], estimates: pl.DataFrame
) -> tuple[Mapping[str, Any], pl.DataFrame]:
    """An older audit, which did not look for a signal, with what its own scores show of it.

    Without this a system that answers the same to every word would pass as even. What languages a
    system reads such a folder does not say. Beyond `MOST_READ` scores it is left as it is.
    """
    scores = _table(found, "scores.parquet")
    if scores.height > MOST_READ:
        return run, estimates
    sentences = _table(found, "sentences.parquet")
    for name, table, schema in (("scores", scores, SCORES), ("sentences", sentences, SENTENCES)):
        validate(table, schema, where=f"{found.where}: {name}.parquet")
    heard = [
        signal_estimates(part, scores.filter(corpus=corpus))
        for (corpus,), part in sentences.group_by("corpus", maintain_order=True)
    ]
    known = estimates.filter(pl.col("measure") != SIGNAL)
    statistics = {**run["statistics"], "apart": True}
    return {**run, "statistics": statistics}, pl.concat([known, *heard], how="diagonal_relaxed")


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
        what = f"--mode {mode}" if mode != "corrected" else f"--measure {' '.join(measures)}"
        raise TiltmeterError(f"{what} has no verdicts; a gate needs --mode corrected and pairs")
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


def _decided(run: Mapping[str, Any], estimates: pl.DataFrame, gate: Gate, find: Find) -> Decision:
    gated = estimates.filter(pl.col("subset") == ALL)  # each subset is a family of its own
    margins = margins_under(gate, _margins(run))
    judged = judged_tilts(gated, _rule(run), margins, apart_in(run, estimates))
    phrases = _phrases(run)
    decision = decide(with_verdict_sentences(judged, phrases), gate)
    missing = tuple(str(one["system"]) for one in run.get("unavailable", ()))
    return replace(with_worst(_spoken(decision, phrases), find), unavailable=missing)


def apart_in(run: Mapping[str, Any], estimates: pl.DataFrame) -> Apart:
    """Who was judged apart in an audit, as its run.json and estimates say; nobody in an older."""
    if not run["statistics"].get("apart"):
        return Apart()
    spoken = {one["name"]: one["language"] for one in run["corpora"]}
    return apart(
        estimates,
        (
            Audited(
                one["system"], one["task"], one["corpus"], spoken[one["corpus"]],
                tuple(one.get("languages", ())), one.get("control") is not None,
            )
            for one in run["systems"]
        ),
    )  # fmt: skip


def silent_in(audit: AuditFolder, changes: pl.DataFrame, system: str) -> list[str | None]:
    """Why the version that a column names gives no signal, as its audit found.

    An older audit did not look.
    """
    said = audit.run.get("statistics")
    if not isinstance(said, dict) or not said.get("apart"):
        return [None] * changes.height
    check_run_shape(audit.run)
    found = apart_in(audit.run, audit.estimates).no_signal
    return [found.get(key) for key in changes.select(system, "task", "corpus").rows()]


def _spoken(decision: Decision, phrases: Mapping[tuple[str, str, str], str]) -> Decision:
    """The decision, each comparison with how its groups' sentences are spoken of."""
    return replace(
        decision,
        comparisons=tuple(
            replace(one, about_first=sides.first, about_second=sides.second, average=sides.average)
            for one in decision.comparisons
            for sides in [sides_of(asdict(one), phrases)]
        ),
    )


def _rule(run: Mapping[str, Any]) -> Rule:
    told = run["statistics"]
    family = told["family"] if told["family_given"] else None
    return Rule(told["correction"], told["level"], family)


def _margins(run: Mapping[str, Any]) -> Margins:
    told = dict(run["statistics"].get("margins") or {})
    return Margins(told.pop("default", Margins().default), told)


def _phrases(run: Mapping[str, Any]) -> dict[tuple[str, str, str], str]:
    """By corpus, axis and group: how findings speak of the group's sentences."""
    return {
        (corpus["name"], axis["name"], group): phrase
        for corpus in run["corpora"]
        for axis in corpus["axes"]
        for group, phrase in axis["phrases"].items()
    }


def _table(found: Evidence, name: str) -> pl.DataFrame:
    try:
        return parquet_frame(found.read(name))
    except OSError as error:
        raise TiltmeterError(f"{found.where}: {name}: {error.strerror}") from error


def _in_tables(found: Evidence) -> Find:
    """Looks for pairs in a folder's tables, which are read when the first is asked for."""
    tables: list[Find] = []

    def find(one: Any) -> Any:  # noqa: ANN401 - as the finder within
        if not tables:
            scores = _table(found, "scores.parquet")
            few = scores.height <= MOST_READ
            sentences = _table(found, "sentences.parquet") if few else None
            tables.append((lambda _: ()) if sentences is None else among_tables(sentences, scores))
        return tables[0](one)

    return find
