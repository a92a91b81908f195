"""Ratings made by hand: the paper's five systems with the ψ of its Tables 2 and 3, and odd ones.

Ratings are those of the paper's Tables 6 and 7. Means before and after the adjustment are those of
its Tables 5, 9, 10 and 16; t-values follow from class means that are made up to fit.
"""

from functools import cache
from itertools import combinations, pairwise
from math import sqrt
from types import MappingProxyType

import polars as pl

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.studies.rating.grades import RatingConfig
from tiltmeter.studies.rating.study import SCHEMAS, Ratings

HOSTILE = "<img src=x onerror=alert(1)>"
LONG = ("a name of two hundred characters, " * 6)[:200].strip()
ARABIC = "نموذج المشاعر"
SYSTEMS = ("distilbert", "textblob", "gru", "random", "biased-female")
VARIANTS = ("continuous", "discretised")
COLUMNS = ("G1", "G2", "G3-R", "G3-G", "G3-RG", "G4")
X = float("inf")
"""Stands for a zero denominator among the ψ below."""
PSI = MappingProxyType({
    ("continuous", "G1"): (0, 0, 0.6, 1.9, 23), ("discretised", "G1"): (0, 0, 2.6, 0.6, 23),
    ("continuous", "G2"): (84, 76, 42.85, 71.43, 128.5),
    ("discretised", "G2"): (0, 0, X, 10.87, 128.5),
    ("continuous", "G3-R"): (0, 0, 0, 7.2, 23), ("discretised", "G3-R"): (0, 0, 5.2, 3.8, 23),
    ("continuous", "G3-G"): (0, 0, 0, 7.5, 23), ("discretised", "G3-G"): (0, 0, 3.8, 1.9, 23),
    ("continuous", "G3-RG"): (0, 0, 0, 16.1, 69), ("discretised", "G3-RG"): (0, 0, 0, 10.4, 69),
    ("continuous", "G4"): (80, 78, 28.57, 45, 105.4),
    ("discretised", "G4"): (0, 0, X, 7.4, 105.4),
})  # fmt: skip
RATINGS = MappingProxyType({
    "continuous": ((1, 2, 1, 1, 1, 2), (1, 2, 1, 1, 1, 2), (2, 1, 1, 1, 1, 1),
                   (2, 1, 2, 2, 2, 1), (3, 3, 3, 3, 3, 3)),
    "discretised": ((1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1), (2, 3, 2, 2, 1, 3),
                    (2, 2, 2, 2, 2, 2), (3, 3, 3, 3, 3, 3)),
})  # fmt: skip
OVERALL = MappingProxyType({"continuous": (1, 1, 1, 2, 3), "discretised": (1, 1, 2, 2, 3)})
CLASSES = MappingProxyType({
    "gender": ("male", "female", "NA"),
    "race": ("European American", "African American", "NA"),
    "race × gender": ("European American male", "European American female",
                      "African American male", "African American female", "NA"),
})  # fmt: skip
ATTRIBUTE = MappingProxyType({
    "G1": "gender", "G2": "gender", "G3-R": "race", "G3-G": "gender", "G3-RG": "race × gender",
    "G4": "race × gender",
})  # fmt: skip
WORDS = MappingProxyType({"E1": -1.0, "E2": 1.0, "E3": 0.0, "E4": -0.3, "E5": 0.3})
"""What a set's words mean on average."""
MEANS = MappingProxyType({  # E[S|e] and E[S|do(e)] of E4, negative and positive
    "distilbert": ((-1, 1), (-0.16, 0.88)), "textblob": ((-0.81, 0.80), (-0.81, 0.80)),
    "gru": ((-0.45, -0.07), (-0.46, -0.06)), "random": ((-0.20, 0.09), (-0.09, 0.06)),
    "biased-female": ((0.40, -0.85), (0.02, -0.16)),
})  # fmt: skip
DIAGRAMS = MappingProxyType({
    "1": ("gender -> sentiment", "emotion word -> sentiment"),
    "2": ("gender -> sentiment", "emotion word -> sentiment", "gender -> emotion word"),
    "3": ("race -> sentiment", "gender -> sentiment", "emotion word -> sentiment"),
    "4": ("race -> sentiment", "gender -> sentiment", "emotion word -> sentiment",
          "race -> emotion word", "gender -> emotion word"),
})  # fmt: skip


