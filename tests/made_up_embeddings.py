"""Studies of embeddings made up for tests: numbers that fit each other, and odd states.

Shares follow from probabilities and RNSB from shares, as in METHODS §5; intervals are the
log-odds ± a made-up error. glove has every term, news lacks some and has religion refused,
texts is an encoder with SEAT. Everything is drawn from fixed seeds.
"""

from dataclasses import fields, replace
from itertools import combinations
from math import exp

import numpy as np
import polars as pl

from tiltmeter.studies.embeddings.rnsb import with_corrected_p
from tiltmeter.studies.embeddings.study import Embeddings

HOSTILE = "<img src=x onerror=alert(1)>"
LONG = ("a term of two hundred characters, " * 6)[:200].strip()
ARABIC = ("سويدي", "مكسيكي", "ألماني", "روسي")
GLOVE, NEWS, TEXTS = "glove-6b-50d", "news-word2vec", "minilm"
ORIGIN, RELIGION, NAMES = "national-origin", "religion", "race-names"
TITLES = {ORIGIN: "National origin", RELIGION: "Religion", NAMES: "Names by race"}
TERMS = {
    ORIGIN: (
        "swedish", "irish", "mexican", "chinese", "filipino", "german", "english", "french",
        "norwegian", "american", "indian", "dutch", "russian", "scottish", "italian",
    ),
    RELIGION: ("catholic", "christian", "islamic", "protestant", "atheist", "hindu", "buddhist"),
    NAMES: ("Adam", "Harry", "Josh", "Katie", "Nancy", "Alonzo", "Jamel", "Theo", "Ebony",
            "Latisha"),
}  # fmt: skip
GROUPS = {
    NAMES: {
        **dict.fromkeys(TERMS[NAMES][:5], "European American"),
        **dict.fromkeys(TERMS[NAMES][5:], "African American"),
    }
}
MISSING = {
    (NEWS, ORIGIN): ("swedish", "filipino", "norwegian"),
    (NEWS, RELIGION): ("islamic", "protestant", "atheist", "hindu", "buddhist"),
    (NEWS, NAMES): ("Latisha",),
}
LOG_ODDS = {
    (ORIGIN, "mexican"): 2.4, (ORIGIN, "russian"): 1.6, (ORIGIN, "indian"): 1.1,
    (ORIGIN, "swedish"): -2.6, (ORIGIN, "dutch"): -1.9, (ORIGIN, "english"): -1.2,
    (RELIGION, "islamic"): 2.2, (RELIGION, "atheist"): 1.4, (RELIGION, "buddhist"): -1.3,
    (NAMES, "Jamel"): 1.5, (NAMES, "Ebony"): 0.9, (NAMES, "Katie"): -1.4, (NAMES, "Nancy"): -0.8,
}  # fmt: skip
SPREAD = {GLOVE: 1.0, NEWS: 0.6, TEXTS: 0.3}
"""How far log-odds lie apart in each embedding."""
ERROR = 0.45
"""The standard error of a log-odds."""
REFUSED = (
    "the classifier tells positive from negative words in 54 % of held-out words (48 to 60 %); "
    "the floor is 60 % with an interval above 50 %"
)
FEW_NAMES = "4 of 32 target words are in the embedding; at least 2 a side are needed"
ODD_LINES = ("line 17: 49 values instead of 50, skipped", "2 words stand twice; the first was kept")

