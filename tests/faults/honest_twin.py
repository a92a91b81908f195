"""The audit that has the answers of a folder: what its verdicts have to be, whatever it says.

Nothing of the folder's findings or estimates is looked at. Its answers are those of systems made
for it, which are audited on its sentences as its run.json says that they were.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from msgspec.structs import asdict

import tiltmeter
from small_audit import write_folder
from tiltmeter.audit_run import AuditedCorpus, AuditRun
from tiltmeter.corpora import Axis, Corpus, PopulationSummary
from tiltmeter.schemas import SENTENCES
from tiltmeter.scoring import Settings
from tiltmeter.systems import Card, Control, Missing, Scale, System


class NoSuchAudit(Exception):  # noqa: N818 - nothing went wrong
    """No audit has these answers."""


def write_twin(folder: Path, to: Path, patch: pytest.MonkeyPatch) -> None:
    """Audit the answers in a folder anew, and write what that finds."""
    run = msgspec.convert(json.loads((folder / "run.json").read_bytes())["run"], AuditRun)
    names = ("sentences", "scores", "people")
    if odd := [name for name in names if not (folder / f"{name}.parquet").is_file()]:
        raise NoSuchAudit(f"no plain file holds its {odd[0]}")
    sentences, scores, people = (
        pl.read_parquet(folder / f"{name}.parquet", memory_map=False) for name in names
    )
    statistics, fitted = run.statistics, run.regression
    check_answers(run, sentences, scores)
    regression: dict[str, Any] = {}
    if "regression" in statistics.measures and fitted is not None:
        regression = {
            "formula": statistics.formula, "errors": fitted.errors, "precision": fitted.precision,
            "no_reference": fitted.no_reference,
            "subset": None if statistics.subset == "all" else statistics.subset,
        }  # fmt: skip
    result = tiltmeter.audit(
        systems_in(run, sentences, scores),
        [corpus_of(facts, sentences, people) for facts in run.corpora],
        correction=statistics.correction,
        family=statistics.family if statistics.family_given else None,
        level=statistics.level,
        mode=statistics.mode,
        margin=statistics.margins,
        threshold=statistics.thresholds,
        measures=statistics.measures,
        reference=statistics.reference,
        all_pairs=statistics.all_pairs,
        seed=statistics.seed,
        flips=statistics.flips,
        settings=Settings(max_missing=1.0),
        store=to.parent / "kept",
        **regression,
    )
    to.parent.mkdir(parents=True, exist_ok=True)
    write_folder(result, to, patch)


def check_answers(run: AuditRun, sentences: pl.DataFrame, scores: pl.DataFrame) -> None:
    """Raise where the answers are not one for each sentence from each system, and no more."""
    expected = {(it.system, it.task, it.corpus) for it in run.systems}
    keys = ["system", "task", "corpus"]
    if set(scores.select(keys).unique().rows()) != expected:
        raise NoSuchAudit("the scores are of other systems than run.json names")
    if {corpus for _, _, corpus in expected} != {facts.name for facts in run.corpora}:
        raise NoSuchAudit("the systems were asked on other corpora than run.json names")
    if set(sentences["corpus"].unique()) != {facts.name for facts in run.corpora}:
        raise NoSuchAudit("the sentences are of other corpora than run.json names")
    for key in expected:
        asked = sentences.filter(corpus=key[2])["id"].sort()
        answered = scores.filter(system=key[0], task=key[1], corpus=key[2])["id"].sort()
        if asked.n_unique() < asked.len() or not asked.equals(answered):
            raise NoSuchAudit(f"{key}: not one answer for each sentence")


def systems_in(run: AuditRun, sentences: pl.DataFrame, scores: pl.DataFrame) -> dict[str, System]:
    """The systems, each of which answers as the folder says it did."""
    systems = dict[str, System]()
    for facts in {it.system: it for it in run.systems}.values():
        if len({it.task for it in run.systems if it.system == facts.system}) > 1:
            raise NoSuchAudit("here a system has one task")
        declared = facts.scale_ends is not None and facts.scale_known == "declared"
        card = Card(
            facts.system, facts.task, Scale(*facts.scale_ends) if declared else None,
            facts.languages, facts.version, facts.licence,
            control=Control(facts.control) if facts.control else None,
        )  # fmt: skip
        given = scores.filter(system=facts.system, task=facts.task)
        texts = sentences.select("corpus", "id", "text")
        rows = given.join(texts, on=["corpus", "id"]).select("text", "raw", "reason").unique()
        if rows["text"].n_unique() < rows.height:
            raise NoSuchAudit(f"{facts.system} answers the same text in two ways")
        answers = {
            text: Missing(reason or "no reason is stated") if raw is None else raw
            for text, raw, reason in rows.rows()
        }
        systems[facts.system] = System(card, answering(answers))
    return systems


def answering(answers: dict[str, Any]) -> Any:
    """A function that gives the answers."""

    def score(texts: Sequence[str]) -> list[Any]:
        return [answers[text] for text in texts]

    return score


def corpus_of(facts: AuditedCorpus, sentences: pl.DataFrame, people: pl.DataFrame) -> Corpus:
    """A corpus of the folder's sentences and people."""
    names = {*SENTENCES.columns, *(axis.name for axis in facts.axes)}
    here = sentences.filter(corpus=facts.name)
    here = here.select(name for name in here.columns if name in names)
    axes = tuple(
        Axis(axis.name, axis.groups, tuple(axis.phrases[group] for group in axis.groups))
        for axis in facts.axes
    )
    for axis in axes:
        if strangers := set(here[axis.name].drop_nulls()) - set(axis.groups):
            raise NoSuchAudit(f"the axis {axis.name} has the groups {strangers} besides")
    return Corpus(
        facts.name, facts.title, facts.edition, facts.language, axes, here.height,
        here.iter_slices, drawn=people.filter(corpus=facts.name),
        drawn_from=PopulationSummary(**asdict(facts.population)) if facts.population else None,
    )  # fmt: skip
