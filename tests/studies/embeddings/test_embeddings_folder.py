"""The folder of a study of embeddings: its contract, and that nothing of others is lost."""

import hashlib
import json

import polars as pl
import pytest

import tiltmeter.studies.embeddings.page as page_module
from made_up_embeddings import HOSTILE, made_up_material, odd_material, one_embedding
from tiltmeter.errors import OutputError
from tiltmeter.report.page import Page, Section

STUDY = made_up_material()
PAGE = Page("embeddings.html", "?", Section("answer", ""))
TOP = {"run.json", "embeddings.html", "embeddings.json", "tables", "figures"}


@pytest.fixture
def quick(monkeypatch):
    """The page and figures stand in where a test is about files alone."""
    monkeypatch.setattr(page_module, "embeddings_page", lambda _: PAGE)
    monkeypatch.setattr(page_module, "embedding_figures", lambda _: {"bars": "<svg></svg>"})


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with the real page and figures, of names made to cause trouble."""
    folder = tmp_path_factory.mktemp("embeddings") / "out"
    odd_material().report(folder)
    return folder


def names_in(folder):
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}


def told(folder):
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def test_the_folder_holds_what_the_contract_says(written):
    assert {one.name for one in written.iterdir()} == TOP
    tables = {one.name for one in (written / "tables").iterdir()}
    assert {"table-1.csv", "table-1.tex", "terms.csv", "weat.tex", "mitigation.csv"} <= tables
    assert {one.suffix for one in (written / "tables").iterdir()} == {".csv", ".tex"}


def test_run_json_lists_every_other_file_with_its_digest(written):
    mark = told(written)
    assert mark["complete"] is True
    assert mark["run"]["mode"] == "corrected"
    assert {one["file"] for one in mark["files"]} == names_in(written) - {"run.json"}
    for one in mark["files"]:
        data = (written / one["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"]


def test_the_page_and_the_figures_are_real(written):
    page = (written / "embeddings.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert HOSTILE not in page
    figures = list((written / "figures").iterdir())
    assert figures
    assert all(one.suffix == ".svg" for one in figures)
    assert all("<svg" in one.read_text(encoding="utf-8")[:300] for one in figures)


def test_no_vectors_are_copied(written):
    assert not [name for name in names_in(written) if name.endswith((".parquet", ".npy", ".npz"))]


@pytest.mark.usefixtures("quick")
def test_no_cell_of_a_spreadsheet_is_a_formula(tmp_path):
    made_up_material(("=1+1", "-x")).report(tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.csv"):
        table = pl.read_csv(path, infer_schema_length=None)
        for column in table.select(pl.col(pl.String)):
            assert not column.str.contains(r"^[=+\-@\t\r]").any()
        assert not [name for name in table.columns if name.startswith(("=", "-"))]
    assert "'=1+1" in set(pl.read_csv(tmp_path / "out" / "tables" / "rnsb.csv")["embedding"])


@pytest.mark.usefixtures("quick")
class TestWriting:
    def test_the_page_is_given_back_and_each_step_told(self, tmp_path):
        steps = []
        page = STUDY.report(tmp_path / "a" / "b", stage=steps.append)
        assert page == tmp_path / "a" / "b" / "embeddings.html"
        assert steps == ["writing the page", "writing the tables", "drawing the figures"]
        assert {one.name for one in page.parent.iterdir()} == TOP

    def test_the_same_study_writes_the_same_files(self, tmp_path):
        for name in ("one", "two"):
            STUDY.report(tmp_path / name)
        assert told(tmp_path / "one")["files"] == told(tmp_path / "two")["files"]

    def test_a_folder_with_something_else_needs_force(self, tmp_path):
        (tmp_path / "thesis.txt").write_text("years of work")
        with pytest.raises(OutputError, match=r"not empty.*force=True"):
            STUDY.report(tmp_path)
        assert names_in(tmp_path) == {"thesis.txt"}
        STUDY.report(tmp_path, force=True)
        assert {"thesis.txt", "embeddings.html"} <= names_in(tmp_path)

    def test_a_page_that_fails_leaves_nothing_behind(self, tmp_path, monkeypatch):
        def fails(_):
            raise RuntimeError

        monkeypatch.setattr(page_module, "embeddings_page", fails)
        with pytest.raises(RuntimeError):
            STUDY.report(tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_files_of_an_earlier_study_go_and_what_someone_changed_stays(self, tmp_path):
        out = tmp_path / "out"
        STUDY.report(out)
        (out / "tables" / "weat.tex").write_text("mine now")
        (out / "tables" / "notes.csv").write_text("mine")
        one_embedding().report(out)
        kept = names_in(out / "tables")
        assert {"weat.tex", "notes.csv", "rnsb.csv"} <= kept
        assert not {"weat.csv", "links.tex", "mitigation.csv"} & kept

    def test_a_study_that_was_stopped_can_be_repeated(self, tmp_path, monkeypatch):
        def stopped(_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(page_module, "embedding_figures", stopped)
            with pytest.raises(KeyboardInterrupt):
                STUDY.report(tmp_path / "out")
        assert told(tmp_path / "out")["complete"] is False
        STUDY.report(tmp_path / "out")
        assert told(tmp_path / "out")["complete"] is True

    def test_an_audit_replaces_a_study_of_embeddings(self, tmp_path):
        from tiltmeter.report.folder import results_in

        out = tmp_path / "out"
        STUDY.report(out)
        with results_in(out, {}, {}) as writer:
            writer.text("report.html", "audit")
        assert names_in(out) == {"report.html", "run.json"}