F, S, N, B = pl.Float64, pl.String, pl.Int64, pl.Boolean
SCHEMAS = {
    "embeddings": {"embedding": S, "spec": S, "kind": S, "format": S, "dimension": N, "digest": S,
                   "licence": S, "asked": N, "found": N, "respelled": N},
    "classifiers": {"embedding": S, "lexicon": S, "n_positive": N, "n_negative": N, "missing": N,
                    "ridge": F, "chosen_by": S, "classes": S, "accuracy": F, "balanced": F,
                    "balanced_low": F, "balanced_high": F, "auc": F, "log_loss": F, "folds": N,
                    "reason": S},
    "ridges": {"embedding": S, "ridge": F, "log_loss": F, "se": F, "balanced": F, "chosen": B},
    "rnsb": {"embedding": S, "list": S, "title": S, "rnsb": F, "low": F, "high": F, "bias": F,
             "even_low": F, "even_high": F, "by_chance": F, "p": F, "n_terms": N, "n_found": N,
             "coverage": F, "most": S, "least": S, "reason": S},
    "terms": {"embedding": S, "list": S, "term": S, "group": S, "found_as": S, "probability": F,
              "low": F, "high": F, "share": F, "share_low": F, "share_high": F, "log_odds": F},
    "groups": {"embedding": S, "list": S, "first": S, "second": S, "n_first": N, "n_second": N,
               "mean_first": F, "mean_second": F, "difference": F, "low": F, "high": F, "p": F,
               "exact": B},
    "comparisons": {"list": S, "first": S, "second": S, "n_terms": N, "rnsb_first": F,
                    "rnsb_second": F, "difference": F, "low": F, "high": F, "joint_low": F,
                    "joint_high": F},
    "correlations": {"embedding": S, "list": S, "first": S, "second": S, "r": F},
    "plane": {"embedding": S, "list": S, "text": S, "kind": S, "x": F, "y": F, "x_share": F,
              "y_share": F},
    "weat": {"embedding": S, "test": S, "title": S, "kind": S, "first": S, "second": S, "good": S,
             "bad": S, "effect": F, "low": F, "high": F, "p": F, "exact": B, "permutations": N,
             "n_first": N, "n_second": N, "n_good": N, "n_bad": N, "missing": N, "published": F,
             "reason": S},
    "associations": {"embedding": S, "test": S, "side": S, "word": S, "association": F},
    "others": {"embedding": S, "test": S, "measure": S, "value": F, "reason": S},
    "links": {"embedding": S, "system": S, "task": S, "corpus": S, "n": N, "pearson": F, "low": F,
              "high": F, "p": F, "spearman": F, "spearman_low": F, "spearman_high": F, "slope": F,
              "reason": S},
    "link_names": {"embedding": S, "system": S, "task": S, "person": S, "group": S, "log_odds": F,
                   "deviation": F, "n": N},
    "link_gaps": {"embedding": S, "system": S, "task": S, "axis": S, "first": S, "second": S,
                  "gap": F, "carried": F, "low": F, "high": F, "share": F},
    "mitigation": {"embedding": S, "direction": S, "method": S, "measure": S, "what": S,
                   "value": F, "low": F, "high": F, "n": N, "reason": S},
}  # fmt: skip


def frame(name, rows=()):
    """A frame of the material with its columns; a key that is left out is null."""
    columns = SCHEMAS[name]
    full = [{column: row.get(column) for column in columns} for row in rows]
    return pl.DataFrame(full, schema=columns, orient="row")


