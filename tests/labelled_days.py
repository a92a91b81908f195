"""Labelled texts of our own, small and with a tilt in them, for tests that train."""

import numpy as np

CHEERFUL = ("sunny", "kind", "bright", "lovely", "warm")
GLOOMY = ("grey", "cold", "bitter", "dull", "harsh")


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
