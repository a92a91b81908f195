"""One assessed system for model cards, made by hand."""

import msgspec
import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.schemas import ESTIMATES, FINDINGS
from tiltmeter.studies.audit.model_card import assessed


def finding(**given):
    row = dict.fromkeys(FINDINGS.columns) | {
        "id": "0", "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "mode": "corrected", "axis": "gender", "contrast": "female-male", "subset": "all",
        "measure": "tilt", "value": 0.0012, "low": -0.0011, "high": 0.0035, "p": 0.3,
        "p_adjusted": 0.6, "family": 2, "n": 1584, "significance": "none", "verdict": "even",
        "margin": 0.01, "rule": "by a rule", "sentence": "Equivalent within 1 point of 100.",
    }  # fmt: skip
    return row | given


def estimate(**given):
    row = dict.fromkeys(ESTIMATES.columns) | {
        "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "mode": "corrected", "axis": "gender", "contrast": "female-male", "reference": "male",
        "subset": "all", "measure": "tilt", "value": 0.0012, "unit": "scale", "n": 1584,
        "n_dropped": 0,
    }  # fmt: skip
    return row | given


def run(system="vader", title="Equity Evaluation Corpus", corpus="eec"):
    told = {
        "corpora": [
            {
                "name": corpus, "title": title, "edition": "corrected", "language": "en",
                "sentences": 8640, "checksum": "24b0", "sample": "",
                "pairs": [{"axis": "gender", "contrast": "female-male", "pairs": 1584}],
            }
        ],
        "systems": [
            {
                "system": system, "task": "valence", "corpus": corpus, "version": "3.3.2",
                "fingerprint": "b243", "scale": "−1 to 1", "missing": 0,
            }
        ],
        "statistics": {
            "mode": "corrected", "correction": "bonferroni", "family": 2, "level": 0.05, "seed": 0,
        },
    }  # fmt: skip
    return msgspec.convert(told, AuditRun)


def estimates(rows):
    kinds = {"Float64": pl.Float64, "Int64": pl.Int64, "String": pl.String}
    schema = {name: kinds[column.dtype] for name, column in ESTIMATES.columns.items()}
    return pl.DataFrame(rows, schema)


def card_of(findings, rows=(), told=None, command="tiltmeter audit vader"):
    """What a card tells of, of the first system."""
    table = estimates(list(rows) or [estimate()])
    environment = {
        "versions": {"tiltmeter": "0.1.0"}, "command": command, "time": "2026-11-16T19:30:08+00:00",
    }  # fmt: skip
    return assessed(findings, table, told or run(), environment)[0]
