"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page.

Each name is imported when it is first used: `tiltmeter try` need not wait for every report's pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
else:
    from tiltmeter.lazy import lazy_names

    __getattr__ = lazy_names(__name__, {
        "asking": ("ScoreRun",),
        "assessing": ("skill",),
        "auditing": ("Audit", "audit"),
        "carding": ("ModelCard", "model_cards"),
        "comparing": ("Versions", "compare"),
        "drifting": ("Drift", "drift"),
        "embedding": ("Embeddings", "assess_embeddings"),
        "flipping": ("thresholds_said",),
        "forecasting": ("Forecast", "forecast"),
        "gating": ("check_gate", "gate_folder", "gate_of"),
        "grid": ("Grid", "Watch", "train_grid"),
        "grid_cells": ("Cell",),
        "labelled": ("gold_given",),
        "packing": ("fingerprint_of", "pack"),
        "planning": ("TYPICAL", "Plan", "plan"),
        "rating": ("Ratings", "rate", "rated_sentences"),
        "reproducing": ("reproduce",),
        "runs": ("Run", "score"),
        "stated": ("Skill",),
        "subjects": ("Spec", "Specs"),
        "submission_check": ("SubmissionCheck", "check_submissions"),
        "training": ("Trained", "train"),
        "trying": ("Trial", "Tried", "try_sentence", "try_systems", "variants"),
        "unavailable": ("Unavailable", "unavailable_facts", "unavailable_in"),
        "verifying": ("Check", "Verified", "verify"),
    })  # fmt: skip

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