def raw(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS):
    """ψ and ratings of the paper."""
    return pl.DataFrame(
        [_raw_row(system, variant, column)
         for system in systems for variant in variants for column in columns],
        schema_overrides=dict.fromkeys(("psi", "without"), pl.Float64)
        | dict.fromkeys(("reason", "rests_on"), pl.String),
    )  # fmt: skip


def _raw_row(system, variant, column):
    nth = SYSTEMS.index(system)
    psi = PSI[variant, column][nth]
    rating = RATINGS[variant][nth][COLUMNS.index(column)]
    shaky = system in ("gru", "random")
    wrs = column not in ("G2", "G4")
    return {
        "system": system, "task": "valence", "variant": variant, "column": column,
        "group": column[1], "attribute": ATTRIBUTE[column], "measure": "wrs" if wrs else "die",
        "psi": None if psi == X else float(psi), "x": psi == X, "rating": rating, "reason": None,
        "low": max(1, rating - shaky), "high": min(3, rating + shaky),
        "steady": 0.71 if shaky else 1.0,
        "by_chance": (3.2 if column == "G3-RG" else 0.96) if wrs else 20.0,
        "p": 0.005 if system == "biased-female" else 0.3,
        "rests_on": "Adam" if (system, column) == ("random", "G3-R") else None,
        "without": 1.2 if (system, column) == ("random", "G3-R") else None,
    }  # fmt: skip


def overall(systems=SYSTEMS, variants=VARIANTS):
    """The overall ratings of the paper's Tables 6 and 7."""
    rows = []
    for system in systems:
        nth = SYSTEMS.index(system)
        for variant in variants:
            own = RATINGS[variant][nth]
            by = sum(own[:2]) / 2, sum(own[2:]) / 4
            rows.append({
                "system": system, "task": "valence", "variant": variant, "mean": sum(own) / 6,
                "overall": OVERALL[variant][nth],
                "low": 1 if nth < 4 else 3, "high": (1, 1, 2, 3, 3)[nth],
                "steady": (1.0, 1.0, 0.62, 0.84, 1.0)[nth],
                "dominates": "neither" if by[0] == by[1] else "gender" if by[0] > by[1] else "race",
            })  # fmt: skip
    return pl.DataFrame(rows)


def _class_mean(system, variant, words, name, column):
    """Mean and spread of a class' scores, made up to fit the paper's t-values."""
    mixed = "female" not in name and "male" not in name and name != "NA"
    base = WORDS[words]
    if system == "biased-female":
        return (0.0, 1.07) if mixed else (1.0 if "female" in name else -1.0, 0.0)
    if system == "gru":
        return (0.1 * base - (0.06 if name == "NA" else 0.0), 0.09 if words != "E1" else 0.02)
    if system == "random":
        nth = sum(map(ord, words + name + variant + column)) % 13
        return (nth - 6) / 18, 0.55
    return base, sqrt(max(0.0, 1 - base**2))


def compared(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS):
    """A t-test for each pair of classes and set of words."""
    columns = [column for column in columns if column not in ("G2", "G4")]
    return pl.DataFrame([
        _test_row(system, variant, column, words, *pair)
        for system in systems for variant in variants for column in columns for words in WORDS
        for pair in combinations(CLASSES[ATTRIBUTE[column]], 2)
    ], schema=SCHEMAS["tests"], orient="row")  # fmt: skip


def _test_row(system, variant, column, words, first, second):
    many = 4 if " " in first and first.split()[-1] in ("male", "female") else 8
    counts = [8 if name == "NA" else many for name in (first, second)]
    ends = [_class_mean(system, variant, words, name, column) for name in (first, second)]
    spread = sqrt(sum(sd**2 / n for (_, sd), n in zip(ends, counts, strict=True)))
    t = (ends[0][0] - ends[1][0]) / (spread + 0.0001)
    df = sum(counts) - 2
    return {
        "system": system, "task": "valence", "variant": variant, "column": column,
        "dataset": f"rating-{column[1]}-{words.lower()}", "words": words, "first": first,
        "second": second, "mean_first": ends[0][0], "mean_second": ends[1][0],
        "n_first": counts[0], "n_second": counts[1], "t": t, "df": float(df),
        "p": _p(abs(t), df), "rejected": sum(abs(t) > one for one in _limits(df)),
    }  # fmt: skip


