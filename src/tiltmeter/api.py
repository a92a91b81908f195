"""What the command line and Python call, each name imported when it is first used.

`tiltmeter try` need not wait for every report's pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.scoring.corpus_scores import Run, score
    from tiltmeter.scoring.forecast import Forecast, forecast
    from tiltmeter.scoring.open_systems import Spec, Specs
    from tiltmeter.scoring.provenance import Unavailable, unavailable_facts, unavailable_in
    from tiltmeter.scoring.scoring_run import ScoreRun
    from tiltmeter.scoring.trial import Trial, Tried, try_sentence, try_systems, variants
    from tiltmeter.studies.audit.gate import check_gate, gate_folder, gate_of
    from tiltmeter.studies.audit.options import thresholds_from
    from tiltmeter.studies.audit.results import Audit
    from tiltmeter.studies.audit.run import audit
    from tiltmeter.studies.audit.submission_check import SubmissionCheck, check_submissions
    from tiltmeter.studies.audit.verify import (
        Check,
        ModelCard,
        Verified,
        fingerprint_of,
        model_cards,
        pack,
        verify,
    )
    from tiltmeter.studies.embeddings.run import assess_embeddings
    from tiltmeter.studies.embeddings.study import Embeddings
    from tiltmeter.studies.planning.run import TYPICAL, Plan, plan
    from tiltmeter.studies.rating.run import rate, rated_sentences
    from tiltmeter.studies.rating.study import Ratings
    from tiltmeter.studies.skill.gold import gold_given
    from tiltmeter.studies.skill.run import Skill, skill
    from tiltmeter.studies.training.grid import GridCell, TrainedGrid, Watch, train_grid
    from tiltmeter.studies.training.reproduce import reproduce
    from tiltmeter.studies.training.run import Trained, train
    from tiltmeter.studies.versions.compare import Versions, compare
    from tiltmeter.studies.versions.drift import Drift, drift
else:
    from tiltmeter.lazy import lazy_names

    __getattr__ = lazy_names("tiltmeter", {
        "scoring.open_systems": ("Spec", "Specs"),
        "scoring.provenance": ("Unavailable", "unavailable_facts", "unavailable_in"),
        "scoring.scoring_run": ("ScoreRun",),
        "scoring.trial": ("Trial", "Tried", "try_sentence", "try_systems", "variants",),
        "scoring.corpus_scores": ("Run", "score",),
        "scoring.forecast": ("Forecast", "forecast",),
        "studies.audit.gate": ("check_gate", "gate_folder", "gate_of",),
        "studies.audit.options": ("thresholds_from",),
        "studies.audit.results": ("Audit",),
        "studies.audit.run": ("audit",),
        "studies.audit.submission_check": ("SubmissionCheck", "check_submissions",),
        "studies.audit.verify": ("Check", "ModelCard", "Verified", "fingerprint_of",
            "model_cards", "pack", "verify",),
        "studies.embeddings.run": ("assess_embeddings",),
        "studies.embeddings.study": ("Embeddings",),
        "studies.planning.run": ("Plan", "TYPICAL", "plan",),
        "studies.rating.run": ("rate", "rated_sentences"),
        "studies.rating.study": ("Ratings",),
        "studies.skill.gold": ("gold_given",),
        "studies.skill.run": ("Skill", "skill",),
        "studies.training.grid": ("GridCell", "TrainedGrid", "Watch", "train_grid",),
        "studies.training.reproduce": ("reproduce",),
        "studies.training.run": ("Trained", "train",),
        "studies.versions.compare": ("Versions", "compare",),
        "studies.versions.drift": ("Drift", "drift",),
    }, door=__name__)  # fmt: skip

__all__ = [
    "TYPICAL",
    "Audit",
    "Check",
    "Drift",
    "Embeddings",
    "Forecast",
    "GridCell",
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
    "TrainedGrid",
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
    "thresholds_from",
    "train",
    "train_grid",
    "try_sentence",
    "try_systems",
    "unavailable_facts",
    "unavailable_in",
    "variants",
    "verify",
]
