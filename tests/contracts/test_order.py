"""What is said of the same answers does not change with their order, nor with rounding.

Answers tie in every way: two systems answer alike, the third the other way round, and scores are
a few round numbers, so that names, pairs, frames and whole comparisons are alike but for rounding.
"""

import json
import re

import numpy as np
import polars as pl
import pytest

from audit_folders import sentences_of
from command_line import tiltmeter

SYSTEMS = {"anna": 1.0, "berta": 1.0, "carla": -1.0}
DUST = 1e-15
DAYS = {"old": 0.02, "new": 0.05}
GATE = "gender<=0.01, race<=0.01"
FUNCTIONS = """
import zlib

def noise(text, name):
    return {dust} * (zlib.crc32((name + text).encode()) / 2**31 - 1)

def answer(texts, name, sign):
    women = ("she", "her", "Ebony", "Latisha", "Katie", "Nancy", "mother", "sister", "wife")
    return [
        0.25 + sign * 0.1 * any(word in text for word in women) + 0.05 * ("an" in text)
        + noise(text, name)
        for text in texts
    ]

def anna(texts): return answer(texts, "anna", 1)
def berta(texts): return answer(texts, "berta", 1)
def carla(texts): return answer(texts, "carla", -1)
"""


def tied_scores(sentences, tilt):
    """Scores of a few round numbers, higher for women and more so for every fourth name."""
    women = (sentences["gender"] == "female").fill_null(False).to_numpy()
    race = (sentences["race"] == "African American").fill_null(False).to_numpy()
    length = np.array([len(text) % 3 for text in sentences["text"]])
    names = sentences["person"].fill_null("")
    fourth = np.array([sum(map(ord, name)) % 4 == 0 for name in names])
    return 0.5 + tilt * women + 0.02 * length + 0.03 * race * women + 0.1 * fourth * women


def write_scores(folder, seed):
    """Both days' scores of every system; with a seed shuffled, each moved by ± 1e-15 or less."""
    sentences = sentences_of(60)
    for day, tilt in DAYS.items():
        (folder / day).mkdir(parents=True)
        for nth, (name, sign) in enumerate(SYSTEMS.items()):
            scores = tied_scores(sentences, tilt * sign)
            order = np.arange(scores.size)
            if seed is not None:
                rng = np.random.default_rng([seed, nth])
                scores, order = (
                    scores + rng.uniform(-DUST, DUST, scores.size),
                    rng.permutation(order),
                )
            frame = pl.DataFrame({"text": sentences["text"], "score": scores})
            frame[order].write_csv(folder / day / f"{name}.csv")


def visible_text(page):
    """What a page shows: no scripts, no marks and no time."""
    text = re.sub(
        r"(?s)<script.*?</script>|<style.*?</style>|<[^>]+>", " ", page.read_text("utf-8")
    )
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00", "", text)


def results(folder, seed):
    """All that two audits, a gate and a comparison say."""
    write_scores(folder, seed)
    said = {}

    def run(*words):
        done = tiltmeter(*words, folder=folder, TILTMETER_STORE="store")
        assert done.returncode in (0, 1), done.stderr
        said[words] = done.stdout

    for day in DAYS:
        files = [f"{day}/{name}.csv" for name in SYSTEMS]
        run("audit", *files, "--scale", "0:1", "-o", f"a-{day}", "--gate", GATE,
            "--summary", f"{day}.md")  # fmt: skip
        said[day, "gate"] = (folder / f"{day}.md").read_text("utf-8")
        said[day, "findings"] = json.loads((folder / f"a-{day}/findings.json").read_text())[
            "findings"
        ]
        said[day, "page"] = visible_text(folder / f"a-{day}/report.html")
    run("compare", "a-old", "a-new", "-o", "compared")
    said["compared"] = visible_text(folder / "compared/compare.html")
    return said


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return results(tmp_path_factory.mktemp("undisturbed"), None)


@pytest.mark.parametrize("seed", [1, 2])
def test_audits_gates_and_comparisons_say_the_same_in_any_order(undisturbed, tmp_path, seed):
    disturbed = results(tmp_path / "disturbed", seed)
    assert disturbed.keys() == undisturbed.keys()
    for part, expected in undisturbed.items():
        assert disturbed[part] == expected, part


def test_a_rating_says_the_same_whatever_rounding_adds(tmp_path):
    said = []
    for name, dust in (("undisturbed", 0.0), ("disturbed", DUST)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text(FUNCTIONS.format(dust=dust), encoding="utf-8")
        systems = [f"mine.py:{name}" for name in SYSTEMS]
        done = tiltmeter("rate", *systems, "--scale", "0:1", "--draws", "20", "--groups", "1,3",
                         "-o", "out", folder=folder, TILTMETER_STORE="store")  # fmt: skip
        assert done.returncode == 0, done.stderr
        page = re.sub(r"fingerprint \w+", "", visible_text(folder / "out/rating.html"))
        said.append((done.stdout, page))
    assert said[0] == said[1]
