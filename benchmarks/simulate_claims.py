"""How often intervals and verdicts are wrong, on real populations of names.

Every name of the US Census 2020 that is in `names-us` is scored once in every frame, so the true
tilt is known. Then lists of names are drawn from it, at the EEC's size and at 300 names a cell, and
each list is judged as an audit would judge it. Beside the six packaged systems stand planted ones:
heavy tails, skew in one group, one rare name, name × template, group × emotion; and couples in
families. Prints Markdown.

    python benchmarks/simulate_claims.py [DRAWS]      500 by default, about a quarter of an hour,
                                                      as long again the first time, for the scores
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from census_scores import SYSTEMS, Census, census
from performance_page import table
from tiltmeter import audit
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.claims import Claim
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.tilt import moved_names, tilt_study

Array = NDArray[np.float64]

DRAWS, MARGIN, LEVEL, FAMILY = 500, 0.01, 0.05, 12
RACE = Contrast("race", "Black", "White")
GENDER = Contrast("gender", "female", "male")
AXES = ("gender", "race")
PLANTED = (
    "planted: heavy tails",
    "planted: skew in one group",
    "planted: skew, further than any word",
    "planted: one name in a thousand",
    "planted: one name in seven of a group",
    "planted: name × template",
    "planted: group × emotion",
)


@dataclass(slots=True)
class Tally:
    """What came of the draws for one system and one contrast."""

    draws: int = 0
    below: int = 0
    """The interval lies wholly below the truth: on the margin, a false *even*."""
    above: int = 0
    given: int = 0
    wrong: int = 0
    """A verdict that the truth refuses, of those given."""
    reach: list[float] = field(default_factory=list)
    shares: int = 0
    """Intervals of the share moved that miss it."""
    of_shares: int = 0

    def add(self, claim: Claim, row: int, truth: float, level: float) -> None:
        """Judge one draw."""
        value, reach = float(claim.value[row]), float(_reach(claim, 0.05)[row])
        self.draws += 1
        self.below += value + reach < truth
        self.above += value - reach > truth
        self.reach.append(reach)
        wide = float(_reach(claim, level)[row])
        even = abs(value) + wide < MARGIN
        tilted = abs(value) - wide > MARGIN
        self.given += even or tilted
        self.wrong += (even and abs(truth) > MARGIN) or (tilted and abs(truth) < MARGIN)


def _reach(claim: Claim, level: float) -> Array:
    return np.where(claim.se > 0, claim.se * -stdtrit(claim.df, level / 2.0), claim.se)


# ---------------------------------------------------------------- planted systems


def with_planted(known: Census, rng: np.random.Generator) -> Census:
    """The census with systems whose names were given effects of a known kind."""
    frames = known.scores[known.systems.index("vader")].mean(axis=0)  # words move as VADER's do
    people, n = known.people, known.people.height
    black = (people["race"] == "Black").to_numpy()
    women = (people["gender"] == "female").to_numpy()
    emotion = known.frames["emotion"].fill_null("").to_numpy()
    template = known.frames["template"].rank("dense").to_numpy().astype(np.int64) - 1
    tails = 0.01 * rng.standard_t(2.5, n)
    unbounded = np.where(black & women, 0.01 * rng.lognormal(0.0, 1.2, n), 0.0)
    skew = np.minimum(unbounded, np.abs(frames - frames.mean()).max())  # as the strongest word
    rare = np.where(rng.permutation(n) < n // 1000, 0.3, 0.0)
    some = np.where(black & (rng.random(n) < 1 / 7), frames.std(), 0.0)
    by_template = 0.02 * rng.standard_normal((n, int(template.max()) + 1))
    lean = np.select([emotion == "anger", emotion == "joy"], [0.04, -0.04], 0.0)
    none = np.zeros((n, frames.size))
    planted = [
        *(none + one[:, None] for one in (tails, skew, unbounded, rare, some)),
        by_template[:, template],
        np.where(black[:, None], lean, 0.0),
    ]
    scores = np.concatenate([known.scores, np.stack([frames + one for one in planted])])
    return Census(people, known.frames, scores, (*known.systems, *PLANTED))


# ---------------------------------------------------------------- draws of names


@dataclass(frozen=True, slots=True)
class Drawn:
    """The sentences of a list of names, and how its people were drawn."""

    sentences: pl.DataFrame
    design: pl.DataFrame | None

    def scores(self, known: Census) -> Array:
        """Every system's scores of the sentences, (systems, sentences)."""
        person, frame = (
            self.sentences[name].replace_strict(
                of[name], range(of.height), return_dtype=pl.Int64
            ).to_numpy()
            for name, of in (("person", known.people), ("frame", known.frames))
        )  # fmt: skip
        return known.scores[:, person, frame]


Draw = Callable[[Census, np.random.Generator], Drawn]


def like_the_eec(known: Census, rng: np.random.Generator) -> Drawn:
    """Ten names a cell of Black and White women and men, each name alike, in every frame."""
    people = known.people.filter(pl.col("race").is_in(["Black", "White"]))
    cells = [
        part[rng.choice(part.height, 10, replace=False)]
        for _, part in people.group_by(AXES, maintain_order=True)
    ]
    chosen = pl.concat(cells).select("person", *AXES, match=pl.lit("names"))
    return Drawn(known.frames.join(chosen, how="cross"), None)


