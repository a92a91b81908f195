"""The findings room: what may be claimed. Estimates in; findings out."""

from tiltmeter.findings.deciding import check_limits, decide
from tiltmeter.findings.decision import EXIT_CODES, Decision, Gated, Pair
from tiltmeter.findings.drift import Mean, drift_test, drift_verdict
from tiltmeter.findings.enlarging import uncertainty
from tiltmeter.findings.gate import EVERY, Gate, Limit, gate_given, margin_given, parse_gate
from tiltmeter.findings.judge import ALL, KEYS, Rule, judged
from tiltmeter.findings.judge_changes import judged_changes
from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN
from tiltmeter.findings.reaching import Reach, reach
from tiltmeter.findings.signal import Apart, Audited, apart
from tiltmeter.findings.tilts import TILT, judged_tilts
from tiltmeter.findings.verdict import (
    NO_SIGNAL,
    TILTED,
    Margins,
    p_beyond,
    p_within,
    thresholds,
)

__all__ = [
    "ALL",
    "CORRECTIONS",
    "EVERY",
    "EXIT_CODES",
    "KEYS",
    "NO_SIGNAL",
    "SPOKEN",
    "TILT",
    "TILTED",
    "Apart",
    "Audited",
    "Decision",
    "Gate",
    "Gated",
    "Limit",
    "Margins",
    "Mean",
    "Pair",
    "Reach",
    "Rule",
    "apart",
    "check_limits",
    "decide",
    "drift_test",
    "drift_verdict",
    "gate_given",
    "judged",
    "judged_changes",
    "judged_tilts",
    "margin_given",
    "p_beyond",
    "p_within",
    "parse_gate",
    "reach",
    "thresholds",
    "uncertainty",
]
