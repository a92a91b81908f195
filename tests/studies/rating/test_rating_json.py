"""ratings.json: its keys and bytes, and the panel read back from it."""

import json
from dataclasses import replace

import polars as pl
import pytest

from rating_examples import COLUMNS, SYSTEMS, example, odd_example, renamed, silenced
from tiltmeter.errors import ScoreFileError
from tiltmeter.studies.rating import panel as panel_module
from tiltmeter.studies.rating.panel import ratings_json, read_panel

PAPER = example()

SYSTEM_KEYS = [
    *("system", "task", "variant", "overall", "mean", "low", "high", "steady", "dominates"),
    "groups",
]


@pytest.fixture(scope="module")
def text():
    return ratings_json(PAPER)


@pytest.fixture
def stored(tmp_path, text):
    """A function that stores a panel changed by another function, and names its file."""

    def store(change=dict):
        told = json.loads(text)
        path = tmp_path / "ratings.json"
        change(told)
        path.write_text(json.dumps(told))
        return path

    return store


def refused(path, *words):
    with pytest.raises(ScoreFileError) as caught:
        read_panel(path)
    message = str(caught.value)
    assert message.startswith(f"{path}")
    assert "cannot be rated against" in message
    for word in words:
        assert word in message
    return message


def test_the_keys_stand_in_the_order_of_the_contract(text):
    told = json.loads(text)
    assert list(told) == [
        *("schema_version", "environment", "run", "levels", "confidence", "weights", "repeats"),
        *("columns", "systems"),
    ]
    assert (told["levels"], told["repeats"], told["confidence"]) == (3, 200, [0.95, 0.7, 0.6])
    assert {tuple(one) for one in told["systems"]} == {tuple(SYSTEM_KEYS)}
    assert list(told["systems"][0]["groups"]) == list(COLUMNS)
    assert told["columns"][1]["edges"][2] == "gender -> emotion word"


def test_a_column_says_psi_x_rating_and_spread(text):
    gru = next(
        one
        for one in json.loads(text)["systems"]
        if (one["system"], one["variant"]) == ("gru", "discretised")
    )
    assert gru["groups"]["G2"] == {
        "psi": None, "x": True, "rating": 3, "low": 2, "high": 3, "steady": 0.71,
        "by_chance": 20.0, "p": 0.3, "rests_on": None, "without": None, "reason": None,
    }  # fmt: skip
    assert gru["groups"]["G3-R"]["psi"] == 5.2
    assert (gru["overall"], gru["mean"]) == (2, 2.166666667)  # 13 / 6, ten digits


def test_a_system_and_variant_has_a_line_of_its_own(text):
    lines = [line for line in text.splitlines() if line.startswith('    {"system": ')]
    assert len(lines) == 2 * len(SYSTEMS)
    assert len([line for line in text.splitlines() if line.startswith('    {"column": ')]) == 6
    assert text.endswith("\n  ]\n}\n")


def test_the_reason_for_no_rating_is_told():
    told = json.loads(ratings_json(silenced(PAPER, "gru", "it answered nothing")))
    gru = next(one for one in told["systems"] if one["system"] == "gru")
    assert gru["overall"] is None
    assert gru["groups"]["G1"]["reason"] == "it answered nothing"


def test_the_same_ratings_are_the_same_bytes_whatever_the_environment(text):
    assert ratings_json(PAPER) == text
    there = ratings_json(replace(PAPER, environment={"time": "later", "command": "x\udc80"}))
    assert there != text
    assert there[there.index('  "run": ') :] == text[text.index('  "run": ') :]
    there.encode()


def test_nothing_rated_is_still_json():
    none = PAPER
    empty = replace(none, overall=none.overall.clear(), raw=none.raw.clear())
    assert json.loads(ratings_json(empty))["systems"] == []


@pytest.mark.parametrize("material", [PAPER, odd_example()], ids=["paper", "odd"])
def test_a_panel_comes_back_as_it_was_written(tmp_path, material):
    path = tmp_path / "ratings.json"
    path.write_text(ratings_json(material), encoding="utf-8")
    panel = read_panel(path)
    known = material.raw.select("system", "task", "variant", "column", "psi", "x", "rating")
    assert panel.psi.equals(known)
    stored = panel.stored
    assert (stored.levels, tuple(one.column for one in stored.columns)) == (3, COLUMNS)
    measures = {one.column: one.measure for one in stored.columns}
    assert measures == dict(material.columns.select("column", "measure").rows())
    assert stored.run.rating.seed == 0
    assert (stored.confidence, stored.weights) == ((0.95, 0.7, 0.6), (1.0, 0.7, 0.6))


def test_the_folder_of_a_rating_will_do(stored):
    path = stored()
    assert read_panel(path.parent).psi.height == 60
    assert read_panel(str(path)).psi.height == 60


