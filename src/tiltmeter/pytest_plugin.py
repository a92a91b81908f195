"""The pytest plugin: a fixture that holds a system to a margin.

    def test_even(tiltmeter):
        tiltmeter.check(score, axis="gender", margin=0.01)

Pytest loads this module in every run of everybody who has Tiltmeter installed, so nothing heavy is
imported before a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tiltmeter.claims.gate import Decision, Gate
    from tiltmeter.studies.audit.results import Audit
    from tiltmeter.systems import GivenScale

HELD = 8
"""Audits that are kept for further checks; an older one is made anew."""


@pytest.fixture(scope="session", name="tiltmeter")
def tiltmeter_fixture() -> Iterator[Tiltmeter]:
    """Audits systems for tests; what it has asked it does not ask again in the same session."""
    with TemporaryDirectory(prefix="tiltmeter-") as folder:
        yield Tiltmeter(Path(folder))


class Tiltmeter:
    """Holds systems to gates, with the decision that every other way in gives."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._audits: dict[tuple[Any, ...], tuple[object, Audit]] = {}

    def check(
        self,
        score: Any,  # noqa: ANN401 - whatever `tiltmeter.audit` takes
        axis: str | Sequence[str] | None = None,
        margin: float | None = None,
        *,
        gate: object = None,
        corpus: Any = "names-us",  # noqa: ANN401 - a name, a path, a Corpus, or several
        edition: str | None = None,
        scale: GivenScale = None,
        task: str | Sequence[str] = (),
        undecided: str = "fail",
        store: Path | str | None = None,
        **how: Any,  # noqa: ANN401 - further words of `tiltmeter.audit`
    ) -> Decision:
        """Fail the test if a system is tilted, or undecided and `undecided` does not say "pass".

        `score` is a function from texts to numbers, a spec as on the command line, or anything
        else `tiltmeter.audit` takes. `axis` is one or several; every one by default. `gate` says
        both axes and margins, as in "gender<=0.01, race<=0.02". `corpus` draws people by lot; the
        forty names of `eec` leave nearly every margin undecided. `scale` is "0:1" or (0, 1), where
        the answers may lie outside of it, or such by system's name. Scores are asked anew in each
        session, unless `store` names a folder to keep them in. Further words (seed, people, level,
        …) go to `tiltmeter.audit`.
        """
        __tracebackhide__ = True
        from tiltmeter.errors import TiltmeterError

        try:
            asked = gate_asked(gate, axis, margin, undecided)
            how = {**how, "edition": edition, "tasks": _several(task), "scale": scale}
            decision = self._decided(score, corpus, asked, store, how)
        except TiltmeterError as error:
            raise error.with_traceback(None) from None
        if not decision.passed:
            pytest.fail(_told(decision), pytrace=False)
        return decision

    def _decided(
        self,
        score: object,
        corpus: object,
        gate: Gate,
        store: Path | str | None,
        how: dict[str, Any],
    ) -> Decision:
        from tiltmeter.studies.audit.gate import check_gate, gate_of

        mode, edition = how.get("mode", "corrected"), how["edition"]
        check_gate(
            gate, corpus, how.get("reference"), edition=edition, mode=mode,
            all_pairs=how.get("all_pairs", False),
        )  # fmt: skip
        key = (_known_by(score), _known_by(corpus), str(store), repr(sorted(how.items())))
        if key not in self._audits:
            audit = _audited(score, corpus, store, self._store, dict(how))
            self._audits[key] = (score, corpus), audit  # kept, so that no other gets their ids
        decision = gate_of(self._audits[key][1], gate)
        if len(self._audits) > HELD:
            del self._audits[next(iter(self._audits))]
        return decision


def gate_asked(
    gate: object, axis: str | Sequence[str] | None, margin: float | None, undecided: str
) -> Gate:
    """The gate of a check: as it is given, or the margin for each of the axes, or for all."""
    from tiltmeter.claims.gate import EVERY, gate_given
    from tiltmeter.claims.verdict import Margins
    from tiltmeter.errors import TiltmeterError

    if gate is None:
        axes = (EVERY,) if axis is None else _several(axis)
        usual = Margins().default if margin is None else margin
        return gate_given(dict.fromkeys(axes, usual), undecided)
    if axis is not None or margin is not None:
        raise TiltmeterError("a check has a gate, and an axis or margin too; expected one of them")
    return gate_given(gate, undecided)


def _several(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _known_by(thing: object) -> object:
    """A name as it is; anything else by being the same object, whatever it holds."""
    return thing if isinstance(thing, str | Path) else id(thing)


def _audited(
    score: object,
    corpus: Any,  # noqa: ANN401 - as in `check`
    store: Path | str | None,
    own: Path,
    how: dict[str, Any],
) -> Audit:
    """The audit; without a store of the user's every system is asked anew."""
    from tiltmeter.scoring import Settings
    from tiltmeter.studies.audit.run import audit
    from tiltmeter.systems import Options

    scale = how.pop("scale")
    how.setdefault("flips", 0)  # which no verdict rests on
    how.setdefault("options", Options())
    how.setdefault("settings", Settings("missing" if store else "never", for_gate=True))
    if scale is not None:
        how["options"] = replace(how["options"], scale=scale)
    return audit(score, corpus, store=store or own, measures="pairs", **how)


def _told(decision: Decision) -> str:
    from tiltmeter.studies.audit.gate_wording import gate_text

    return gate_text(decision.to_dict())
