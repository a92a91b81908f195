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
    from tiltmeter.studies.audit.explain import explain
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
    from tiltmeter.studies.explain.study import Explanation
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

    __getattr__, __all__ = lazy_names(__name__)
