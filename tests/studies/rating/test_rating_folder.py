"""The folder of a rating: its contract, what it replaces, and that nothing of others is lost."""

import hashlib
import json

import polars as pl
import pytest

from rating_examples import SYSTEMS, example, odd_example, renamed, with_frames
from tiltmeter.errors import OutputError
from tiltmeter.report.page import Page, Section
from tiltmeter.studies.rating import figures, view
from tiltmeter.studies.rating.figures import label_files
from tiltmeter.studies.rating.panel import read_panel

PAPER = example()
PAGE = Page("rating.html", "rating", Section("answer", ""))

SCORES = pl.DataFrame({"system": ["gru"], "task": ["valence"], "id": ["t1"], "score": [0.5]})
SENTENCES = pl.DataFrame({"id": ["t1"], "text": ["This boy feels grim."]})
TOP = {
    "run.json", "rating.html", "ratings.json", "scores.parquet", "sentences.parquet", "tables",
    "labels",
}  # fmt: skip


def write_rating_folder(study, scores, sentences, folder, **options):
    return with_frames(study, scores=scores, sentences=sentences).report(folder, **options)


@pytest.fixture
def quick(monkeypatch):
    """The page and labels stand in where a test is about files alone."""
    monkeypatch.setattr(view, "rating_page", lambda _: PAGE)
    monkeypatch.setattr(figures, "label_svg", lambda _, *whose: f"<svg>{whose}</svg>")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with the real page and labels, of systems named to make trouble."""
    folder = tmp_path_factory.mktemp("rating") / "out"
    write_rating_folder(
        renamed(odd_example(), {"biased-female": "=1+1"}), SCORES, SENTENCES, folder
    )
    return folder


def names_in(folder):
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}


def told(folder):
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def test_the_folder_holds_what_the_contract_says(written):
    assert {one.name for one in written.iterdir()} == TOP
    tables = {one.name for one in (written / "tables").iterdir()}
    assert {"ratings.csv", "raw-scores.csv", "ratings-continuous.tex", "die-g4-discretised.tex",
            "t-values-wide-g3-rg-discretised.csv"} <= tables  # fmt: skip


def test_no_file_is_left_half_written(written):
    assert not [name for name in names_in(written) if "/." in f"/{name}"]


def test_run_json_lists_every_other_file_with_its_digest(written):
    mark = told(written)
    assert list(mark) == ["schema_version", "tool", "complete", "environment", "run", "files"]
    assert mark["complete"] is True
    assert {one["file"] for one in mark["files"]} == names_in(written) - {"run.json"}
    for one in mark["files"]:
        data = (written / one["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"]


def test_the_page_and_the_labels_are_real(written):
    page = (written / "rating.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    labels = list((written / "labels").glob("*.svg"))
    assert len(labels) == 2 * len(SYSTEMS)
    assert all("<svg" in one.read_text(encoding="utf-8")[:200] for one in labels)


def test_no_cell_of_a_spreadsheet_is_a_formula(written):
    for path in written.rglob("*.csv"):
        for column in pl.read_csv(path, infer_schema_length=None).select(pl.col(pl.String)):
            assert not column.str.contains(r"^[=+\-@\t\r]").any()
    assert "'=1+1" in set(pl.read_csv(written / "tables" / "ratings.csv")["system"])


def test_the_folder_can_be_rated_against(written):
    assert "=1+1" in set(read_panel(written).psi["system"])


def test_scores_and_sentences_say_what_they_are_of(written):
    assert pl.read_parquet(written / "scores.parquet").equals(SCORES)
    about = pl.read_parquet_metadata(written / "sentences.parquet")
    assert (about["tiltmeter.edition"], about["tiltmeter.k"]) == ("published", "1")


def test_which_label_is_whose_is_listed(written):
    index = pl.read_csv(written / "labels" / "index.csv")
    assert index.columns == ["system", "task", "variant", "file"]
    assert {*index["file"], "index.csv"} == names_in(written / "labels")


def labelled(*rows):
    schema = ["system", "task", "variant"]
    made = with_frames(PAPER, overall=pl.DataFrame(rows, schema=schema, orient="row"))
    return label_files(made)["file"].to_list()


def test_names_of_labels_are_no_longer_than_they_must_be():
    both = [("Gru 2", "valence", "continuous"), ("Gru 2", "valence", "discretised")]
    assert labelled(*both) == ["gru-2.svg", "gru-2-discretised.svg"]
    tasks = [("a", "joy", "continuous"), ("a", "fear", "continuous"), ("b", "joy", "continuous")]
    assert labelled(*tasks) == ["a-joy.svg", "a-fear.svg", "b.svg"]


def test_no_two_labels_share_a_file():
    first, second = "continuous", "discretised"
    files = labelled(
        *(("x", "v", first), ("x", "v", second), ("x-discretised", "v", first), ("X", "v", first)),
        *(("n" * 300, "v", first), ("n" * 300, "v", second), ("../up", "v", first)),
        *(("a b", "c", first), ("a b", "d", first), ("a", "b c", first), ("a", "b d", first)),
        ("con", "v", first),
    )
    assert len(set(files)) == len(files)
    assert all(set(file) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for file in files)
    assert files[5].endswith("-discretised.svg")  # however long the name


@pytest.mark.usefixtures("quick")
class TestWriting:
    def test_the_terms_of_a_run_are_found_where_flow_puts_them(self, tmp_path):
        run = {"rating": {"edition": "corrected", "seed": 7}, "groups": []}
        write_rating_folder(with_frames(PAPER, run=run), SCORES, None, tmp_path / "out")
        about = pl.read_parquet_metadata(tmp_path / "out" / "scores.parquet")
        assert (about["tiltmeter.edition"], about["tiltmeter.seed"]) == ("corrected", "7")

    def test_the_page_is_given_back_and_each_step_told(self, tmp_path):
        steps = []
        out = tmp_path / "a" / "b"
        page = write_rating_folder(PAPER, None, None, out, stage=steps.append)
        assert page == out / "rating.html"
        assert steps == ["writing the page", "writing the tables", "drawing the labels"]
        assert {one.name for one in out.iterdir()} == TOP - {"scores.parquet", "sentences.parquet"}

    def test_the_same_ratings_write_the_same_files(self, tmp_path):
        for name in ("one", "two"):
            write_rating_folder(PAPER, SCORES, SENTENCES, tmp_path / name)
        assert told(tmp_path / "one")["files"] == told(tmp_path / "two")["files"]

    def test_a_folder_with_something_else_needs_force(self, tmp_path):
        (tmp_path / "thesis.txt").write_text("years of work")
        with pytest.raises(OutputError, match=r"not empty.*force=True"):
            write_rating_folder(PAPER, None, None, tmp_path)
        assert names_in(tmp_path) == {"thesis.txt"}
        write_rating_folder(PAPER, None, None, tmp_path, force=True)
        assert {"thesis.txt", "rating.html"} <= names_in(tmp_path)

    def test_a_page_that_fails_leaves_nothing_behind(self, tmp_path, monkeypatch):
        def fails(_):
            raise RuntimeError

        monkeypatch.setattr(view, "rating_page", fails)
        with pytest.raises(RuntimeError):
            write_rating_folder(PAPER, None, None, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_files_of_an_earlier_rating_go_and_what_someone_changed_stays(self, tmp_path):
        out = tmp_path / "out"
        write_rating_folder(PAPER, SCORES, SENTENCES, out)
        (out / "labels" / "gru.svg").write_text("mine now")
        (out / "tables" / "notes.csv").write_text("mine")
        write_rating_folder(example(("textblob",), ("continuous",), ("G1",)), None, None, out)
        assert names_in(out / "labels") == {"textblob.svg", "index.csv", "gru.svg"}
        kept = names_in(out / "tables")
        assert "notes.csv" in kept
        assert not [name for name in kept if "discretised" in name or name.startswith("die")]
        assert not (out / "scores.parquet").exists()

    def test_a_rating_that_was_stopped_can_be_repeated(self, tmp_path, monkeypatch):
        out = tmp_path / "out"

        def stopped(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(figures, "label_svg", stopped)
            with pytest.raises(KeyboardInterrupt):
                write_rating_folder(PAPER, SCORES, SENTENCES, out)
        assert told(out)["complete"] is False
        assert (out / "rating.html").exists()
        half = out / ".ratings.json.68n81_9p"
        half.write_text("{")  # a kill in the middle of a file
        write_rating_folder(PAPER, SCORES, SENTENCES, out)
        assert told(out)["complete"] is True
        assert not half.exists()
        assert {one["file"] for one in told(out)["files"]} == names_in(out) - {"run.json"}


@pytest.mark.usefixtures("quick")
class TestOtherRuns:
    AUDIT = (
        *("report.html", "findings.json", "estimates.parquet", "scores.parquet"),
        *("tables/differences.csv", "figures/figure1.svg", "individual/index.csv"),
    )

    @pytest.fixture
    def audited(self, tmp_path):
        """A folder as an audit leaves it, with a note of someone's."""
        folder = tmp_path / "out"
        files = []
        for name in self.AUDIT:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"audit: {name}")
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            files.append({"file": name, "sha256": digest})
        mark = {"schema_version": 1, "tool": "tiltmeter", "complete": True, "files": files}
        (folder / "run.json").write_text(json.dumps(mark))
        (folder / "notes.md").write_text("mine")
        return folder

    def test_a_rating_replaces_an_audit(self, audited):
        write_rating_folder(PAPER, SCORES, None, audited)
        assert {one.name for one in audited.iterdir()} == (TOP - {"sentences.parquet"}) | {
            "notes.md"
        }
        assert pl.read_parquet(audited / "scores.parquet").equals(SCORES)

    def test_what_someone_changed_of_the_audit_stays(self, audited):
        (audited / "report.html").write_text("with my remarks")
        write_rating_folder(PAPER, SCORES, None, audited)
        assert (audited / "report.html").read_text() == "with my remarks"
        assert not (audited / "findings.json").exists()

    def test_a_stopped_rating_still_knows_what_the_audit_left(self, audited, monkeypatch):
        def stopped(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(figures, "label_svg", stopped)
            with pytest.raises(KeyboardInterrupt):
                write_rating_folder(PAPER, SCORES, None, audited)
        assert (audited / "report.html").exists()
        write_rating_folder(PAPER, SCORES, None, audited)
        assert not (audited / "report.html").exists()

    def test_an_audit_replaces_a_rating(self, tmp_path):
        from tiltmeter.report.folder import results_in

        out = tmp_path / "out"
        write_rating_folder(PAPER, SCORES, SENTENCES, out)
        with results_in(out, {}, {}) as writer:
            writer.text("report.html", "audit")
        assert names_in(out) == {"report.html", "run.json"}
        assert not (out / "labels").exists()

    def test_a_link_at_the_top_is_not_followed(self, audited, tmp_path):
        precious = tmp_path / "precious.html"
        precious.write_text("audit: report.html")  # the very bytes that run.json lists
        (audited / "report.html").unlink()
        (audited / "report.html").symlink_to(precious)
        write_rating_folder(PAPER, SCORES, None, audited)
        assert precious.exists()
        assert (audited / "report.html").is_symlink()
