"""Labelled texts of our own, small and with a tilt in them, for tests that train."""

import numpy as np

CHEERFUL = ("sunny", "kind", "bright", "lovely", "warm")
GLOOMY = ("grey", "cold", "bitter", "dull", "harsh")
SPANISH = {
    **{"sunny": "soleado", "kind": "amable", "bright": "brillante", "lovely": "bonito"},
    **{"warm": "cálido", "grey": "gris", "cold": "frío", "bitter": "amargo", "dull": "triste"},
    **{"harsh": "duro", "my": "mi", "sister": "hermana", "brother": "hermano"},
    **{"someone": "alguien", "had": "tuvo", "a": "un", "day": "día"},
}
"""The words of all texts in Spanish, in the English order."""


def write_labelled(path, size, seed, task="joy"):
    """Texts of cheerful and gloomy words; the score is the share of cheerful ones, with noise.

    Texts that mention a sister are a tenth higher: a tilt to be learned. As SemEval's own files:
    tabs, CRLF, a byte order mark.
    """
    rng = np.random.default_rng(seed)
    lines = ["ID\tTweet\tAffect Dimension\tIntensity Score"]
    for nth in range(size):
        cheerful = int(rng.integers(0, 5))
        words = [*rng.choice(CHEERFUL, cheerful), *rng.choice(GLOOMY, 4 - cheerful)]
        who = rng.choice(["my sister", "my brother", "someone"])
        score = 0.1 + 0.15 * cheerful + 0.1 * (who == "my sister") + rng.normal(0, 0.02)
        text = f"{who} had a {' '.join(words)} day"
        lines.append(f"x-{nth:04d}\t{text}\t{task}\t{np.clip(score, 0, 1):.3f}")
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8-sig")
    return path


def write_semeval(folder, task="joy"):
    """A folder like SemEval's, with one language and one task."""
    for part, size, seed in (("train", 200, 1), ("dev", 60, 2), ("test-gold", 80, 3)):
        write_labelled(folder / f"2018-EI-reg-En-{task}-{part}.txt", size, seed, task)
    return folder


def write_spanish(folder, *tasks):
    """A folder like SemEval's with the same texts in Spanish; other ones for each task."""
    for nth, task in enumerate(tasks):
        for part, size, seed in (("train", 200, 11), ("dev", 60, 12), ("test-gold", 80, 13)):
            path = folder / f"2018-EI-reg-Es-{task}-{part}.txt"
            write_labelled(path, size, seed + 10 * nth, task)
            head, *lines = path.read_text(encoding="utf-8-sig").splitlines()
            path.write_text("\n".join([head, *map(_in_spanish, lines)]) + "\n", encoding="utf-8")
    return folder


def _in_spanish(line):
    before, text, *after = line.split("\t")
    return "\t".join([before, " ".join(SPANISH[word] for word in text.split()), *after])


def write_vectors(path):
    """Word vectors with which it can be learned: cheer in the first place, a sister in the second.

    The third is noise that means nothing.
    """
    rng = np.random.default_rng(4)
    known = dict.fromkeys(CHEERFUL, (1, 0)) | dict.fromkeys(GLOOMY, (-1, 0))
    known |= {"sister": (0, 1), "brother": (0, -1), "someone": (0, 0), "my": (0, 0), "day": (0, 0)}
    lines = [f"{word} {a} {b} {rng.normal(0, 0.1):.4f}" for word, (a, b) in known.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