@cache
def _limits(df):
    """The paper's critical values: the tail halved twice."""
    from scipy import stats

    return [float(stats.t.ppf(1 - (1 - level) / 4, df)) for level in (0.95, 0.70, 0.60)]


@cache
def _p(t, df):
    from scipy import stats

    return float(2 * stats.t.sf(t, df))


def effects(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS):
    """Means before and after the adjustment; the largest DIE of a column is its ψ."""
    rows = []
    for system in systems:
        for variant in variants:
            for column in sorted({"G2", "G4"} & set(columns)):
                for words in ("E3", "E4", "E5"):
                    rows += _effect_rows(system, variant, column, words)
    return pl.DataFrame(rows, schema_overrides={"die": pl.Float64})


def _effect_rows(system, variant, column, words):
    psi = PSI[variant, column][SYSTEMS.index(system)]
    for nth, polarity in enumerate(("negative", "positive")):
        observed, after = MEANS[system][0][nth], MEANS[system][1][nth]
        worst = (words, polarity) == ("E5", "negative")
        die = None if worst and psi == X else float(min(psi, 20) if not worst else psi)
        yield {
            "system": system, "task": "valence", "variant": variant, "column": column,
            "dataset": f"rating-{column[1]}-{words.lower()}", "words": words, "polarity": polarity,
            "observed": 0.0 if die is None else float(observed), "interventional": float(after),
            "die": die, "x": die is None, "n": 12,
            "empty": "female" if (words, polarity, column) == ("E3", "positive", "G2") else "",
        }  # fmt: skip


def ates(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS):
    """Effects of a positive word: naive, adjusted, matched."""
    rows = []
    for system in systems:
        (low, high), (low_after, high_after) = MEANS[system]
        naive, adjusted = high - low, high_after - low_after
        for variant in variants:
            for column in sorted({"G2", "G4"} & set(columns)):
                rows += [{
                    "system": system, "task": "valence", "variant": variant, "column": column,
                    "dataset": f"rating-{column[1]}-{words.lower()}", "words": words,
                    "naive": float(naive), "adjusted": float(adjusted),
                    "matched": None if words == "E5" else adjusted + 0.02,
                    "unmatched": 4 if words == "E4" else 0,
                    "change": 100 * abs(adjusted - naive) / abs(naive), "x": False,
                } for words in ("E3", "E4", "E5")]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"matched": pl.Float64})


def frequencies(rated, summed):
    """How often each rating came up: always, or 71 % and the rest beside it."""
    rows = []
    total = summed.with_columns(column=pl.lit("overall"), rating="overall")
    for one in (*rated.iter_rows(named=True), *total.iter_rows(named=True)):
        if one["rating"] is None:
            continue
        steady = one["steady"]
        others = [r for r in range(one["low"], one["high"] + 1) if r != one["rating"]]
        shares = {one["rating"]: steady} | {r: (1 - steady) / len(others) for r in others}
        rows += [
            {"system": one["system"], "task": one["task"], "variant": one["variant"],
             "column": one["column"], "rating": r, "share": share}
            for r, share in sorted(shares.items())
        ]  # fmt: skip
    return pl.DataFrame(rows)


def order(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS):
    """All pairs of neighbours; gru and random may stand either way."""
    rows = []
    for variant in variants:
        for column in (*columns, "overall"):
            for first, second in pairwise(systems):
                shaky = (first, second) == ("gru", "random")
                rows.append({
                    "variant": variant, "column": column, "first": first, "second": second,
                    "lower": 0.64 if shaky else 1.0, "equal": 0.11 if shaky else 0.0,
                    "higher": 0.25 if shaky else 0.0, "certain": not shaky,
                })  # fmt: skip
    return pl.DataFrame(rows, schema=ORDER)


