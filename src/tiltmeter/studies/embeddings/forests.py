"""Estimates with their intervals: RNSB beside chance, groups of terms, WEAT, mitigation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tiltmeter.ranking import coarsen
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    Side,
    around_zero,
    from_zero,
)
from tiltmeter.report.numbers import DASH
from tiltmeter.report.phrases import called, shortened
from tiltmeter.report.svg import HOLLOW_SIGNS, SIGNS, Shape
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.mitigation_metrics import OVERALL
from tiltmeter.studies.embeddings.numbers import (
    effect_texts,
    p_text,
    per_cent,
    points_texts,
    rnsb_text,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

DETECTED = 0.05
"""The largest p that counts as a difference, or as more uneven than ordinary words."""
LONGEST = 40
"""Letters of a set's name."""
EFFECTS = ForestScale(-2.0, 2.0)
"""An effect size lies between −2 and 2."""
TESTS = 4
"""Word tests that are drawn before and after a projection."""
METHODS: dict[str, tuple[str, Shape]] = {
    BEFORE: ("before", "circle"), "hard": ("hard projection", "triangle"),
    "soft": ("soft projection", "square"), "inlp": ("INLP", "diamond"),
}  # fmt: skip
"""What methods are called, and their marks."""
PARTS = {
    "falls": "The tilt", "stays": "What the vectors are good for: should stay",
    "left": "Is it still there? Guessing gives about 50 %",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of mitigated vectors."""

    title: str
    part: str
    """falls, stays or left: what it is looked at for."""
    unit: str
    """rnsb, effect or share."""


MEASURES = {
    "rnsb": Measure("RNSB", "falls", "rnsb"),
    "weat": Measure("WEAT effect size", "falls", "effect"),
    "similarity": Measure("similarity judgements, rank correlation", "stays", "effect"),
    "analogies": Measure("analogies answered", "stays", "share"),
    "neighbours": Measure("neighbours kept", "stays", "share"),
    "accuracy": Measure("positive told from negative words", "stays", "share"),
    "cluster": Measure("sides found by clustering", "left", "share"),
    "probe": Measure("sides found by a trained probe", "left", "share"),
}


def is_detected(row: Row) -> bool:
    """Whether chance seldom gives as much, corrected for how many numbers there are."""
    return row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED


def beyond(row: Row) -> bool | None:
    """Whether terms are more uneven than ordinary words mostly are; None where nobody knows."""
    return None if row["p_adjusted"] is None else is_detected(row)


def rnsb_forest(study: Embeddings) -> Forest:
    """A panel for each list, a row for each embedding, all on one scale, the most uneven first."""
    rows = rows_of(study.rnsb)
    cells = {(row["embedding"], row["list"]): row for row in rows}
    ends = [row[name] for row in rows for name in ("rnsb", "high", "even_high")]
    scale = from_zero(ends, least=0.001, steps=3)

    def mean(name: str) -> float:
        own = [row["rnsb"] for row in rows if row["embedding"] == name and row["rnsb"] is not None]
        return -coarsen(sum(own) / len(own)) if own else 1.0

    def cell(row: Row | None) -> ForestCell:
        if row is None or row["rnsb"] is None:
            why = "no number" if row is None else row["reason"] or "no number"
            return ForestCell(number=DASH, says=(f"refused: {why}",))
        number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
        more = {
            None: "not held against chance",
            True: f"more uneven than ordinary words, {p_text(row['p_adjusted'])}",
            False: f"no difference from ordinary words detected, {p_text(row['p_adjusted'])}",
        }[beyond(row)]
        missing = row["n_terms"] - row["n_found"]
        about = f"without {missing} of {row['n_terms']} terms" if missing else ""
        mark = Mark(row["rnsb"], row["low"], row["high"], ink=True, filled=beyond(row) is not False)
        known = row["even_low"] is not None and row["even_high"] is not None
        return ForestCell(
            (mark,), number, spread=spread, says=(more, about),
            band=(row["even_low"], row["even_high"]) if known else None,
            references=() if row["by_chance"] is None else (row["by_chance"],),
        )  # fmt: skip

    ends_said = ("even", "more uneven")
    return Forest(
        "rnsb", "RNSB beside ordinary words drawn by chance",
        tuple(ForestPanel(title, scale, ends_said) for title in study.lists.values()),
        tuple(
            ForestRow(name, tuple(cell(cells.get((name, of))) for of in study.lists))
            for name in sorted(study.names, key=mean)
        ),
        first="Embedding", layout=_layout(len(study.lists)), directed=False,
    )  # fmt: skip


def _layout(panels: int) -> Literal["beside", "below"]:
    return "below" if panels > 1 else "beside"


def group_forest(study: Embeddings, of: str) -> Forest | None:
    """A panel for each two groups of a list, a row for each embedding, on one scale in points."""
    groups = study.groups.filter(list=of)
    if groups.is_empty():
        return None
    parts = list(parts_of(groups, "first", "second"))
    rows = groups.to_dicts()
    values, ends = (
        [100 * row[name] for row in rows for name in some if row[name] is not None]
        for some in (("difference",), ("low", "high"))
    )
    scale = around_zero(values, ends)
    cells = {(row["embedding"], row["first"], row["second"]): row for row in rows}

    def cell(row: Row | None) -> ForestCell:
        if row is None:
            return ForestCell(number=DASH, says=("not measured",))
        about = f"{row['n_first']} and {row['n_second']} terms"
        if row["difference"] is None:
            return ForestCell(number=DASH, says=("not estimable", about))
        number, spread = points_texts(row["difference"], row["low"], row["high"])
        side = _side(row["difference"])
        low, high = (None if row[end] is None else 100 * row[end] for end in ("low", "high"))
        means = f"{per_cent(row['mean_first'])} and {per_cent(row['mean_second'])} on average"
        verdict = _verdict(row)
        return ForestCell(
            (Mark(100 * row["difference"], low, high, side if is_detected(row) else ""),),
            number, "points", spread=spread, side=side,
            says=(f"{means}; {verdict}" if verdict else means, about),
        )  # fmt: skip

    return Forest(
        f"groups-{list(study.lists).index(of)}",
        f"Differences between groups of terms, {study.lists[of]}",
        tuple(
            ForestPanel(
                f"{called(first, 30)} and {called(second, 30)}", scale,
                (f"higher for “{called(second, 30)}”", f"higher for “{called(first, 30)}”"),
                "points",
            )
            for (first, second), _ in parts
        ),
        tuple(
            ForestRow(name, tuple(cell(cells.get((name, *pair))) for pair, _ in parts))
            for name in dict.fromkeys(row["embedding"] for row in rows)
        ),
        first="Embedding", layout=_layout(len(parts)),
    )  # fmt: skip


def _side(value: float) -> Side:
    return "up" if value > 0 else "down"


def _verdict(row: Row) -> str:
    verdict = "difference detected" if is_detected(row) else "no difference detected"
    return "" if row["p_adjusted"] is None else f"{verdict}, {p_text(row['p_adjusted'])}"


def weat_forest(study: Embeddings) -> Forest:
    """A panel for each embedding, a row for each test; both ends of a row in words."""
    rows = study.weat.to_dicts()
    cells = {(row["embedding"], row["test"]): row for row in rows}
    names = list(dict.fromkeys(row["embedding"] for row in rows))
    tests = {row["test"]: row for row in rows}

    def cell(row: Row | None, test: Row) -> ForestCell:
        first, second = (shortened(str(test[name]), LONGEST) for name in ("first", "second"))
        ends = f"◂ {second}", f"{first} ▸"
        if row is None or row["effect"] is None:
            why = "not measured" if row is None else f"refused: {row['reason'] or 'no number'}"
            return ForestCell(number=DASH, says=(why,), ends=ends)
        number, spread = effect_texts(row["effect"], row["low"], row["high"])
        side = _side(row["effect"])
        return ForestCell(
            (Mark(row["effect"], row["low"], row["high"], side if is_detected(row) else ""),),
            number, spread=spread, says=(_verdict(row),), side=side, ends=ends,
            references=() if row["published"] is None else (row["published"],),
        )  # fmt: skip

    def asks(test: Row) -> str:
        good, bad = (shortened(str(test[name]), LONGEST) for name in ("good", "bad"))
        return f"closer to {good} than to {bad}"

    return Forest(
        "weat", f"{' and '.join(kinds_of_tests(study))} effect sizes",
        tuple(ForestPanel(name, EFFECTS) for name in names),
        tuple(
            ForestRow(str(test["title"] or key),
                      tuple(cell(cells.get((name, key)), test) for name in names), asks(test))
            for key, test in tests.items()
        ),
        first="Test", layout=_layout(len(names)),
    )  # fmt: skip


def kinds_of_tests(study: Embeddings) -> list[str]:
    """Whether tests are WEAT, SEAT or both."""
    return [
        str(kind).upper() for kind in study.weat["kind"].drop_nulls().unique(maintain_order=True)
    ]


@dataclass(frozen=True, slots=True)
class MitigationForests:
    """One direction taken out of one embedding: every measure before and after."""

    embedding: str
    direction: str
    methods: tuple[str, ...]
    parts: tuple[Forest, ...]
    """What should fall, what should stay, and whether it is still there."""

    def whole(self) -> Forest:
        """All parts as one, for a file."""
        title = f"Before and after: the direction {self.direction} taken out of {self.embedding}"
        rows = tuple(
            replace(row, tag=part.panels[0].title) for part in self.parts for row in part.rows
        )
        return Forest("mitigation", title, (ForestPanel("Measures", None),), rows, first="Measure")


def mitigation_forests(study: Embeddings) -> list[MitigationForests]:
    """Forests for each embedding and direction."""
    titles = study.lists | {row["test"]: row["title"] or row["test"] for row in rows_of(study.weat)}
    found = []
    for nth, ((name, direction), rows) in enumerate(
        parts_of(study.mitigation, "embedding", "direction")
    ):
        methods = dict.fromkeys(str(row["method"]) for row in rows)
        methods = {BEFORE: None, **methods} if BEFORE in methods else methods
        by: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            by.setdefault((str(row["measure"]), str(row["what"] or "")), []).append(row)
        shown, parts = _drawn_measures(by), []
        for part, title in PARTS.items():
            own = [key for key in shown if measure(key[0]).part == part]
            alike = {of: [r for key in own if key[0] == of for r in by[key]] for of, _ in own}
            drawn = tuple(
                ForestRow(
                    measure(of).title,
                    (_mitigation_cell(of, by[of, what], alike[of]),),
                    about=titles.get(what, what),
                )
                for of, what in own
            )  # fmt: skip
            if drawn:
                label = f"{title}, {direction}, {name}"
                parts.append(
                    Forest(f"mitigation-{nth}-{part}", label, (ForestPanel(title, None),), drawn,
                           first="", kind="mitigation")
                )  # fmt: skip
        found.append(MitigationForests(str(name), str(direction), tuple(methods), tuple(parts)))
    return found


def measure(name: str) -> Measure:
    """What is known of a measure."""
    return MEASURES.get(name, Measure(name, "stays", "effect"))


def method_title(method: str) -> str:
    """What a method is called."""
    return METHODS.get(method, (method, "down"))[0]


def method_sign(method: str) -> str:
    """Its mark in letters; the vectors as they are have a hollow one."""
    shape = METHODS.get(method, (method, "down"))[1]
    return (HOLLOW_SIGNS if method == BEFORE else SIGNS)[shape]


def value_text(unit: str, value: float) -> str:
    """A value in its unit."""
    if unit == "rnsb":
        return rnsb_text(value)
    return per_cent(value) if unit == "share" else effect_texts(value, None, None)[0]


def _drawn_measures(by: Mapping[tuple[str, str], Sequence[Row]]) -> list[tuple[str, str]]:
    """Of many tests those that move most; of analogies all together; the rest are in the table."""

    def moved(key: tuple[str, str]) -> float:
        values = {row["method"]: row["value"] for row in by[key] if row["value"] is not None}
        before = values.get(BEFORE)
        if before is None:
            return 0.0
        furthest: float = max(abs(value - before) for value in values.values())
        return coarsen(furthest)

    tests = sorted((key for key in by if key[0] == "weat"), key=moved, reverse=True)
    hidden = set(tests[TESTS:])
    if ("analogies", OVERALL) in by:
        hidden |= {key for key in by if key[0] == "analogies" and key[1] != OVERALL}
    return [key for key in by if key not in hidden]


def _mitigation_cell(name: str, rows: Sequence[Row], alike: Sequence[Row]) -> ForestCell:
    """Before and after on one scale for all rows of a measure, so that they can be compared."""
    unit = measure(name).unit
    every = [row["value"] for row in alike if row["value"] is not None]
    if unit == "rnsb":
        scale = replace(from_zero(every, least=0.001), steps=2)
    elif unit == "share":
        scale = ForestScale(0, 1, steps=2, times=100, unit=" %")
    else:
        reach = 2.0 if max(map(abs, every), default=0) > 1 else 1.0
        scale = ForestScale(-reach if min(every, default=0) < 0 else 0, reach, steps=2)
    values = {str(row["method"]): row["value"] for row in rows if row["value"] is not None}
    said = " · ".join(
        f"{method_sign(method)}\u00a0{value_text(unit, value)}".replace(" %", "\u00a0%")
        for method, value in values.items()
    )
    why = {method_title(str(row["method"])): str(row["reason"]) for row in rows if row["reason"]}
    reasons = [f"{method}: {reason}" for method, reason in why.items()]
    if len(why) == len(rows) and len(set(why.values())) == 1:  # the same for all
        reasons = [f"refused: {next(iter(why.values()))}"]
    marks = tuple(
        Mark(value, ink=True, filled=method != BEFORE,
             shape=METHODS.get(method, (method, "down"))[1])
        for method, value in sorted(values.items(), key=lambda one: one[1])
    )  # fmt: skip
    return ForestCell(
        marks, says=("; ".join([said, *reasons] if said else reasons),), joined=True, scale=scale
    )
