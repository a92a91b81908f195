"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page.

Each name is imported when it is first used: `tiltmeter try` need not wait for every report's pages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltmeter.flow.asking import ScoreRun
    from tiltmeter.flow.assessing import skill
    from tiltmeter.flow.auditing import Audit, audit
    from tiltmeter.flow.carding import ModelCard, model_cards
    from tiltmeter.flow.comparing import Versions, compare
    from tiltmeter.flow.drifting import Drift, drift
    from tiltmeter.flow.embedding import Embeddings, assess_embeddings
    from tiltmeter.flow.flipping import thresholds_said
    from tiltmeter.flow.forecasting import Forecast, forecast
    from tiltmeter.flow.gating import check_gate, gate_folder, gate_of
    from tiltmeter.flow.grid import Grid, Watch, train_grid
    from tiltmeter.flow.grid_cells import Cell
    from tiltmeter.flow.labelled import gold_given
    from tiltmeter.flow.packing import fingerprint_of, pack
    from tiltmeter.flow.planning import TYPICAL, Plan, plan
    from tiltmeter.flow.rating import Ratings, rate, rated_sentences
    from tiltmeter.flow.reproducing import reproduce
    from tiltmeter.flow.runs import Run, score
    from tiltmeter.flow.stated import Skill
    from tiltmeter.flow.subjects import Spec, Specs
    from tiltmeter.flow.submission_check import SubmissionCheck, check_submissions
    from tiltmeter.flow.training import Trained, train
    from tiltmeter.flow.trying import Trial, Tried, try_sentence, try_systems, variants
    from tiltmeter.flow.unavailable import Unavailable, unavailable_facts, unavailable_in
    from tiltmeter.flow.verifying import Check, Verified, verify

__all__ = [
    "TYPICAL",
    "Audit",
    "Cell",
    "Check",
    "Drift",
    "Embeddings",
    "Forecast",
    "Grid",
    "ModelCard",
    "Plan",
    "Ratings",
    "Run",
    "ScoreRun",
    "Skill",
    "Spec",
    "Specs",
    "SubmissionCheck",
    "Trained",
    "Trial",
    "Tried",
    "Unavailable",
    "Verified",
    "Versions",
    "Watch",
    "assess_embeddings",
    "audit",
    "check_gate",
    "check_submissions",
    "compare",
    "drift",
    "fingerprint_of",
    "forecast",
    "gate_folder",
    "gate_of",
    "gold_given",
    "model_cards",
    "pack",
    "plan",
    "rate",
    "rated_sentences",
    "reproduce",
    "score",
    "skill",
    "thresholds_said",
    "train",
    "train_grid",
    "try_sentence",
    "try_systems",
    "unavailable_facts",
    "unavailable_in",
    "variants",
    "verify",
]

_HOMES = {
    "TYPICAL": "planning",
    "Audit": "auditing",
    "Cell": "grid_cells",
    "Check": "verifying",
    "Drift": "drifting",
    "Embeddings": "embedding",
    "Forecast": "forecasting",
    "Grid": "grid",
    "Plan": "planning",
    "ModelCard": "carding",
    "Ratings": "rating",
    "Run": "runs",
    "ScoreRun": "asking",
    "Skill": "stated",
    "Spec": "subjects",
    "Specs": "subjects",
    "SubmissionCheck": "submission_check",
    "Trained": "training",
    "Trial": "trying",
    "Tried": "trying",
    "Unavailable": "unavailable",
    "Verified": "verifying",
    "Versions": "comparing",
    "Watch": "grid",
    "assess_embeddings": "embedding",
    "audit": "auditing",
    "compare": "comparing",
    "drift": "drifting",
    "check_gate": "gating",
    "check_submissions": "submission_check",
    "fingerprint_of": "packing",
    "forecast": "forecasting",
    "gate_folder": "gating",
    "gate_of": "gating",
    "gold_given": "labelled",
    "model_cards": "carding",
    "pack": "packing",
    "plan": "planning",
    "rate": "rating",
    "rated_sentences": "rating",
    "reproduce": "reproducing",
    "score": "runs",
    "skill": "assessing",
    "thresholds_said": "flipping",
    "train": "training",
    "train_grid": "grid",
    "try_sentence": "trying",
    "try_systems": "trying",
    "unavailable_facts": "unavailable",
    "unavailable_in": "unavailable",
    "variants": "trying",
    "verify": "verifying",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltmeter.flow' has no attribute {name!r}")
    return getattr(import_module(f"tiltmeter.flow.{_HOMES[name]}"), name)