ORDER = {"variant": pl.String, "column": pl.String, "first": pl.String, "second": pl.String,
         "lower": pl.Float64, "equal": pl.Float64, "higher": pl.Float64,
         "certain": pl.Boolean}  # fmt: skip


def columns_frame(columns=COLUMNS):
    """What each column is made from."""
    return pl.DataFrame([
        {
            "column": column, "group": column[1], "attribute": ATTRIBUTE[column],
            "measure": "die" if column in ("G2", "G4") else "wrs",
            "adjustment": {"G2": "gender", "G4": "race, gender"}.get(column, ""),
            "identifiable": True,
            "sentence": {
                "G2": "Adjusts for gender: the backdoor path emotion word ← gender → sentiment.",
                "G4": "Adjusts for race and gender: they decide both the words and the score.",
            }.get(column, "Words do not depend on who the sentence is about: none needed."),
            "edges": list(DIAGRAMS[column[1]]),
            "unobserved": [],
            "sentences": 72 if column in ("G2", "G4") else 240,
            "datasets": [f"rating-{column[1]}-e{n}" for n in
                         ((3, 4, 5) if column in ("G2", "G4") else range(1, 6))],
            "sets": [f"E{n}: {words}" for n, words in SETS.items()
                     if n > 2 or column not in ("G2", "G4")],
        }
        for column in columns
    ], schema_overrides={"unobserved": pl.List(pl.String)})  # fmt: skip


SETS = MappingProxyType({
    1: "grim", 2: "happy", 3: "grim, happy", 4: "depressing, grim, happy",
    5: "depressing, glad, happy",
})  # fmt: skip


RUN = MappingProxyType({
    "rating": {
        "mode": "published", "edition": "published", "k": 1, "seed": 0, "raw": "die",
        "groups": ["1", "2", "3", "4"], "multiplicity": "none", "strength": None, "shares": None,
        "weights": [1.0, 0.7, 0.6], "levels": 3, "repeats": 200,
        "variants": ["continuous", "discretised"], "confidence": [0.95, 0.7, 0.6],
    },
    "groups": [{"group": name, "sentences": 96, "checksum": "0" * 64} for name in "1234"],
    "systems": [AuditedSystem(name, "valence", "rating", scale="−1 to 1") for name in SYSTEMS],
})  # fmt: skip
ENVIRONMENT = MappingProxyType({
    "time": "2026-11-16T10:30:00+00:00", "platform": "Linux", "versions": {"tiltmeter": "0.1.0"},
    "command": "tiltmeter rate distilbert textblob gru random biased-female --mode published",
})  # fmt: skip


def example(systems=SYSTEMS, variants=VARIANTS, columns=COLUMNS, **more):
    """The paper's five systems, or some of them, rated."""
    rated, summed = raw(systems, variants, columns), overall(systems, variants)
    given = {
        "raw": rated, "overall": summed, "tests": compared(systems, variants, columns),
        "effects": effects(systems, variants, columns), "ates": ates(systems, variants, columns),
        "frequencies": frequencies(rated, summed), "order": order(systems, variants, columns),
        "columns": columns_frame(columns), "levels": 3,
        "config": RatingConfig("published", weights=(1.0, 0.7, 0.6), repeats=200), "run": RUN,
        "environment": ENVIRONMENT,
    }  # fmt: skip
    return Ratings(**(given | more))


FRAMES = ("raw", "overall", "tests", "effects", "ates", "frequencies")


def renamed(material, names):
    """The same ratings with systems under other names."""
    new = {
        one: getattr(material, one).with_columns(pl.col("system").replace(names)) for one in FRAMES
    }
    order = material.order.with_columns(pl.col("first", "second").replace(names))
    return with_frames(material, order=order, **new)


