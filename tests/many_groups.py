"""A table with an axis of many groups, and a system's scores of it."""

import numpy as np
import polars as pl

from tiltmeter.corpora import load_corpus


def write_many_groups(folder, groups, people=3, every=6, planted=0.05, tasks=("anger", "joy")):
    """`table.csv` and `sys.csv` in a folder: names of each group in some frames of the EEC.

    Scores move with the emotion words. The second group, G01, has a planted tilt in every task.
    """
    frames = load_corpus("eec").sentences().filter(person="Ebony").gather_every(every)
    rng = np.random.default_rng(1)
    people_of = [(f"G{g:02}", f"Name{g:02}{chr(97 + n)}") for g in range(groups)
                 for n in range(people)]  # fmt: skip
    whims = 0.005 * rng.standard_normal(len(people_of))
    table = pl.concat(
        frames.select(
            pl.col("text").str.replace_all("Ebony", name), "template", "emotion", "emotion_word",
            person=pl.lit(name), race=pl.lit(group),
            level=pl.lit(whim + planted * (group == "G01")),
        )
        for (group, name), whim in zip(people_of, whims, strict=True)
    )  # fmt: skip
    table = table.sort("template", "emotion", "emotion_word", maintain_order=True)
    table = table.with_columns(id=pl.format("s{}", pl.int_range(pl.len())))
    word = pl.col("emotion_word").rank("dense").fill_null(0)
    scores = [
        table.select(
            "id", task=pl.lit(task),
            score=0.3 + 0.01 * word + pl.col("level")
            + pl.Series(0.01 * rng.standard_normal(table.height)),
        )
        for task in tasks
    ]  # fmt: skip
    table.drop("level").write_csv(folder / "table.csv")
    pl.concat(scores).write_csv(folder / "sys.csv")
    return folder / "table.csv", folder / "sys.csv"
