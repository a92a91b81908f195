"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page."""

from tiltmeter.flow.asking import Forecast, ScoreRun, forecast, score
from tiltmeter.flow.auditing import Audit, audit
from tiltmeter.flow.subjects import Spec, Specs
from tiltmeter.flow.training import Trained, train
from tiltmeter.flow.trying import Tried, try_sentence, variants

__all__ = [
    "Audit",
    "Forecast",
    "ScoreRun",
    "Spec",
    "Specs",
    "Trained",
    "Tried",
    "audit",
    "forecast",
    "score",
    "train",
    "try_sentence",
    "variants",
]