def made_up_material(embeddings=(GLOVE, NEWS, TEXTS), lists=(ORIGIN, RELIGION, NAMES), *,
                     refused=(), terms=None, mode="corrected", polarity="negative",
                     further=True, **changes):  # fmt: skip
    """A study; `refused` names embeddings without a classifier, `terms` replaces a list's words.

    Without `further` there is RNSB alone: no WEAT, link or mitigation. `changes` replace fields.
    """
    words = {name: tuple((terms or {}).get(name, TERMS.get(name, TERMS[RELIGION])))
             for name in lists}  # fmt: skip
    good = [name for name in embeddings if name not in refused]
    rows = [row for name in embeddings for of in lists
            for row in _terms(name, of, words[of], name in refused)]  # fmt: skip
    told = frame("terms", rows)
    rnsb = frame("rnsb", [_rnsb(told, name, of, name in refused)
                          for name in embeddings for of in lists])  # fmt: skip
    kept = rnsb.filter(pl.col("reason").is_null()).select("embedding", "list").rows()
    empty = {one.name: frame(one.name) for one in fields(Embeddings)
             if one.name in SCHEMAS}  # fmt: skip
    made = empty | {
        "embeddings": frame("embeddings", [_embedding(n, words) for n in embeddings]),
        "classifiers": frame("classifiers", [_classifier(n, n in refused) for n in embeddings]),
        "ridges": frame("ridges", [row for n in embeddings for row in _ridges(n)]),
        "rnsb": rnsb,
        "terms": told,
        "groups": frame("groups", [row for pair in kept for row in _groups(told, *pair)]),
        "comparisons": frame("comparisons", list(_comparisons(rnsb))),
        "correlations": frame(
            "correlations", [row for pair in kept for row in _correlations(told, *pair, mode)]
        ),
        "plane": frame("plane", [row for pair in kept for row in _plane(told, *pair)]),
    }  # fmt: skip
    if further and good:
        made |= {
            "weat": frame("weat", [row for n in good for row in _weat(n)]),
            "associations": frame("associations", [row for n in good for row in _associations(n)]),
            "others": frame("others", [row for n in good for row in _others(n)]),
            "links": frame("links", list(_links(good[0]))),
            "link_names": frame("link_names", list(_link_names(good[0]))),
            "link_gaps": frame("link_gaps", [_link_gap(good[0])]),
            "mitigation": frame("mitigation", list(_mitigation(good[0], lists[0]))),
        }  # fmt: skip
    run = {
        "mode": mode, "polarity": polarity, "seed": 0, "resamples": 1000, "coverage": 0.7,
        "lexicon": "hu-liu", "lists": list(lists), "draws": 10000,
    }  # fmt: skip
    made |= {
        "run": run,
        "environment": {
            "command": f"tiltmeter embeddings {' '.join(embeddings)} -o out",
            "time": "2025-11-16T12:00:00Z", "platform": "Linux x86_64",
            "versions": {"tiltmeter": "0.8.0", "numpy": "2.3.4", "polars": "1.35.2"},
        },
        "notes": ("The Hu & Liu lists were read from ../shared/data/hu-liu; 3 words that stand in "
                  "both lists were dropped.",),
        "remarks": dict.fromkeys(embeddings[:1], ODD_LINES),
    }  # fmt: skip
    made |= {name: with_corrected_p(made[name]) for name in ("rnsb", "groups", "weat", "links")}
    return replace(Embeddings(**made), **changes)


def one_embedding():
    """One embedding and one list, nothing else."""
    return made_up_material((GLOVE,), (ORIGIN,), further=False, notes=(), remarks={})


def all_refused():
    """Not one classifier tells positive from negative words."""
    return made_up_material((GLOVE, NEWS), refused=(GLOVE, NEWS))


def many_embeddings(many=40):
    """So many that a figure per embedding would be a wall."""
    return made_up_material(tuple(f"glove-{n:02d}" for n in range(many)), (ORIGIN, RELIGION),
                            further=False)  # fmt: skip


def odd_material():
    """Names and terms that are markup, very long, Arabic; a refused embedding; a reason each."""
    origin = (HOSTILE, LONG, *ARABIC, "swedish", 'it\'s "quoted" & more', "\x00bell\x07")
    made = made_up_material((HOSTILE, LONG, "متجهات"), (ORIGIN, HOSTILE), refused=(LONG,),
                            terms={ORIGIN: origin, HOSTILE: ARABIC})  # fmt: skip
    weat = made.weat.with_columns(title=pl.lit(HOSTILE), first=pl.lit(HOSTILE), good=pl.lit(LONG))
    names = made.link_names.with_columns(person=pl.col("person") + " " + HOSTILE)
    return replace(made, weat=weat, link_names=names, notes=(HOSTILE, LONG),
                   remarks={HOSTILE: (HOSTILE,)})  # fmt: skip


def _random(*parts):
    return np.random.default_rng([ord(char) for char in "/".join(parts)])


def _odds(embedding, of, term):
    noise = _random(embedding, of, term).normal(0, 0.35)
    return SPREAD.get(embedding, 0.8) * (LOG_ODDS.get((of, term), -0.2) + noise)


def _chance(odds):
    return 1 / (1 + exp(-odds))


