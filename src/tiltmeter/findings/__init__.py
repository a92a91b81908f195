"""The findings room: what may be claimed. Estimates in; findings out."""

from tiltmeter.findings.judge import ALL, KEYS, Rule, judged
from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN

__all__ = ["ALL", "CORRECTIONS", "KEYS", "SPOKEN", "Rule", "judged"]
