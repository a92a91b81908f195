"""Audits' folders made from scores in hand: the tables and run.json, without pages and figures."""

import numpy as np
import polars as pl

from tiltmeter.corpora import load_corpus
from tiltmeter.report.folder import results_in
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.pairs import pair_study

GROUPS = {
    "gender": ["female", "male"],
    "race": ["African American", "European American"],
}


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


def tilted(sentences, tilt=0.0, noise=0.01, seed=0, axis="gender", first="female"):
    """Scores around 0.5: so much higher for a group, with noise of its own."""
    rng = np.random.default_rng(seed)
    raised = (sentences[axis] == first).fill_null(False).to_numpy()
    known = sentences[axis].is_not_null().to_numpy()
    return 0.5 + tilt * (raised - 0.5 * known) + noise * rng.standard_normal(sentences.height)


def facts(scores, **more):
    keys = scores.select("system", "task", "corpus").unique(maintain_order=True).to_dicts()
    return [
        row | {"version": "1", "fingerprint": row["system"], "scale": "0 to 1", "missing": 0} | more
        for row in keys
    ]


def write_audit(folder, sentences, scores, *, gold=None, **more):
    """What `tiltmeter audit` leaves for other commands; `gold` is r by system."""
    estimates = []
    for (corpus,), part in sentences.group_by("corpus", maintain_order=True):
        axes = {name: groups for name, groups in GROUPS.items() if name in part.columns}
        contrasts = [one for name, groups in axes.items() for one in contrasts_of(name, groups)]
        own = scores.filter(pl.col("corpus") == corpus)
        estimates.append(pair_study(part, own, contrasts, flips=0).estimates)
    for system, r in (gold or {}).items():
        estimates.append(gold_row(estimates[0], system, r))
    run = {"corpora": [], "systems": facts(scores, **more), "statistics": {}}
    if gold:
        run["gold"] = {"files": [{"path": "gold.csv", "sha256": more.get("sha", "f" * 64)}]}
    with results_in(folder, run, {"versions": {"tiltmeter": "0.1.0"}}) as writer:
        writer.parquet("sentences.parquet", sentences, {})
        writer.parquet("scores.parquet", scores, {})
        writer.parquet("estimates.parquet", pl.concat(estimates), {})
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