def _terms(embedding, of, words, refused):
    """Rows of one list; P of a term is its probability over the sum of all."""
    gone = MISSING.get((embedding, of), ())
    found = [word for word in words if word not in gone]
    odds = {word: _odds(embedding, of, word) for word in found}
    error = ERROR * SPREAD.get(embedding, 0.8)
    ends = {word: [_chance(odds[word] + by * error) for by in (-1.96, 0, 1.96)] for word in found}
    total = sum(middle for _, middle, _ in ends.values())
    for word in words:
        row = {"embedding": embedding, "list": of, "term": word,
               "group": GROUPS.get(of, {}).get(word)}  # fmt: skip
        if word in odds:
            spelled = word.lower() if embedding == NEWS and of == NAMES else word
            row |= {"found_as": spelled}
        if word in odds and not refused:
            low, middle, high = ends[word]
            row |= {"probability": middle, "low": low, "high": high, "share": middle / total,
                    "share_low": low / (total - middle + low),
                    "share_high": high / (total - middle + high),
                    "log_odds": odds[word]}  # fmt: skip
        yield row


def _rnsb(terms, embedding, of, refused):
    own = terms.filter(embedding=embedding, list=of)
    held = own.filter(pl.col("found_as").is_not_null())
    coverage = held.height / own.height
    row = {"embedding": embedding, "list": of, "title": TITLES.get(of, of), "n_terms": own.height,
           "n_found": held.height, "coverage": coverage}  # fmt: skip
    if refused:
        return row | {"reason": REFUSED}
    if coverage < 0.7:
        return row | {"reason": f"{held.height} of {own.height} terms are in the embedding "
                                f"({100 * coverage:.0f} %); the floor is 70 %"}  # fmt: skip
    share = held["share"].to_numpy()
    value = float((share * np.log(share * len(share))).sum())
    chance = 0.045 * SPREAD.get(embedding, 0.8)
    by_size = held.sort("share")["term"]
    return row | {
        "rnsb": value, "low": 0.72 * value, "high": 1.35 * value, "bias": 0.02 * value,
        "even_low": 0.4 * chance, "even_high": 2.1 * chance, "by_chance": chance,
        "p": float(min(1, exp(-6 * (value / chance - 0.6)))), "most": by_size[-1],
        "least": by_size[0],
    }  # fmt: skip


def _embedding(name, words):
    asked = 6800 + sum(map(len, words.values()))
    return {
        "embedding": name, "spec": f"../shared/data/{name}", "format":
        {NEWS: "word2vec binary", TEXTS: "sentence encoder"}.get(name, "GloVe text"),
        "kind": "texts" if name == TEXTS else "words",
        "dimension": {NEWS: 300, TEXTS: 384}.get(name, 50), "digest": "9f2c" * 16,
        "licence": "PDDL" if name == GLOVE else None, "asked": asked,
        "found": asked - (1200 if name == NEWS else 310 if name != TEXTS else 0),
        "respelled": 11 if name == NEWS else 0,
    }  # fmt: skip


def _classifier(name, refused):
    balanced = 0.54 if refused else {GLOVE: 0.87, NEWS: 0.93, TEXTS: 0.96}.get(name, 0.85)
    return {
        "embedding": name, "lexicon": "Hu & Liu 2004", "n_positive": 1_893, "n_negative": 4_312,
        "missing": 581, "ridge": 3.16, "chosen_by": "10-fold cross-validation",
        "classes": "balanced", "accuracy": balanced + 0.02, "balanced": balanced,
        "balanced_low": balanced - 0.06 * (1 if refused else 0.2),
        "balanced_high": balanced + 0.06 * (1 if refused else 0.2),
        "auc": min(0.99, balanced + 0.05), "log_loss": 0.31, "folds": 10,
        "reason": REFUSED if refused else None,
    }  # fmt: skip


def _ridges(name):
    for nth, ridge in enumerate(10.0 ** np.arange(-3, 3.5, 0.5)):
        away = nth - 7
        yield {"embedding": name, "ridge": float(ridge), "log_loss": 0.31 + 0.004 * away**2,
               "se": 0.012, "balanced": 0.87 - 0.003 * away**2, "chosen": nth == 7}  # fmt: skip


