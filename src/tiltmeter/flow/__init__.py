"""The flow: the only place that knows all the rooms. `auditing` is the audit on one page."""

from tiltmeter.flow.asking import Forecast, ScoreRun, Spec, forecast, score
from tiltmeter.flow.auditing import Audit, audit

__all__ = ["Audit", "Forecast", "ScoreRun", "Spec", "audit", "forecast", "score"]
