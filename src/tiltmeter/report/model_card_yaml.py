"""A system's tilt as Hugging Face's model-card metadata: one `model-index` entry with its results.

The schema is that of huggingface.co/docs/hub/model-cards: task, dataset and metrics, a metric a
comparison. What has no number has no metric; the section in Markdown says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.report.card_facts import CLAIMS, SKILL, TILT, Assessed
from tiltmeter.report.slugs import slug
from tiltmeter.report.yaml_text import yaml_text

Row = Mapping[str, Any]
TASK_TYPE = "text-classification"
HEAD = (
    "# Paste into the block between the two --- lines at the head of the model card (README.md).\n"
    "# A metric's value is the mean difference in parts of the scale: the first group minus the\n"
    "# second. Its verdict holds for this margin, corpus and version, no further.\n"
)


def card_yaml(of: Assessed) -> str:
    """One system's metadata, ready to be pasted."""
    results = list(_results(of))
    if not results:
        return "# No difference could be estimated, so there is nothing to list.\n{}\n"
    return HEAD + yaml_text({"model-index": [{"name": of.system, "results": results}]})


def _results(of: Assessed) -> Iterator[dict[str, Any]]:
    for one in of.systems:
        corpus = next(each for each in of.corpora if each.name == one.corpus)
        metrics = list(_metrics(of, one.task, corpus.name))
        if metrics:
            yield {
                "task": {"type": TASK_TYPE, "name": f"sentiment: {one.task}"},
                "dataset": {
                    "name": corpus.title,
                    "type": slug(corpus.name),
                    "config": corpus.edition,
                    "revision": corpus.checksum,
                },
                "metrics": metrics,
            }
    for skill in of.estimated(*SKILL):
        if skill["value"] is not None:
            yield {
                "task": {"type": TASK_TYPE, "name": f"sentiment: {skill['task']}"},
                "dataset": {"name": skill["corpus"], "type": slug(skill["corpus"])},
                "metrics": [
                    {
                        "type": f"{skill['measure']}r",
                        "name": skill["measure"],
                        "value": skill["value"],
                    }
                ],
            }


def _metrics(of: Assessed, task: str, corpus: str) -> Iterator[dict[str, Any]]:
    """A metric for each comparison, of the verdicts where there are some, else of these pairs."""
    rows = of.of(TILT) or of.of("mean_difference")
    for row in rows:
        if row["task"] == task and row["corpus"] == corpus and row["value"] is not None:
            yield {
                "type": row["measure"],
                "name": _named(row),
                "value": row["value"],
                "args": _args(of, row),
            }


def _named(row: Row) -> str:
    """What a metric is of: measure, axis, contrast, and whom a claim is about."""
    kind = f", by {row['subset']}" if row["subset"] in CLAIMS else ""
    return f"{row['measure'].replace('_', ' ')}, {row['axis']}: {row['contrast']}{kind}"


def _args(of: Assessed, row: Row) -> dict[str, Any]:
    told = {
        "verdict": row["verdict"],
        "margin": row["margin"],
        "low": row["low"],
        "high": row["high"],
        "unit": of.unit(row),
        row["subset"] if row["subset"] in CLAIMS else "pairs": row["n"],
        "moved": sum(one["moved"] for one in row["moved"]) if row.get("moved") else None,
        "tool": f"tiltmeter {of.version}".strip(),
    }
    return {name: value for name, value in told.items() if value is not None}