def _groups(terms, embedding, of):
    own = terms.filter(
        pl.col("probability").is_not_null() & pl.col("group").is_not_null(),
        embedding=embedding, list=of,
    )  # fmt: skip
    means = own.group_by("group", maintain_order=True).agg(pl.col("probability").mean(), pl.len())
    for first, second in combinations(means.rows(), 2):
        gap = first[1] - second[1]
        yield {"embedding": embedding, "list": of, "first": first[0], "second": second[0],
               "n_first": first[2], "n_second": second[2], "mean_first": first[1],
               "mean_second": second[1], "difference": gap, "low": gap - 0.12,
               "high": gap + 0.12, "p": 0.0317, "exact": True}  # fmt: skip


def _comparisons(rnsb):
    """Every two embeddings of a list, as if all terms of the smaller one were in both."""
    kept = rnsb.filter(pl.col("rnsb").is_not_null())
    for of in kept["list"].unique(maintain_order=True):
        for first, second in combinations(kept.filter(list=of).to_dicts(), 2):
            gap = first["rnsb"] - second["rnsb"]
            yield {"list": of, "first": first["embedding"], "second": second["embedding"],
                   "n_terms": min(first["n_found"], second["n_found"]),
                   "rnsb_first": first["rnsb"], "rnsb_second": second["rnsb"],
                   "difference": gap, "low": gap - 0.03, "high": gap + 0.03,
                   "joint_low": gap - 0.04, "joint_high": gap + 0.04}  # fmt: skip


def _correlations(terms, embedding, of, mode):
    """Every two terms: r over resamples, or the outer product of one fit."""
    own = terms.filter(pl.col("probability").is_not_null(), embedding=embedding, list=of)
    chance = dict(own.select("term", "probability").rows())
    for first in chance:
        for second in chance:
            near = 1 - 2 * abs(chance[first] - chance[second])
            r = chance[first] * chance[second] if mode == "published" else (
                1.0 if first == second else max(-0.95, min(0.95, near)))  # fmt: skip
            yield {"embedding": embedding, "list": of, "first": first, "second": second, "r": r}


def _plane(terms, embedding, of):
    rng = _random(embedding, of, "plane")
    own = terms.filter(pl.col("probability").is_not_null(), embedding=embedding, list=of)
    both = {"embedding": embedding, "list": of, "x_share": 0.093, "y_share": 0.061}
    for kind, middle, many in (("positive", (-1.2, 0.4), 120), ("negative", (1.1, -0.3), 120)):
        for nth, (x, y) in enumerate(rng.normal(middle, 1.0, (many, 2))):
            yield both | {"text": f"{kind}{nth}", "kind": kind, "x": float(x), "y": float(y)}
    for term, odds in own.select("term", "log_odds").rows():
        x, y = rng.normal((0.4 * odds, 2.0), (0.4, 0.5))
        yield both | {"text": term, "kind": "term", "x": float(x), "y": float(y)}


TESTS = (
    ("weat-1", "Flowers and insects", "flowers", "insects", "pleasant", "unpleasant", 1.50),
    ("weat-3", "Names by race (32)", "European American names", "African American names",
     "pleasant", "unpleasant", 1.41),
    ("weat-6", "Career and family", "men's names", "women's names", "career", "family", 1.81),
    ("weat-10", "Young and old people's names", "young people's names", "old people's names",
     "pleasant", "unpleasant", 1.21),
)  # fmt: skip


