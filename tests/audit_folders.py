"""Audits' folders made from scores in hand: all that is read back, without pages and figures."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import polars as pl
from msgspec import structs

from tiltmeter.audit_run import GoldSource
from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.report.folder import results_in
from tiltmeter.schemas import PEOPLE, SENTENCES
from tiltmeter.scoring import ScaleSource, assemble, on_scale, texts_of
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.findings import findings_json
from tiltmeter.studies.audit.options import Statistics, contrasts_wanted
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.run import Wanted
from tiltmeter.systems import UNIT, Card


def sentences_of(frames=24, corpus="eec", edition=None, skip=0):
    """Some whole frames of a corpus, spread over its templates."""
    every = load_corpus(corpus, edition).sentences()
    names = every["frame"].unique(maintain_order=True).to_list()
    step = max(1, len(names) // frames)
    return every.filter(pl.col("frame").is_in(names[skip::step][:frames]))


def scored(sentences, name, values, task="valence"):
    """A scores table; `values` is (sentences,) or (repeats, sentences)."""
    rounds = np.atleast_2d(np.asarray(values, float))
    parts = [
        pl.DataFrame(
            {
                "system": [name] * sentences.height, "task": [task] * sentences.height,
                "corpus": sentences["corpus"], "id": sentences["id"],
                "repeat": [nth] * sentences.height,
                "raw": pl.Series(one).fill_nan(None), "score": pl.Series(one).fill_nan(None),
                "reason": pl.Series([None] * sentences.height, dtype=pl.String),
            }
        )
        for nth, one in enumerate(rounds)
    ]  # fmt: skip
    return pl.concat(parts)


WORDS = 0.05
"""How much higher every other emotion word is scored."""


def tilted(sentences, tilt=0.0, noise=0.01, seed=0, axis="gender", first="female"):
    """Scores around 0.5: so much higher for a group, with noise of its own."""
    rng = np.random.default_rng(seed)
    raised = (sentences[axis] == first).fill_null(False).to_numpy()
    known = sentences[axis].is_not_null().to_numpy()
    word = sentences["emotion_word"].rank("dense").fill_null(0).to_numpy()
    read = max(WORDS, 2 * noise) * (word % 2)  # else no signal, and no verdict
    return 0.5 + read + tilt * (raised - 0.5 * known) + noise * rng.standard_normal(len(known))


def run_of(sentences, scores):
    """The scores of one corpus, on the scale from 0 to 1 where they have one."""
    name, edition, language = sentences.select("corpus", "edition", "language").row(0)
    axes = tuple(axis for axis in load_corpus(name).axes if axis.name in sentences.columns)
    names = [*SENTENCES.columns, *(axis.name for axis in axes)]
    sentences = sentences.select(column for column in sentences.columns if column in names)
    people = pl.DataFrame(
        schema={column: getattr(pl, facts.dtype) for column, facts in PEOPLE.columns.items()}
    )
    corpus = Corpus(
        name, name, edition, language, axes, sentences.height, sentences.iter_slices, drawn=people
    )
    every = []
    for system, task in scores.select("system", "task").unique(maintain_order=True).rows():
        own = scores.filter(system=system, task=task)
        bare = own["score"].null_count() == own.height
        answers = own.join(sentences.select("id", "text"), on="id", maintain_order="left")
        every.append(
            assemble(
                Card(system, task, version="1"), texts_of(sentences),
                answers.select("id", "text", "repeat", "raw", "reason"),
                repeats=own["repeat"].n_unique(), scale=None if bare else UNIT,
            )
        )  # fmt: skip
        if bare:
            known = replace(every[-1].resolved_scale, scale=None, known=ScaleSource.UNBOUNDED)
            every[-1] = on_scale(every[-1], known)
    return ScoreRun(corpus, sentences, tuple(every))


def write_audit(folder, sentences, scores, *, gold=None, sha="f" * 64, measures=("pairs",), **more):
    """What `tiltmeter audit` leaves for other commands; `gold` is r by system."""
    runs = [
        run_of(
            part.select(column for column in part if column.null_count() < part.height),
            scores.filter(corpus=corpus),
        )
        for (corpus,), part in sentences.group_by("corpus", maintain_order=True)
    ]
    how = Statistics(Wanted(measures, Model(), False, None), flips=0)
    found = analyse(runs, contrasts_wanted([run.corpus for run in runs], {}), how)
    systems = tuple(
        structs.replace(one, **{"fingerprint": one.system} | more) for one in found.run.systems
    )
    run = structs.replace(found.run, systems=systems)
    estimates = found.estimates
    if gold:
        run = structs.replace(run, gold=GoldSource(files=({"path": "gold.csv", "sha256": sha},)))
        rows = [gold_row(estimates, system, r) for system, r in gold.items()]
        estimates = pl.concat([estimates, *rows])
    made = {"versions": versions_here(), "command": "", "time": "2026-01-01T00:00:00+00:00"}
    found = replace(found, run=run, environment=made)
    with results_in(folder, run, made) as writer:
        writer.text("findings.json", findings_json(found))
        writer.parquet("sentences.parquet", found.sentences, {})
        writer.parquet("people.parquet", found.people, {})
        writer.parquet("scores.parquet", found.scores, {})
        writer.parquet("estimates.parquet", estimates, {})
    return folder


def reseal(folder, *_):
    """Make the digests in run.json fit the files as they are now, after what was done to them."""
    run = json.loads((folder / "run.json").read_text())
    for entry in run["files"]:
        entry["sha256"] = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def gold_row(like, system, r):
    """Pearson's r of 100 gold texts, with Fisher's interval."""
    z, reach = np.arctanh(r), 1.96 / np.sqrt(97)
    told = {
        "system": system, "task": "valence", "corpus": "gold.csv", "edition": "",
        "mode": "corrected", "axis": "", "contrast": "",
        "reference": "", "subset": "gold", "measure": "pearson",
        "value": r, "unit": "correlation", "low": float(np.tanh(z - reach)),
        "high": float(np.tanh(z + reach)), "n": 100, "n_dropped": 0,
    }  # fmt: skip
    empty = dict.fromkeys(set(like.columns) - set(told))
    return pl.DataFrame([told | empty], schema=like.schema)