def from_names_us(weights: str, people: int) -> Draw:
    """A draw as `names-us` makes it, with a seed of its own."""

    def draw(_: Census, rng: np.random.Generator) -> Drawn:
        corpus = load_corpus(
            "names-us", people=people, weights=weights, seed=int(rng.integers(2**31))
        )
        names = corpus.sentences().filter(pl.col("match") == "names")
        return Drawn(names, corpus.people)

    return draw


def truths(known: Census, contrast: Contrast, weights: str, groups: tuple[str, ...]) -> Array:
    """Every system's tilt over the whole population."""
    other = next(axis for axis in AXES if axis != contrast.axis)
    effect = known.scores.mean(axis=2)
    weight = known.people["bearers"].to_numpy().astype(np.float64)
    weight = weight if weights == "bearers" else np.ones(weight.size)
    every = list(groups) if other == "race" else ["female", "male"]
    found = np.zeros(len(effect))
    for cell in every:
        for group, sign in ((contrast.first, 1.0), (contrast.second, -1.0)):
            mine = (
                (known.people[contrast.axis] == group) & (known.people[other] == cell)
            ).to_numpy()
            found += sign / len(every) * np.average(effect[:, mine], axis=1, weights=weight[mine])
    return found


def simulate(
    known: Census,
    draw: Draw,
    weights: str,
    groups: tuple[str, ...],
    draws: int,
    seed: int,
) -> dict[str, list[Tally]]:
    """Race and gender by names, over many lists."""
    rng = np.random.default_rng(seed)
    contrasts = (RACE, GENDER)
    true = [truths(known, one, weights, groups) for one in contrasts]
    moved = true_shares(known, weights, groups)
    found = {name: [Tally(), Tally()] for name in known.systems}
    for _ in range(draws):
        drawn = draw(known, rng)
        scores = drawn.scores(known)
        study = tilt_study(drawn.sentences, scores, contrasts, AXES, None, drawn.design)
        for at, contrast in enumerate(contrasts):
            claim = next(one for one in study.claims(contrast) if one.kind == "names")
            for row, name in enumerate(known.systems):
                found[name][at].add(claim, row, float(true[at][row]), LEVEL / FAMILY)
        for one in moved_names(study.effects, "race", MARGIN):
            for row, name in enumerate(known.systems):
                if one.group in moved:
                    tally, share = found[name][0], one.shares[row]
                    tally.of_shares += 1
                    truth = float(moved[one.group][row])
                    tally.shares += not share.low - 1e-9 <= truth <= share.high + 1e-9
    return found


def true_shares(known: Census, weights: str, groups: tuple[str, ...]) -> dict[str, Array]:
    """By race, the share of the population that each system moves by more than the margin."""
    own = known.people["race"].is_in(list(groups)).to_numpy()
    effect = (known.scores - known.scores[:, own].mean(axis=1, keepdims=True)).mean(axis=2)
    apart = np.abs(effect - np.median(effect[:, own], axis=1, keepdims=True)) > MARGIN
    weight = known.people["bearers"].to_numpy().astype(np.float64)
    weight = weight if weights == "bearers" else np.ones(weight.size)
    found = {}
    for group in groups:
        mine = (known.people["race"] == group).to_numpy()
        found[group] = np.average(apart[:, mine], axis=1, weights=weight[mine])
    return found


# ---------------------------------------------------------------- couples in families