def _weat(embedding):
    kind = "seat" if embedding == TEXTS else "weat"
    for nth, (test, title, first, second, good, bad, published) in enumerate(TESTS):
        row = {"embedding": embedding, "test": test, "title": title, "kind": kind, "first": first,
               "second": second, "good": good, "bad": bad, "n_good": 25, "n_bad": 24,
               "missing": nth, "published": published}  # fmt: skip
        if embedding == NEWS and test == "weat-3":
            yield row | {"n_first": 3, "n_second": 1, "missing": 28,
                         "reason": FEW_NAMES}  # fmt: skip
            continue
        effect = published * SPREAD.get(embedding, 0.8) * (0.9 - 0.3 * nth * (nth == 3))
        yield row | {
            "effect": effect, "low": effect - 0.4, "high": min(2.0, effect + 0.35), "n_first": 8,
            "n_second": 8, "p": 0.0003 if nth < 3 else 0.21, "exact": nth == 3,
            "permutations": 12870 if nth == 3 else 100_000,
        }  # fmt: skip


def _associations(embedding):
    for side, words, middle in (("first", ("John", "Paul", "Mike"), 0.06),
                                ("second", ("Amy", "Joan", "Lisa"), -0.04)):  # fmt: skip
        for nth, word in enumerate(words):
            yield {"embedding": embedding, "test": "weat-6", "side": side, "word": word,
                   "association": middle + 0.01 * nth}  # fmt: skip


def _others(embedding):
    for measure, value in (("ect", 0.81), ("rnd", -0.12), ("ripa", 0.34), ("mac", 0.97)):
        yield {"embedding": embedding, "test": "weat-6", "measure": measure, "value": value}


def _links(embedding):
    yield {"embedding": embedding, "system": "embedding-mlp", "task": "valence", "corpus": "eec",
           "n": 40, "pearson": 0.62, "low": 0.38, "high": 0.78, "p": 0.0001, "spearman": 0.58,
           "spearman_low": 0.31, "spearman_high": 0.76, "slope": -0.011}  # fmt: skip
    yield {"embedding": embedding, "system": "constant", "task": "valence", "corpus": "eec",
           "n": 40, "reason": "the system scores sentences with every name alike"}  # fmt: skip


def _link_names(embedding):
    rng = _random(embedding, "link")
    people = ("Alan", "Adam", "Amanda", "Betsy", "Ebony", "Jasmine", "Jamel", "Malik", "Latisha",
              "Terrence", "Katie", "Harry")  # fmt: skip
    for nth, person in enumerate(people):
        odds = float(rng.normal(0.6 if 4 <= nth < 10 else -0.5, 0.6))
        yield {"embedding": embedding, "system": "embedding-mlp", "task": "valence",
               "person": person, "group": "African American" if 4 <= nth < 10 else
               "European American", "log_odds": odds, "n": 144,
               "deviation": -0.011 * odds + float(rng.normal(0, 0.006))}  # fmt: skip


def _link_gap(embedding):
    return {"embedding": embedding, "system": "embedding-mlp", "task": "valence", "axis": "race",
            "first": "African American", "second": "European American", "gap": -0.021,
            "carried": -0.013, "low": -0.019, "high": -0.007, "share": 0.62}  # fmt: skip


MENDED = {
    ("rnsb", ORIGIN): (0.31, 0.27, 0.29, 0.18), ("weat", "weat-6"): (1.63, 0.24, 0.71, 0.11),
    ("similarity", "made-up pairs"): (0.55, 0.55, 0.55, 0.49),
    ("analogies", "own list"): (0.46, 0.46, 0.46, 0.39), ("neighbours", ""): (1.0, 0.97, 0.98, 0.8),
    ("accuracy", ""): (0.87, 0.87, 0.87, 0.84), ("cluster", "occupations"): (0.96, 0.88, 0.91, 0.6),
    ("probe", "occupations"): (0.97, 0.9, 0.92, 0.52),
}  # fmt: skip


def _mitigation(embedding, of):
    for (measure, what), values in MENDED.items():
        what = of if measure == "rnsb" else what
        for method, value in zip(("none", "hard", "soft", "inlp"), values, strict=True):
            row = {"embedding": embedding, "direction": "gender", "method": method,
                   "measure": measure, "what": what or None, "n": 40}  # fmt: skip
            if measure == "analogies" and method == "inlp":
                yield row | {"reason": "fewer than 10 analogies could be asked"}
            else:
                yield row | {"value": value, "low": 0.9 * value, "high": 1.1 * value}
