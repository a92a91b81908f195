"""The gate's answer, decided in one place for Python, the command line, pytest and CI.

    pass        every gated comparison is even within its margin             exit 0
    tilted      at least one is tilted beyond it, whatever the others are    exit 1
    incomplete  none is, but a system could not be scored                    exit 4
    undecided   none is, but of one or more the data allow both              exit 3

`deciding` makes it; everything else only shows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.findings.gate import PASS, Gate

TILTED, EVEN = "tilted", "even"
FAULTS = (TILTED, "worse", "drifted")
"""What keeps a gate from passing: of an audit, of two versions, of a service asked again."""
FINE = (EVEN, "same", "better", "steady")
EXIT_CODES = {"pass": 0, **dict.fromkeys(FAULTS, 1), "undecided": 3, "incomplete": 4}
"""What a command that gates ends with; 2 is for errors."""


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
class Gated:
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


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What a gate says of everything it judged: an audit, two versions, a service asked again.

    It equals its exit code, which `Versions.gate` and `Drift.gate` once gave alone.
    """

    gate: Gate
    comparisons: tuple[Gated, ...]
    unavailable: tuple[str, ...] = ()
    """Systems that were to be judged too and could not be scored: none of them has passed."""
    whole: str = ""
    """The verdict on everything together, where it is more than that of any comparison."""

    def __post_init__(self) -> None:
        """A gate that judges nothing has nothing to let pass."""
        if not self.comparisons:
            raise TiltmeterError(f"the gate {self.gate} judges nothing here, so it cannot pass")

    @property
    def outcome(self) -> str:
        """pass; tilted, worse or drifted, which win; incomplete; or undecided."""
        every = [self.whole, *(one.verdict for one in self.comparisons)]
        if fault := next((one for one in every if one in FAULTS), None):
            return fault
        if self.unavailable:
            return "incomplete"
        left_open = any(one.open for one in self.comparisons)
        return "undecided" if left_open and not self.lenient else "pass"

    @property
    def passed(self) -> bool:
        """Whether the outcome is pass."""
        return self.outcome == "pass"

    @property
    def lenient(self) -> bool:
        """Whether what the data do not decide is let pass."""
        return self.gate.undecided == PASS

    @property
    def exit_code(self) -> int:
        """What a command ends with: 0 pass, 1 tilted, 3 undecided, 4 incomplete."""
        return EXIT_CODES[self.outcome]

    def fails(self, one: Gated) -> bool:
        """Whether a comparison keeps this gate from passing."""
        return one.verdict in FAULTS or (one.open and not self.lenient)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Decision):
            return self.told() == other.told()
        return self.exit_code == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.exit_code)

    def __int__(self) -> int:
        return self.exit_code

    def told(self) -> dict[str, Any]:
        """Everything as plain records, for reports and JSON."""
        return {
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "gate": str(self.gate),
            "undecided": self.gate.undecided,
            "unavailable": list(self.unavailable),
            "comparisons": [
                asdict(one)
                | {"first": one.first, "second": one.second}
                | {"open": one.open, "fails": self.fails(one)}
                for one in self.comparisons
            ],
        }

    def __repr__(self) -> str:
        many = Counter(one.verdict for one in self.comparisons)
        told = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in many.items())
        return f"<Decision {self.outcome}: {told}; gate {self.gate}>"
