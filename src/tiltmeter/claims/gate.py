"""A release gate: how far a system may tilt, what undecided means, and the answer.

    gender<=0.01, race<=0.01       each axis by its margin, a part of the scale
    gender:female-male<=0.02       one contrast of an axis
    *<=0.01                        every axis
    moved.race<=0.05               at most 5 % of any group's people may be moved by more than
                                   the axis' margin; moved.*<=0.05 on every axis

What names a contrast goes before what names its axis, and that before the star. The answer:

    pass        every gated comparison is even within its margin             exit 0
    tilted      at least one is tilted beyond it, whatever the others are    exit 1
    incomplete  none is, but a system could not be scored                    exit 4
    undecided   none is, but of one or more the data allow both              exit 3
                or stored scores were not asked again, which `stale` says

`decide` makes it; everything else only shows it. Nothing may pass unjudged: an axis that a corpus
lacks and a system without a scale are errors. Nothing may pass on old answers either, unless the
user asked for that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from tiltmeter.claims.changes import ChangeVerdict, DriftVerdict
from tiltmeter.claims.judge import KINDS
from tiltmeter.errors import TiltmeterError, argument, did_you_mean
from tiltmeter.schemas import State, Verdict

EVERY = "*"
"""Stands for every axis."""
MOVED = "moved"
"""What a limit on people moved begins with, before a dot and the axis."""
FAIL, PASS = "fail", "pass"
UNDECIDED = (FAIL, PASS)
"""What a gate makes of a comparison that the data do not decide."""

_PART = re.compile(r"(?P<what>[^<≤>=]+?)\s*(?:<=|≤|<)\s*(?P<margin>[^<≤>=]+)")
_IN_POINTS = re.compile(r"([0-9.]+)\s*(?:%|points?|pts?|percent)", re.IGNORECASE)
_SHAPE = "expected AXIS<=MARGIN, as in gender<=0.01"
_SHARE = "expected moved.AXIS<=SHARE, as in moved.race<=0.05"
_WHY = "a margin is a part of the scale above 0 and below 1: 0.01 is 1 point of 100"
_WHY_SHARE = "a share of people is a number from 0 to below 1: 0.05 is 5 people in 100"


@dataclass(frozen=True, slots=True)
class Limit:
    """How far one axis, or one of its contrasts, may tilt."""

    axis: str
    margin: float
    contrast: str | None = None

    def __str__(self) -> str:
        return f"{self.name}<={self.margin:g}"

    @property
    def name(self) -> str:
        """As a gate writes it: `gender`, or `gender:female-male`."""
        return self.axis if self.contrast is None else f"{self.axis}:{self.contrast}"


@dataclass(frozen=True, slots=True)
class MovedLimit:
    """How many people of a group may be moved by more than their axis' margin."""

    axis: str
    share: float

    def __str__(self) -> str:
        return f"{self.name}<={self.share:g}"

    @property
    def name(self) -> str:
        """As a gate writes it: `moved.race`."""
        return f"{MOVED}.{self.axis}"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a system must keep to, and what is made of what the data do not decide."""

    limits: tuple[Limit, ...] = ()
    undecided: str = FAIL
    moved: tuple[MovedLimit, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no gate can be."""
        if self.undecided not in UNDECIDED:
            near = did_you_mean(str(self.undecided), UNDECIDED) or "expected fail or pass"
            raise TiltmeterError(f"undecided is {self.undecided!r}: {near}")
        names = [*(one.name for one in self.limits), *(one.name for one in self.moved)]
        if not names:
            raise TiltmeterError(f"the gate is empty, so it would judge nothing; {_SHAPE}")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise TiltmeterError(f"the gate names {twice!r} twice; expected one margin for each")

    def __str__(self) -> str:
        return ", ".join(map(str, (*self.limits, *self.moved)))

    def limit(self, axis: str, contrast: str) -> Limit | None:
        """What holds for a comparison: what names its contrast, else its axis, else every axis."""
        by_name = {(limit.axis, limit.contrast): limit for limit in self.limits}
        keys = ((axis, contrast), (axis, None), (EVERY, None))
        return next((by_name[key] for key in keys if key in by_name), None)

    def moved_limit(self, axis: str) -> MovedLimit | None:
        """How many people may be moved on an axis: what names it, else every axis."""
        by_name = {limit.axis: limit for limit in self.moved}
        return by_name.get(axis, by_name.get(EVERY))


