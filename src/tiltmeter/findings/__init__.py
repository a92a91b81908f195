"""The findings room: what may be claimed. Estimates in; findings out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.findings.deciding import check_limits, decide
    from tiltmeter.findings.decision import EXIT_CODES, Decision, Gated, Pair
    from tiltmeter.findings.drift import Mean, drift_test, drift_verdict
    from tiltmeter.findings.gate import (
        EVERY,
        Gate,
        Limit,
        MovedLimit,
        gate_given,
        margin_given,
        parse_gate,
    )
    from tiltmeter.findings.judge import ALL, KEYS, Rule, judged
    from tiltmeter.findings.judge_changes import judged_changes
    from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN
    from tiltmeter.findings.people_moved import judged_moved
    from tiltmeter.findings.power import Reach, reach
    from tiltmeter.findings.signal import Apart, Audited, apart
    from tiltmeter.findings.tilts import COUPLES, KINDS, NAMES, TILT, judged_tilts, moved_among
    from tiltmeter.findings.verdict import (
        NO_SIGNAL,
        TILTED,
        Margins,
        p_beyond,
        p_within,
        thresholds,
    )
else:
    from tiltmeter.lazy import lazy_names

    __getattr__ = lazy_names(__name__, {
        "deciding": ("check_limits", "decide"),
        "decision": ("EXIT_CODES", "Decision", "Gated", "Pair"),
        "drift": ("Mean", "drift_test", "drift_verdict"),
        "gate": ("EVERY", "Gate", "Limit", "MovedLimit", "gate_given", "margin_given",
            "parse_gate"),
        "judge": ("ALL", "KEYS", "Rule", "judged"),
        "judge_changes": ("judged_changes",),
        "multiplicity": ("CORRECTIONS", "SPOKEN"),
        "people_moved": ("judged_moved",),
        "power": ("Reach", "reach"),
        "signal": ("Apart", "Audited", "apart"),
        "tilts": ("COUPLES", "KINDS", "NAMES", "TILT", "judged_tilts", "moved_among"),
        "verdict": ("NO_SIGNAL", "TILTED", "Margins", "p_beyond", "p_within", "thresholds"),
    })  # fmt: skip

__all__ = [
    "ALL",
    "CORRECTIONS",
    "COUPLES",
    "EVERY",
    "EXIT_CODES",
    "KEYS",
    "KINDS",
    "NAMES",
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
    "MovedLimit",
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
    "judged_moved",
    "judged_tilts",
    "margin_given",
    "moved_among",
    "p_beyond",
    "p_within",
    "parse_gate",
    "reach",
    "thresholds",
]
