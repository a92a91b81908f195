"""A sentiment system of your own: a function from texts to numbers.

Score a corpus with it: tiltmeter score examples/my_system.py:score --scale 0:1
"""

CHEERFUL = {"happy", "glad", "relieved", "ecstatic", "excited", "great", "wonderful", "amazing"}
GLOOMY = {"sad", "miserable", "angry", "furious", "terrified", "grim", "horrible", "dreadful"}


def score(texts: list[str]) -> list[float]:
    """From 0 (gloomy) to 1 (cheerful), by counting words."""
    return [_one(text) for text in texts]


def _one(text: str) -> float:
    words = set(text.lower().strip(".").split())
    return 0.5 + 0.5 * (bool(words & CHEERFUL) - bool(words & GLOOMY))


if __name__ == "__main__":
    print(score(["My sister feels happy.", "My brother feels angry."]))