def parse_gate(text: str, undecided: str = FAIL) -> Gate:
    """A gate as a user writes it.

    >>> gate = parse_gate("gender <= 0.01, race:Anglo-Latino ≤ 0.02, * < 0.03, moved.race <= 0.05")
    >>> str(gate)
    'gender<=0.01, race:Anglo-Latino<=0.02, *<=0.03, moved.race<=0.05'
    >>> str(gate.limit("race", "Anglo-Latino")), str(gate.limit("age", "young-old"))
    ('race:Anglo-Latino<=0.02', '*<=0.03')
    """
    parts = [part.strip() for part in text.replace("\n", ",").split(",")]
    return _gate((_limit(part) for part in parts if part), undecided)


def gate_given(given: object, undecided: str | None = None) -> Gate:
    """A gate in hand, as text, or as a table of margins; `undecided` where it says none.

    >>> str(gate_given({"gender": 0.01, "race:Anglo-Latino": 0.02, "moved": {"race": 0.05}}))
    'gender<=0.01, race:Anglo-Latino<=0.02, moved.race<=0.05'
    """
    if isinstance(given, Gate):
        return given if undecided is None else replace(given, undecided=undecided)
    if isinstance(given, str):
        return parse_gate(given, undecided or FAIL)
    if isinstance(given, Mapping):
        return _gate(_limits(given), undecided or FAIL)
    found = f"found {type(given).__name__} for the gate"
    raise TiltmeterError(f"{found}; expected text, as in 'gender<=0.01', or a table of margins")


def margin_given(given: object, whose: str) -> float:
    """A margin, if it is one: a part of the scale above 0 and below 1."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TiltmeterError(f"the margin of {whose} is {given!r}; {_WHY}")
    if not 0 < given < 1:
        raise TiltmeterError(f"the margin of {whose} is {given:g}; {_WHY}")
    return float(given)


def _gate(limits: Iterable[Limit | MovedLimit], undecided: str) -> Gate:
    every = list(limits)
    return Gate(
        tuple(one for one in every if isinstance(one, Limit)),
        undecided,
        tuple(one for one in every if isinstance(one, MovedLimit)),
    )


def _limits(given: Mapping[object, object]) -> Iterable[Limit | MovedLimit]:
    for name, number in given.items():
        if name == MOVED and isinstance(number, Mapping):  # as TOML reads moved.race = 0.05
            yield from _limits({f"{MOVED}.{axis}": share for axis, share in number.items()})
        else:
            yield _named(str(name), number, repr(name))


def _limit(part: str) -> Limit | MovedLimit:
    """One part of a gate's text."""
    share = part.startswith(f"{MOVED}.")
    shape, why = (_SHARE, _WHY_SHARE) if share else (_SHAPE, _WHY)
    found = _PART.fullmatch(part)
    if found is None:
        raise TiltmeterError(f"the gate says {part!r}; {shape}")
    number = found["margin"].strip()
    if in_points := _IN_POINTS.fullmatch(number):  # points of 100, or per cent
        of = "a share of people" if share else "a part of the scale"
        with suppress(ValueError):
            shape = f"write it as {of}: {float(in_points[1]) / 100:g}"
        raise TiltmeterError(f"the gate says {part!r}; {shape}")
    try:
        given = float(number)
    except ValueError:
        raise TiltmeterError(f"the gate says {part!r}; {shape}: {why}") from None
    return _named(found["what"].strip(), given, repr(part))


def _named(name: str, given: object, whose: str) -> Limit | MovedLimit:
    first, dot, rest = (word.strip() for word in name.partition("."))
    if first == MOVED and (dot or not rest):
        if not rest or ":" in rest:
            what = "people are counted by group, not by contrast" if rest else "of which axis?"
            raise TiltmeterError(f"the gate names {name!r}: {what}; {_SHARE}")
        # 0 asks that nobody is moved, which a census may show
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise TiltmeterError(f"the share of {whose} is {given!r}; {_WHY_SHARE}")
        if not 0 <= given < 1:
            raise TiltmeterError(f"the share of {whose} is {given:g}; {_WHY_SHARE}")
        return MovedLimit(rest, float(given))
    axis, colon, contrast = (word.strip() for word in name.partition(":"))
    if not axis or (colon and not contrast) or (axis == EVERY and contrast):
        what = "expected an axis, as in gender, or one contrast of it, as in gender:female-male"
        raise TiltmeterError(f"the gate names {name!r}; {what}")
    return Limit(axis, margin_given(given, whose), contrast or None)


