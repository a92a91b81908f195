"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page."""

from tiltmeter.flow.asking import Forecast, ScoreRun, forecast, score
from tiltmeter.flow.auditing import Audit, audit
from tiltmeter.flow.subjects import Spec, Specs
from tiltmeter.flow.trying import Tried, try_sentence, variants

__all__ = [
    "Audit",
    "Forecast",
    "ScoreRun",
    "Spec",
    "Specs",
    "Tried",
    "audit",
    "forecast",
    "score",
    "try_sentence",
    "variants",
]
