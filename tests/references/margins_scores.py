"""Write margins_scores.csv: seven small sets of made-up scores in the shape of a corpus.

Run by hand, `python tests/references/margins_scores.py`, and then margins_regression.R; the tests
read what both have written. 24 people in four groups, five templates, three words.
"""

from pathlib import Path

import numpy as np

PLACE = Path(__file__).with_suffix(".csv")
PEOPLE, TEMPLATES, WORDS = 24, 5, 3
# set: mean on the logit scale, precision, spread of people, templates, templates × groups, frames
SETS = {
    "balanced": (0.3, 60.0, 0.25, 0.35, 0.15, 0.2),
    "strong": (-0.4, 200.0, 0.6, 0.8, 0.4, 0.3),
    "still": (0.1, 40.0, 0.0, 0.0, 0.0, 0.0),
    "missing": (0.2, 50.0, 0.2, 0.3, 0.2, 0.1),
    "few": (0.0, 80.0, 0.3, 0.3, 0.1, 0.2),
    "spread": (-0.2, 30.0, 0.1, 0.2, 0.1, 0.1),
    "edge": (3.0, 6.0, 0.3, 0.3, 0.0, 0.2),
}


def codes():
    """Person, template and word of every row, people last to vary."""
    return [a.ravel() for a in np.indices((PEOPLE, TEMPLATES, WORDS))]


def scores(name, rng):
    mean, precision, *spreads = SETS[name]
    person, template, word = codes()
    race, gender = person // 6 // 2, person // 6 % 2
    factors = (person, template, template * 4 + person // 6, template * WORDS + word)
    eta = mean + 0.2 * race - 0.1 * gender + 0.15 * race * gender
    for levels, spread in zip(factors, spreads, strict=True):
        eta = eta + spread * rng.standard_normal(levels.max() + 1)[levels]
    phi = precision * np.exp(0.9 * race - 0.5 * gender) if name == "spread" else precision
    mu = 1 / (1 + np.exp(-eta))
    y = np.clip(np.round(rng.beta(mu * phi, (1 - mu) * phi), 6), 1e-6, 1 - 1e-6)
    if name == "missing":
        y[rng.random(y.size) < 0.2] = np.nan
    if name == "few":
        y[(person % 6 > 2) | (template > 2)] = np.nan
    return y


def main():
    rng = np.random.default_rng(2022)
    columns = [scores(name, rng) for name in SETS]
    lines = [",".join(("person", "race", "gender", "template", "word", *SETS))]
    for row, (person, template, word) in enumerate(zip(*codes(), strict=True)):
        who = (person, person // 6 // 2, person // 6 % 2, template, word)
        values = ("" if np.isnan(column[row]) else f"{column[row]:.6f}" for column in columns)
        lines.append(",".join((*map(str, who), *values)))
    PLACE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