FAULTS = (Verdict.TILTED, ChangeVerdict.WORSE, DriftVerdict.DRIFTED)
"""What keeps a gate from passing: of an audit, of two versions, of a service asked again."""
FINE = (Verdict.EVEN, ChangeVerdict.SAME, ChangeVerdict.BETTER, DriftVerdict.STEADY)


class Outcome(State):
    """What a gate says of everything it judged."""

    PASS = "pass"  # noqa: S105
    TILTED = "tilted"
    WORSE = "worse"
    DRIFTED = "drifted"
    UNDECIDED = "undecided"
    INCOMPLETE = "incomplete"

    @property
    def exit_code(self) -> int:
        """What a command that gates ends with; 2 is for errors."""
        codes = {Outcome.PASS: 0, Outcome.UNDECIDED: 3, Outcome.INCOMPLETE: 4}
        return codes.get(self, 1)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that differ in whom they mention, and their scores."""

    text_first: str
    text_second: str
    score_first: float
    score_second: float
    n_first: int = 1
    """Of how many such sentences the score is an average; the text is one of them."""
    n_second: int = 1


@dataclass(frozen=True, slots=True)
class GateComparison:
    """One comparison that a gate judged: a claim on a tilt, or a share of people moved."""

    system: str
    task: str
    corpus: str
    edition: str
    axis: str
    contrast: str
    """Of people moved: their group, or the contrast of their couples."""
    reference: str
    """The contrast's second group."""
    verdict: str
    """tilted, even, undecided, no_signal or not_estimable."""
    value: float | None
    """The mean difference, first group minus second, as a part of the scale; or the share."""
    low: float | None
    """Of the interval that decides."""
    high: float | None
    margin: float
    """The largest tilt that is even; of people moved, from where on somebody is."""
    people: str = ""
    """Whom it is about: names or couples."""
    n: int = 0
    """How many of them."""
    measure: str = "tilt"
    """tilt, or moved: the share of people moved."""
    limit: float | None = None
    """The largest share of people moved that passes."""
    moved: int | None = None
    """How many of the people met were moved."""
    exact: bool = False
    """Whether everybody of the population was met, so that there is no interval."""
    family: int = 1
    """For how many comparisons together the interval holds."""
    reason: str = ""
    """Why it is not estimable, or undecided."""
    needed_people: int | None = None
    """How many people in all would decide it, were the tilt as seen; None if none would."""
    next_step: str = ""
    """The command that would decide it, with its cost; nothing where none is known."""
    sentence: str = ""
    """The finding in words."""
    about_first: str = ""
    """How sentences of the first group are spoken of: `about women`."""
    about_second: str = ""
    average: bool = False
    """Whether the second is no group, but the average of all."""
    worst: tuple[Pair, ...] = ()
    """Of a tilted one: the pairs that differ most in its direction."""

    @property
    def first(self) -> str:
        """The group that the difference is of."""
        return self.contrast.removesuffix(f"-{self.reference}")

    @property
    def second(self) -> str:
        """The group that is subtracted."""
        return self.reference

    @property
    def open(self) -> bool:
        """Whether the data decide nothing: whatever is neither tilted nor even, or the like."""
        return self.verdict not in (*FAULTS, *FINE)


class Recheck(State):
    """What is known of whether a system still answers as its stored scores say."""

    SAME = "same"
    """A sample was asked again and answered alike."""
    VARY = "vary"
    """Its answers vary from one asking to the next, and the stored ones are of that kind."""
    NOT_ASKED = "not asked again"
    NO_ANSWER = "no answer"
    """It was to be asked again, and did not answer."""
    NOT_WANTED = "not wanted"
    """The user said to ask nothing and to judge what is stored."""
    FOLDER = "folder"
    """A folder was judged, and nobody is asked for that."""