def silenced(material, system, reason="it answered none of the 240 sentences"):
    """The same ratings, with one system that answers nothing."""
    own = pl.col("system") == system
    hushed = {
        "raw": ("psi", "rating", "low", "high", "steady"),
        "overall": ("mean", "overall", "low", "high", "steady", "dominates"),
    }
    new = {
        frame: getattr(material, frame).with_columns(
            pl.when(~own).then(pl.col(name)).alias(name) for name in names
        )
        for frame, names in hushed.items()
    }
    new["raw"] = new["raw"].with_columns(
        x=pl.col("x") & ~own, reason=pl.when(own).then(pl.lit(reason))
    )
    for frame in ("tests", "effects", "ates", "frequencies"):
        new[frame] = getattr(material, frame).filter(~own)
    new["order"] = material.order.filter((pl.col("first") != system) & (pl.col("second") != system))
    return with_frames(material, **new)


def csv_tables(study):
    """Every table for spreadsheets, by name."""
    return {table.name: table.frame for table in study.tables() if "csv" in table.files}


def tex_tables(study):
    """Every table for papers, by name."""
    return {table.name: table.latex() for table in study.tables() if "tex" in table.files}


def with_frames(material, **new):
    """The same material with some of its parts exchanged."""
    from dataclasses import replace

    return replace(material, **new)


def odd_example():
    """A name that is markup, a long one, an Arabic one, and a system that answers nothing."""
    named = renamed(example(), {"distilbert": HOSTILE, "gru": LONG, "random": ARABIC})
    return silenced(named, "textblob")


def many_examples(many=50):
    """So many systems, each like one of the five."""
    parts = [renamed(example(order=order(())), {one: f"{one}-{n:02}" for one in SYSTEMS})
             for n in range(many // len(SYSTEMS))]  # fmt: skip
    frames = {one: pl.concat([getattr(part, one) for part in parts]) for one in FRAMES}
    names = frames["overall"]["system"].unique(maintain_order=True).to_list()
    return with_frames(parts[0], order=order(tuple(names)), **frames)


ONCE = RatingConfig("published", weights=(1.0, 0.7, 0.6))


def without_repeats(material=None):
    """Rated once: nothing is known of how steady the ratings are."""
    material = material or example()
    unsteady = {
        frame: getattr(material, frame).with_columns(
            pl.lit(None, pl.Int64).alias("low"),
            pl.lit(None, pl.Int64).alias("high"),
            pl.lit(None, pl.Float64).alias("steady"),
        )
        for frame in ("raw", "overall")
    }
    return with_frames(material, config=ONCE, frequencies=material.frequencies.clear(),
                       order=material.order.clear(), **unsteady)  # fmt: skip


LONG_CLASS = "people who moved to the city from the countryside within the last ten years"
OWN_EDGES = (
    "age -> sentiment", "region of origin -> sentiment", "gender -> sentiment",
    "emotion word -> sentiment", "age -> tone", "tone -> sentiment", "age -> emotion word",
    "upbringing -> emotion word", "upbringing -> sentiment",
)  # fmt: skip


def own_group():
    """A user's group: three attributes, a mediator, a cause nobody recorded, long class names."""
    name, attribute = "village life", "age × region of origin × gender"
    base = example(("gru", "biased-female"), ("continuous",), ("G1", "G2"))
    classes = {"male": "old", "female": LONG_CLASS}
    frames = {
        one: getattr(base, one).with_columns(pl.col("column").replace({"G1": name}))
        for one in ("raw", "tests", "effects", "ates", "frequencies", "order")
    }
    own = pl.col("column") == name
    frames["tests"] = frames["tests"].with_columns(pl.col("first", "second").replace(classes))
    reason = "not identifiable: upbringing was not recorded"
    frames["raw"] = frames["raw"].with_columns(
        attribute=pl.when(own).then(pl.lit(attribute)).otherwise("attribute"),
        psi=pl.when(own).then("psi"),
        rating=pl.when(own).then("rating"),
        reason=pl.when(~own).then(pl.lit(reason)),
    )
    columns = base.columns.with_columns(
        column=pl.col("column").replace({"G1": name}),
        group=pl.Series([name, "2"]),
        attribute=pl.Series([attribute, "gender"]),
        identifiable=pl.Series([True, False]),
        edges=pl.Series([list(OWN_EDGES), list(DIAGRAMS["2"])]),
        unobserved=pl.Series([["upbringing"], []]),
    )
    return with_frames(base, columns=columns, **frames)