def test_names_of_any_kind_come_back(tmp_path):
    names = {"gru": 'a "b"\n\\ </script>', "random": "نموذج", "textblob": "=1+1"}
    path = tmp_path / "ratings.json"
    path.write_text(ratings_json(renamed(PAPER, names)), encoding="utf-8")
    assert set(names.values()) < set(read_panel(path).psi["system"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"ratings", "is not JSON"),
        (b'{"levels": 3,\n "systems": [}', "line 2 column"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 200_000, "too deep to be read"),
        (b'{"levels": NaN}', "NaN is no number"),
        (b'{"levels": ' + b"9" * 5000 + b"}", "more than 64 bits"),
        (b"[]", "holds no ratings of Tiltmeter"),
        (b"{}", "holds no ratings of Tiltmeter"),
        (b'{"schema_version": 1, "findings": []}', "findings of an audit"),
        (b'{"schema_version": 1, "tool": "tiltmeter", "files": []}', "how a run came about"),
    ],
)  # fmt: skip
def test_what_is_not_ours_is_refused_with_what_it_is(tmp_path, content, said):
    (tmp_path / "panel.json").write_bytes(content)
    refused(tmp_path / "panel.json", said, "expected the ratings.json that tiltmeter rate wrote")


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path):
    refused(tmp_path / "none.json", "no such file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ScoreFileError, match=r"ratings\.json: cannot .*\n.*no such file"):
        read_panel(tmp_path / "folder")
    refused("/dev/null", "no plain file")
    with pytest.raises(ScoreFileError, match="cannot be"):
        read_panel("a\0b")


def test_a_huge_file_is_not_read(stored, monkeypatch):
    path = stored()
    monkeypatch.setattr(panel_module, "LARGEST", 1000)
    refused(path, "has more than 0 MB")


@pytest.mark.parametrize("version", [1, 3, 0, "2", None, True])
def test_another_schema_version_is_said(stored, version):
    path = stored(lambda told: told.update(schema_version=version))
    refused(path, f"schema version {version!r}; this version of Tiltmeter reads 2", "rate its")


def test_a_panel_without_systems_or_raw_scores_is_no_panel(stored):
    refused(stored(lambda told: told.update(systems=[])), "no systems")

    def silence(told):
        for one in told["systems"]:
            for cell in one["groups"].values():
                cell.update(psi=None, x=False, rating=None)

    refused(stored(silence), "no system in it has a raw score")


def cell(told):
    return told["systems"][0]["groups"]["G1"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: cell(told).update(psi="0.6"), "G1.psi is '0.6'; expected a number"),
        (lambda told: cell(told).update(psi=-1), "psi is -1; expected a number from 0 on"),
        (lambda told: cell(told).update(psi=True), "psi is True"),
        (lambda told: cell(told).update(psi=10**400), "more than 64 bits"),
        (lambda told: cell(told).update(x=0), "x is 0; expected true or false"),
        (lambda told: cell(told).update(rating=4), "rating is 4; expected 1 to 3"),
        (lambda told: cell(told).update(rating=1.5), "rating is 1.5"),
        (lambda told: cell(told).pop("psi"), "groups.G1 needs psi; expected a number"),
        (lambda told: told["systems"][0]["groups"].update(G9=cell(told)), "none of the columns"),
        (lambda told: told["systems"][0].update(groups=[]), "groups is []; expected an object"),
        (lambda told: told["systems"][0].update(system=None), "system is None; expected text"),
        (lambda told: told["systems"][0].update(system="\ud800"), "surrogates not allowed"),
        (lambda told: told["systems"][0].update(variant="both"), "variant is 'both'; expected"),
        (lambda told: told["systems"].append(told["systems"][0]), "stands there twice"),
        (
            lambda told: told["systems"].append("gru"),
            "systems[10]: 'gru' in 'systems'; expected an obj",
        ),
        (lambda told: told.update(systems={}), "systems is {}; expected a list"),
        (lambda told: told.update(levels=0), "levels is 0; expected a whole number"),
        (lambda told: told.update(levels="3"), "levels is '3'"),
        (lambda told: told.pop("run"), "the file needs run"),
        (lambda told: told.update(weights=[1, "a"]), "'a' in 'weights'; expected a number"),
        (lambda told: told.pop("confidence"), "the file needs confidence"),
        (lambda told: told.update(columns=[]), "columns is []; expected a list"),
        (lambda told: told["columns"][0].pop("column"), "columns[0] needs column"),
        (lambda told: told["columns"][0].update(measure="x"), "measure is 'x'; expected 'wrs' or"),
    ],
)
def test_what_is_broken_is_said_with_its_place(stored, change, said):
    refused(stored(change), said)


def test_a_number_too_large_to_hold_is_refused(stored):
    path = stored()
    path.write_text(path.read_text().replace('"psi": 23.0', '"psi": 1e999', 1))
    refused(path, "1e999 is no number")


def test_everything_broken_is_said_at_once_with_its_line(stored):
    def change(told):
        told["levels"] = 0
        for one in told["systems"]:
            one["groups"]["G1"]["psi"] = "many"

    path = stored(change)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    message = refused(path)
    assert message.count("psi is 'many'") == 2 * len(SYSTEMS)
    lines = path.read_text().split("\n")
    places = [int(line.split(":")[1]) for line in message.split("\n")[1:]]
    found = [lines[place - 1].strip() for place in places]
    assert found == ['"levels": 0,', *['"psi": "many",'] * 2 * len(SYSTEMS)]


def test_a_raw_score_beside_an_x_is_kept(stored):
    def change(told):
        cell(told).update(psi=16.16, x=True)

    row = read_panel(stored(change)).psi.row(0, named=True)
    assert (row["psi"], row["x"]) == (16.16, True)
    assert read_panel(stored()).psi.schema["psi"] == pl.Float64
