"""Made-up regressions of a reproduction: the paper's tables 3 and 5, ours and theirs."""

import polars as pl

MEASURES = {"coefficient": 4.0, "coefficient_naive": 4.0, "marginal_effect": 1.0,
            "least_squares": 1.0}  # fmt: skip
CONTRASTS = {
    "gender": ("female-male", "male"),
    "race": ("Arab-Anglo", "Anglo"),
    "gender:race": ("female-male:Arab-Anglo", "male:Anglo"),
}
VALUES = {"gender": 0.02, "race": -0.001, "gender:race": 0.0}
PHRASES = {
    ("gender", "female"): "about women", ("gender", "male"): "about men",
    ("race", "Arab"): "with Arab names", ("race", "Anglo"): "with Anglo names",
}  # fmt: skip


def effects(systems, tasks, *, table=5, language="ar", corpus="eec-ar"):
    """Women 2 points higher, told apart from 0 only by naive errors; race 0.1 points lower."""
    rows = [
        {"table": table, "language": language, "corpus": corpus, "title": f"Corpus {corpus}",
         "system": system, "recipe": recipe, "task": task, "axis": axis, "contrast": contrast,
         "reference": reference, "measure": measure, "value": VALUES[axis] * times, "se": 0.01,
         "low": VALUES[axis] * times - 0.02, "high": VALUES[axis] * times + 0.02, "df": 18.0,
         "p": 0.03 if axis == "gender" and measure in ("coefficient_naive", "least_squares")
         else 0.4, "n": 1400, "reason": None}
        for task in tasks for system, recipe in systems.items()
        for measure, times in MEASURES.items()
        for axis, (contrast, reference) in CONTRASTS.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"reason": pl.String, "table": pl.Int64})


def published(name, recipe, task, values, *, corpus="eec-ar", language="ar", table=5):
    """What the paper prints of a system and task: race, gender, product, with stars."""
    rows = [
        {"table": table, "language": language, "corpus": corpus, "name": name, "recipe": recipe,
         "task": task, "axis": axis, "value": value, "stars": stars}
        for axis, (value, stars) in zip(("race", "gender", "gender:race"), values, strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64})


def languages(system, task):
    """A system whose gender effects differ between Arabic and English."""
    rows = [
        {"system": system, "task": task, "axis": axis, "contrast": contrast, "reference": reference,
         "measure": "marginal_effect", "unit": "scale", "corpus_first": "eec-ar",
         "language_first": "ar", "value_first": -0.02, "low_first": -0.03, "high_first": -0.01,
         "corpus_second": "eec-arab", "language_second": "en", "value_second": 0.01,
         "low_second": 0.0, "high_second": 0.02, "difference": -0.03, "se": 0.01, "low": -0.05,
         "high": -0.01, "df": 30.0, "p": 0.004 if axis == "gender" else 0.5}
        for axis, (contrast, reference) in CONTRASTS.items()
    ]  # fmt: skip
    return pl.DataFrame(rows)
