"""The scoring room: systems asked once, safely, and never twice. Sentences in; scores out."""

from tiltmeter.scoring.plan import REUSES, Reuse, make_plan, sample_frames
from tiltmeter.scoring.progress import Progress, Silent
from tiltmeter.scoring.run import Settings, score_system
from tiltmeter.scoring.scale import Settled
from tiltmeter.scoring.scored import Scored, assemble
from tiltmeter.scoring.store import Entry, Fault, Store, default_store
from tiltmeter.scoring.texts import Texts, texts_of

__all__ = [
    "REUSES",
    "Entry",
    "Fault",
    "Progress",
    "Reuse",
    "Scored",
    "Settings",
    "Settled",
    "Silent",
    "Store",
    "Texts",
    "assemble",
    "default_store",
    "make_plan",
    "sample_frames",
    "score_system",
    "texts_of",
]