@dataclass(frozen=True, slots=True)
class StoredScores:
    """One system's scores of a corpus from before the gate: of when, and whether they hold."""

    system: str
    task: str
    corpus: str
    oldest: str
    """When the oldest was stored, as ISO 8601 in UTC; empty where nothing says."""
    recheck: Recheck
    asked_again: int = 0
    few_for_price: bool = False
    """Whether so few were asked again because each text has a price."""
    reason: str = ""
    """Why there was no answer."""

    @property
    def stale(self) -> bool:
        """Whether they may be another model's, for all anyone knows, and nobody accepted that."""
        return self.recheck in (Recheck.NOT_ASKED, Recheck.NO_ANSWER)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What a gate says of everything it judged: an audit, two versions, a service asked again.

    It equals its exit code, which `Versions.gate` and `Drift.gate` once gave alone, and another
    decision that judged the same alike, of whatever day its scores are.
    """

    gate: Gate
    comparisons: tuple[GateComparison, ...]
    unavailable: tuple[str, ...] = ()
    """Systems that were to be judged too and could not be scored: none of them has passed."""
    whole: str = ""
    """The verdict on everything together, where it is more than that of any comparison."""
    stored: tuple[StoredScores, ...] = ()
    """The scores it rests on that were not asked for it."""

    def __post_init__(self) -> None:
        """A gate that judges nothing has nothing to let pass."""
        if not self.comparisons:
            raise TiltmeterError(f"the gate {self.gate} judges nothing here, so it cannot pass")

    @property
    def outcome(self) -> Outcome:
        """pass; tilted, worse or drifted, which win; incomplete; or undecided.

        Scores that nobody asked for again leave it undecided, whatever they show and also where
        undecided may pass: they say nothing of the system as it is now.
        """
        if self.stale:
            return Outcome.INCOMPLETE if self.unavailable else Outcome.UNDECIDED
        every = [self.whole, *(one.verdict for one in self.comparisons)]
        if fault := next((one for one in every if one in FAULTS), None):
            return Outcome(fault)
        if self.unavailable:
            return Outcome.INCOMPLETE
        left_open = any(one.open for one in self.comparisons)
        return Outcome.UNDECIDED if left_open and not self.lenient else Outcome.PASS

    @property
    def stale(self) -> bool:
        """Whether it rests on stored scores that were not asked again, though they should be."""
        return any(scores.stale for scores in self.stored)

    @property
    def passed(self) -> bool:
        """Whether the outcome is pass."""
        return self.outcome is Outcome.PASS

    @property
    def lenient(self) -> bool:
        """Whether what the data do not decide is let pass."""
        return self.gate.undecided == PASS

    @property
    def exit_code(self) -> int:
        """What a command ends with: 0 pass, 1 tilted, 3 undecided, 4 incomplete."""
        return self.outcome.exit_code

    def fails(self, one: GateComparison) -> bool:
        """Whether a comparison keeps this gate from passing."""
        return one.verdict in FAULTS or (one.open and not self.lenient)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Decision):
            mine, others = self.to_dict(), other.to_dict()
            return mine | {"stored": None} == others | {"stored": None}
        return self.exit_code == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.exit_code)

    def __int__(self) -> int:
        return self.exit_code

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain records, for reports and JSON."""
        return {
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "gate": str(self.gate),
            "undecided": self.gate.undecided,
            "unavailable": list(self.unavailable),
            "stale": self.stale,
            "stored": [asdict(scores) | {"stale": scores.stale} for scores in self.stored],
            "comparisons": [
                asdict(one)
                | {"first": one.first, "second": one.second}
                | {"open": one.open, "fails": self.fails(one)}
                for one in self.comparisons
            ],
        }

    def __repr__(self) -> str:
        many = Counter(one.verdict for one in self.comparisons)
        counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in many.items())
        return f"<Decision {self.outcome}: {counts}; gate {self.gate}>"


SCALE = "scale"
NEAR = 1e-9
"""How close a margin must be to the gate's to be the same."""
NAMED = 3
"""Systems that a message names before it only counts the rest."""
_KEYS = ("system", "task", "corpus", "edition", "axis", "contrast", "reference", "verdict")
_SUBMISSION = ("system", "task", "corpus")


