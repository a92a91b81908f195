"""Claims on scores in hand, ready to be explained: twelve people, some with a planted effect."""

import polars as pl

from tiltmeter.claims.judge import judge_tilts
from tiltmeter.scoring.matrix import score_matrix
from tiltmeter.studies.explain.material import TiltMaterial, claims_of
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.tilt import tilt_estimates
from tiny import scores_of

AXES = {"gender": ["female", "male"], "region": ["north", "south"]}
NAMES = {
    ("female", "north"): ("Ann", "Eva", "Ida"), ("female", "south"): ("Bea", "Fay", "Joy"),
    ("male", "north"): ("Cid", "Gus", "Kit"), ("male", "south"): ("Dan", "Hal", "Lou"),
}  # fmt: skip
WORDS = [("joy", "glad"), ("joy", "happy"), ("anger", "angry"), ("anger", "furious")]
TEMPLATES = {"t1": "{p} feels {w}.", "t2": "I saw {p} {w} today."}
COUPLES = (("my mother", "my father"), ("my aunt", "my uncle"), ("my sister", "my brother"))


def sentences():
    """Twelve names and three couples in eight frames with a word and two without."""
    whom = [(name, gender, region, "names") for (gender, region), names in NAMES.items()
            for name in names]  # fmt: skip
    whom += [
        (person, gender, None, "/".join(pair))
        for pair in COUPLES
        for person, gender in zip(pair, ("female", "male"), strict=True)
    ]
    rows = [
        {
            "id": f"{template}-{word}-{person}", "text": text.format(p=person, w=word or "here"),
            "corpus": "planted", "edition": "corrected", "language": "en", "template": template,
            "person": person, "gender": gender, "region": region, "emotion": emotion,
            "emotion_word": word, "frame": f"{template}/{word}", "match": match,
        }
        for template, text in TEMPLATES.items()
        for emotion, word in [*WORDS, (None, None)]
        for person, gender, region, match in whom
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def material(values, of=None, *, raw=False, people=None):
    """The claims on one system's scores; `values` is an expression over the sentences' columns."""
    of = sentences() if of is None else of
    if isinstance(values, pl.Expr):
        values = of.select(values.cast(pl.Float64)).to_series().to_numpy()
    scores = scores_of(of, values, systems=["planted"], raw=raw)
    axes = {name: groups for name, groups in AXES.items() if name in of.columns}
    contrasts = [one for name, groups in axes.items() for one in contrasts_of(name, groups)]
    estimates = tilt_estimates(of, scores, contrasts, list(axes), people=people)
    matrix = score_matrix(scores, of)
    claims = claims_of(judge_tilts(estimates), matrix.submissions, of, {})
    width = matrix.submissions["width"].to_numpy()
    who = pl.DataFrame() if people is None else people
    return TiltMaterial("planted", of, matrix.values, width, tuple(axes), who, claims)


def claim(found, axis, kind="names"):
    """The one claim on an axis."""
    (one,) = [one for one in found.claims if (one.contrast.axis, one.kind) == (axis, kind)]
    return one


def is_person(*names):
    """Whether a sentence is about somebody of these."""
    return pl.col("person").is_in(list(names)).cast(pl.Float64)
