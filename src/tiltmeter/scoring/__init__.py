"""The scoring room: systems asked once, safely, and never twice. Sentences in; scores out."""

from tiltmeter.scoring.blocks import Block
from tiltmeter.scoring.large import Tally, score_blocks, stored_in_blocks
from tiltmeter.scoring.large_scores import NO_SCORES, LargeScored, LargeScores
from tiltmeter.scoring.plan import REUSES, Reuse, frames_drawn, make_plan, stored_form
from tiltmeter.scoring.progress import Progress, Silent
from tiltmeter.scoring.run import MOST_REPEATS, Settings, score_system
from tiltmeter.scoring.scale import ScaleSource, Settled, on_unit, settle
from tiltmeter.scoring.scored import Scored, assemble, on_scale, one_scale_each
from tiltmeter.scoring.shard import Fault
from tiltmeter.scoring.store import Entry, Store, default_store
from tiltmeter.scoring.texts import Texts, texts_of

__all__ = [
    "MOST_REPEATS",
    "NO_SCORES",
    "REUSES",
    "Block",
    "Entry",
    "Fault",
    "LargeScored",
    "LargeScores",
    "Progress",
    "Reuse",
    "ScaleSource",
    "Scored",
    "Settings",
    "Settled",
    "Silent",
    "Store",
    "Tally",
    "Texts",
    "assemble",
    "default_store",
    "frames_drawn",
    "make_plan",
    "on_scale",
    "on_unit",
    "one_scale_each",
    "score_blocks",
    "score_system",
    "settle",
    "stored_form",
    "stored_in_blocks",
    "texts_of",
]