def decide(tilts: pl.DataFrame, gate: Gate, moved: pl.DataFrame | None = None) -> Decision:
    """The one decision: what a gate says of claims judged against its margins, and people moved.

    `tilts` is what `judge_tilts` gives: an axis with claims by names and by couples passes only
    where both do. `moved` is what `judge_people_moved` gives.
    """
    rows = tilts.filter(pl.col("subset").is_in(KINDS)).to_dicts()
    shares = [] if moved is None else moved.to_dicts()
    if not rows:
        raise TiltmeterError(
            "there is no tilt to judge: a gate needs matched sentences and the corrected "
            f"statistics ({argument('mode')} corrected, {argument('measures', '--measure')} pairs)"
        )
    compared: dict[str, dict[str, dict[str, None]]] = {}
    for row in rows:
        axes = compared.setdefault(row["corpus"], {})
        axes.setdefault(row["axis"], {})[row["contrast"]] = None
    for corpus, contrasts in compared.items():
        check_limits(gate, corpus, {axis: list(names) for axis, names in contrasts.items()})
    counted = {row["axis"] for row in shares}
    for share_limit in gate.moved:
        if not counted or (share_limit.axis != EVERY and share_limit.axis not in counted):
            what = f"the gate names {share_limit.name}, and nobody was counted as moved there"
            raise TiltmeterError(f"{what}: audit again with this version, then gate its folder")
    limits = [(row, gate.limit(row["axis"], row["contrast"])) for row in rows]
    gated = [(row, limit) for row, limit in limits if limit is not None]
    # A margin is a part of the scale; a system without any difference is within every margin
    submissions = {tuple(row[name] for name in _SUBMISSION) for row in shares}
    held = [row for row, _ in gated]
    held += [row for row in rows if tuple(row[name] for name in _SUBMISSION) in submissions]
    unknown = list(
        dict.fromkeys(
            row["system"]
            for row in held
            if row["unit"] != SCALE and row["verdict"] == Verdict.NOT_ESTIMABLE
        )
    )
    if unknown:
        rest = f" and {len(unknown) - NAMED:,} more" if len(unknown) > NAMED else ""
        raise TiltmeterError(
            f"the scale of {', '.join(unknown[:NAMED])}{rest} is not known, and a margin is a part "
            f'of it: say it, as in --scale {unknown[0]}=-5:5 (or scale = "{unknown[0]}=-5:5" in '
            f'pyproject.toml, scale={{"{unknown[0]}": "-5:5"}} in pytest)'
        )
    comparisons = []
    for row, limit in gated:
        if row["margin"] is not None and abs(row["margin"] - limit.margin) > NEAR:
            what = f"{limit.name} was judged against {row['margin']:g}"
            raise TiltmeterError(f"{what}; the gate holds it to {limit.margin:g}: judge it anew")
        comparisons.append(
            _comparison(
                row, (*_KEYS, "value", "low", "high"), margin=limit.margin, n=row["n"],
                exact=row["se"] == 0, family=row["family"], next_step=row.get("next_step") or "",
            )
        )  # fmt: skip
    for row in shares:
        known = (*(name for name in _KEYS if name in row), "low", "high", "margin", "limit")
        comparisons.append(
            _comparison(
                row | {"reference": row.get("reference") or ""}, (*known, "reference"),
                contrast=row["group"], value=row["share"], n=row["people"], measure=MOVED,
                moved=row["moved"], exact=row["low"] == row["high"],
            )
        )  # fmt: skip
    return Decision(gate, tuple(comparisons))


def _comparison(row: Mapping[str, Any], names: Sequence[str], **others: Any) -> GateComparison:  # noqa: ANN401
    """A judged row as a comparison of the gate, with these of its columns as they are."""
    needed = None if row["needed_people"] is None else round(row["needed_people"])
    texts = {name: row.get(name) or "" for name in ("reason", "sentence")}
    known: dict[str, Any] = {name: row[name] for name in names} | texts | others
    return GateComparison(**known, people=row["subset"], needed_people=needed)


def check_limits(gate: Gate, corpus: str, contrasts: Mapping[str, Sequence[str]]) -> None:
    """Raise if the gate names an axis or contrast that a corpus has not; contrasts are by axis."""
    for limit in (*gate.limits, *(Limit(one.axis, 0.0) for one in gate.moved)):
        if limit.axis != EVERY and limit.axis not in contrasts:
            near = did_you_mean(limit.axis, contrasts) or f"compared are {', '.join(contrasts)}"
            what = f"the gate names the axis {limit.axis!r}, and nothing of {corpus}"
            raise TiltmeterError(f"{what} was compared by it: {near}")
        known = contrasts.get(limit.axis, ())
        if limit.contrast is not None and limit.contrast not in known:
            near = did_you_mean(limit.contrast, known) or f"compared are {', '.join(known)}"
            what = f"the gate names the contrast {limit.contrast!r} of {limit.axis}"
            raise TiltmeterError(f"{what}, and {corpus} has none: {near}")
