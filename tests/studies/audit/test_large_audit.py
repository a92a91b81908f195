"""An audit in parts finds what the audit in memory finds, and leaves the same files behind."""

import json
from pathlib import Path

import polars as pl
import pytest
from msgspec import structs
from polars.testing import assert_frame_equal

import tiltmeter
from large_corpora import in_parts_too, write_corpus_of
from tiltmeter.corpora import corpus as corpora
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Settings, plan
from tiltmeter.scoring.corpus_scores import LargeRun
from tiltmeter.scoring.forecast import forecast
from tiltmeter.systems import Card, System

SYSTEMS = ["vader", "random:seed=3", "constant", "tilted:gender=0.03,noise=0.05", "biased-female"]

LABEL_TABLES = ("flips", "label-gaps", "label-shares", "tilt-ranks")
"""Which an audit in parts leaves out."""


@pytest.fixture(scope="module", autouse=True)
def _small_blocks():
    """Blocks of a few frames, so that a small corpus has many."""
    patch = pytest.MonkeyPatch()
    patch.setattr(tiltmeter.corpora.Corpus.blocks, "__defaults__", (50,))
    yield
    patch.undo()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus_of(tmp_path_factory.mktemp("corpus") / "grown.toml", 4)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def both(corpus, store):
    """The same audit in memory and in parts, from scores stored by neither other's blocks."""
    held = tiltmeter.audit(SYSTEMS, corpus, store=store / "held", stream=False, flips=0)
    parts = tiltmeter.audit(SYSTEMS, corpus, store=store / "parts", stream=True)
    assert isinstance(parts.runs[0], LargeRun)
    return held, parts


def test_every_number_is_that_of_the_audit_in_memory(both):
    held, parts = both
    assert_frame_equal(parts.estimates, in_parts_too(held), rel_tol=1e-9, abs_tol=1e-12)
    assert set(parts.estimates["measure"]) >= {
        "mean_difference", "tilt", "tilt_people", "moved", "marginal_effect",
        "total_effect",
    }  # fmt: skip


def test_every_finding_is_worded_alike(both):
    held, parts = both
    assert parts.findings["sentence"].to_list() == held.findings["sentence"].to_list()
    assert parts.findings["significance"].equals(held.findings["significance"])


def test_scores_and_sentences_are_the_same_tables(both):
    held, parts = both
    assert_frame_equal(parts.scores, held.scores)
    assert parts.sentences.equals(held.sentences)


def test_the_folder_holds_the_same_tables(both, tmp_path):
    held, parts = both
    held.report(tmp_path / "held", individual=True)
    parts.report(tmp_path / "parts", individual=True)
    names = {path.relative_to(tmp_path / "held") for path in (tmp_path / "held").rglob("*")}
    left_out = {Path("tables", f"{name}.csv") for name in LABEL_TABLES}
    assert names - left_out == {
        path.relative_to(tmp_path / "parts") for path in (tmp_path / "parts").rglob("*")
    }
    for name in ("people.csv", "matches.csv", "templates-words.csv", "largest-pairs.csv"):
        mine, theirs = (pl.read_csv(tmp_path / way / "tables" / name) for way in ("parts", "held"))
        assert_frame_equal(mine, theirs, abs_tol=1e-9, check_row_order=name != "largest-pairs.csv")
    page = (tmp_path / "parts" / "report.html").read_text()
    assert "gone through in parts" in page
    assert "0.0122 points" in page or "0.012 points" in page


def test_boxes_on_the_page_are_within_the_stated_error(both):
    from tiltmeter.stats.moments import ERROR
    from tiltmeter.studies.paired.comparison import boxes_of

    held, parts = (one.compared[0] for one in both)
    for contrast in (("gender", "female-male"), ("race", "A-B")):
        mine, theirs = boxes_of(parts, *contrast), boxes_of(held, *contrast)
        assert abs(mine[:, 1:4] - theirs[:, 1:4]).max() <= ERROR


def test_the_corpus_facts_are_those_of_all_pairs(both):
    held, parts = both
    assert parts.run.corpora[0].pairs == held.run.corpora[0].pairs
    assert parts.run.statistics == structs.replace(held.run.statistics, flips=None)