def couples_in_families(draws: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Families drawn from many, their couples alike or not; intervals of the mean over couples."""
    rng = np.random.default_rng(seed)
    kinds = {
        "couples apart": (0.0, 0.02),
        "couples in families": (0.02, 0.005),
        "one couple in fifty moved by 20 points": (-1.0, 0.2),
    }
    for name, (family, couple) in kinds.items():
        tally = Tally()
        whole = _couple_effects(rng, 400, family, couple)
        truth = float(np.concatenate(whole).mean())
        for _ in range(draws):
            chosen = [whole[at] for at in rng.choice(400, 8, replace=False)]
            claim = couples_claim_of(chosen, rng)
            tally.add(claim, 0, truth, LEVEL / FAMILY)
        yield name, *_cells(tally)[:4]


def _couple_effects(
    rng: np.random.Generator, families: int, family: float, couple: float
) -> list[Array]:
    sizes = rng.integers(1, 4, families)
    if family < 0:  # one in fifty
        return [np.where(rng.random(size) < 0.02, couple, 0.0) for size in sizes]
    return [
        family * rng.standard_normal() + couple * rng.standard_normal(size) for size in sizes
    ]  # fmt: skip


def couples_claim_of(families: list[Array], rng: np.random.Generator) -> Claim:
    """The claim on some couples, each in 20 frames whose words move scores by 20 points."""
    frames = pl.DataFrame(
        [{"frame": f"1/joy/w{at}", "template": "1", "emotion": "joy", "emotion_word": f"w{at}"}
         for at in range(20)]
    )  # fmt: skip
    words = 0.2 * rng.standard_normal(20)
    rows, values, people = [], [], []
    for nth, effects in enumerate(families):
        for at, effect in enumerate(effects):
            match = f"{nth}-{at}"
            people.append((match, f"f{nth}"))
            for gender, shift in (("female", effect), ("male", 0.0)):
                rows.append(frames.with_columns(
                    match=pl.lit(match), gender=pl.lit(gender), person=pl.lit(f"{match}{gender}")
                ))  # fmt: skip
                values.append(0.5 + words + shift)
    design = pl.DataFrame(
        {"match": [m for m, _ in people], "person": [f"{m}female" for m, _ in people],
         "family": [f for _, f in people], "bearers": None, "weight": 1.0, "probability": None,
         "frames": 20},
        schema_overrides={"bearers": pl.Int64, "probability": pl.Float64, "frames": pl.Int64},
    )  # fmt: skip
    study = tilt_study(
        pl.concat(rows), np.concatenate(values)[None], [GENDER], ["gender"], None, design
    )
    return study.claims(GENDER)[0]


# ---------------------------------------------------------------- told


def _percent(many: int, of: int) -> str:
    return f"{100 * many / max(of, 1):.1f} %"


def _cells(tally: Tally) -> tuple[str, ...]:
    missed = tally.below + tally.above
    return (
        _percent(missed, tally.draws),
        f"{100 * float(np.mean(tally.reach)):.2f}",
        f"{_percent(tally.above, tally.draws)} / {_percent(tally.below, tally.draws)}",
        f"{_percent(tally.given, tally.draws)}, wrong {_percent(tally.wrong, tally.draws)}",
        _percent(tally.shares, tally.of_shares) if tally.of_shares else "–",
    )


def twelve_verdicts(known: Census) -> str:
    """The packaged systems on the EEC, on one draw of `names-us`, and over all its names."""
    groups = ("Black", "White", "Asian or Pacific", "Hispanic")
    listed, drawn = (
        audit(list(SYSTEMS), corpus, reference=reference, family=FAMILY, measures="pairs").tilts
        for corpus, reference in (("eec", None), ("names-us", {"race": "White"}))
    )
    rows = []
    for axis, contrast in (("race", RACE), ("gender", GENDER)):
        true = truths(known, contrast, "bearers", groups)
        for system in SYSTEMS:
            own = {"system": system, "axis": axis, "subset": "names"}
            first = None if listed is None else listed.filter(**own)
            second = None if drawn is None else drawn.filter(**own, contrast=contrast.name)
            if first is None or second is None:
                raise SystemExit("an audit without verdicts")
            exact = float(true[known.systems.index(system)])
            whole = "tilted" if abs(exact) > MARGIN else "even"
            said = second["verdict"][0]
            agrees = "–" if said == "undecided" else "yes" if said == whole else "NO"
            rows.append(
                (system, f"{axis}, {contrast.name}", _verdict(first), _verdict(second),
                 f"{100 * exact:.2f}: {whole}", agrees)
            )  # fmt: skip
    columns = ("system", "claim by names", "eec, 40 names", "names-us, 300 names a cell",
               "all names, each bearer alike", "agrees")  # fmt: skip
    return table(columns, rows)


def _verdict(row: pl.DataFrame) -> str:
    value, low, high = (100 * float(row[name][0]) for name in ("value", "low", "high"))
    return f"{value:.2f} ({low:.2f} to {high:.2f}): {row['verdict'][0]}"


COLUMNS = (
    "misses at 5 %",
    "half-width, points",
    "false *tilted* / *even* on the margin",
    "verdicts given, family of 12",
)


def told(found: dict[str, list[Tally]]) -> str:
    """A row a system; race and gender in each cell."""
    rows = []
    for name, (race, gender) in found.items():
        first, second = _cells(race), _cells(gender)
        both = (f"{a}; {b}" for a, b in zip(first[:4], second[:4], strict=True))
        rows.append((name, *both, first[4]))
    return table(("race; gender, by names", *COLUMNS, "misses of the share moved"), rows)


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    known = with_planted(census(), np.random.default_rng(0))
    two, four = ("Black", "White"), ("Black", "White", "Asian or Pacific", "Hispanic")
    print(f"{draws:,} draws each from {known.people.height:,} names, margin {MARGIN:g}\n")
    print("### The EEC's size: ten names a cell, each name alike, all 144 frames\n")
    print(told(simulate(known, like_the_eec, "names", two, draws, 1)), flush=True)
    for weights in ("bearers", "names"):
        print(f"### names-us, 300 names a cell, 8 frames, {weights}\n")
        run = simulate(known, from_names_us(weights, 300), weights, four, draws, 2)
        print(told(run), flush=True)
    print("### Twelve verdicts, corrected for 12 comparisons\n")
    print(twelve_verdicts(known), flush=True)
    print("### Couples: eight families of one to three couples\n")
    print(table(("what moves couples", *COLUMNS), list(couples_in_families(draws, 3))))


if __name__ == "__main__":
    main()