@pytest.mark.usefixtures("both")
def test_a_second_run_asks_nothing_and_finds_the_same_bytes(corpus, store, tmp_path):
    for nth, workers in enumerate((1, 4)):
        again = tiltmeter.audit(
            SYSTEMS, corpus, store=store / "parts", stream=True, settings=Settings(workers=workers)
        )
        assert sum(scored.asked for scored in again.runs[0].scored) == 0
        again.report(tmp_path / str(nth))
    first, second = (json.loads((tmp_path / n / "findings.json").read_text()) for n in "01")
    assert first.pop("environment")
    assert second.pop("environment")
    assert first == second


def test_repeats_are_averaged_and_their_noise_told(corpus, store):
    given = iter(range(10**6))

    def answer(texts):
        return [0.5 + 0.001 * (next(given) % 7) for _ in texts]

    restless = System(Card("restless"), answer)
    parts = tiltmeter.audit(
        [restless], corpus, store=store / "r", stream=True, settings=Settings(repeats=3)
    )
    held = tiltmeter.audit(
        [restless], corpus, store=store / "r", stream=False, flips=0,
        settings=Settings(repeats=3, reuse="stored"),
    )  # fmt: skip
    assert_frame_equal(parts.estimates, in_parts_too(held), rel_tol=1e-7, abs_tol=1e-10)
    one, other = (run.runs[0].scored[0] for run in (parts, held))
    assert one.noise == pytest.approx(other.noise)
    assert "over 3 repeats" in " ".join(one.remarks)


def test_answers_beyond_the_scale_and_unknown_scales_are_told(corpus, store):
    systems = {"far": lambda texts: [float(len(text)) for text in texts]}
    parts = tiltmeter.audit(systems, corpus, store=store / "f", stream=True)
    held = tiltmeter.audit(systems, corpus, store=store / "f", stream=False, flips=0)
    assert_frame_equal(parts.estimates, in_parts_too(held), rel_tol=1e-9, abs_tol=1e-12)
    assert parts.runs[0].scored[0].remarks == held.runs[0].scored[0].remarks
    assert "unbounded" in " ".join(parts.runs[0].scored[0].remarks)


def test_large_corpora_go_in_parts_by_themselves(corpus, store, monkeypatch):
    monkeypatch.setattr(corpora, "LARGE", 100)
    audit = tiltmeter.audit(["vader"], corpus, store=store / "parts")
    assert isinstance(audit.runs[0], LargeRun)
    assert audit.run.corpora[0].checksum.startswith("in-order-")
    sampled = tiltmeter.audit(["vader"], corpus, store=store / "parts", sample=4)
    assert not isinstance(sampled.runs[0], LargeRun)
    [told] = forecast(["vader"], tiltmeter.load_corpus(corpus), store=store / "parts")
    assert (told.requests, told.known) == (0, audit.runs[0].size)
    [new] = forecast(["textblob"], tiltmeter.load_corpus(corpus), store=store / "parts")
    assert (new.requests, new.known) == (audit.runs[0].size, 0)


def test_score_writes_the_table_as_it_reads_it(corpus, store):
    run = tiltmeter.score(["vader"], corpus, store=store / "parts", stream=True)
    assert run.lazy_scores().collect().equals(run.scores)
    assert run.lazy_scores().head(3).collect().height == 3
    assert run.lazy_scores().select("id").filter(pl.col("id").str.ends_with("p01")).collect().height


def test_mixed_errors_are_refused_before_anything_is_asked(corpus, tmp_path):
    with pytest.raises(TiltmeterError, match="take errors crossed"):
        tiltmeter.audit(["vader"], corpus, store=tmp_path / "s", stream=True, errors="mixed")
    assert not (tmp_path / "s").exists()


def test_files_of_scores_are_not_streamed(both, corpus, tmp_path):
    both[0].scores.filter(system="vader").select("id", "score").write_csv(tmp_path / "v.csv")
    with pytest.raises(TiltmeterError, match="in memory"):
        tiltmeter.audit([tmp_path / "v.csv"], corpus, stream=True)


def test_frames_that_do_not_stand_together_are_refused(corpus, tmp_path):
    every = tiltmeter.load_corpus(corpus).sentences()
    every.sort("person").write_parquet(tmp_path / "mixed.parquet")
    with pytest.raises(TiltmeterError, match=r"do not all stand together.*stream=False"):
        tiltmeter.audit(["vader"], tmp_path / "mixed.parquet", store=tmp_path / "s", stream=True)


def test_blocks_are_cut_alike_for_asking_and_reading():
    assert plan.ROWS == corpora.ROWS
