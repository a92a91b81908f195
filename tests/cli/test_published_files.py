"""The files that authors published, checked and audited as their readers have them."""

import json

import pytest

from published_files import FILES, SIZES, write_published
from tiltmeter import load_corpus


@pytest.mark.parametrize("name", FILES)
def test_an_authors_file_is_checked_and_audited(tiltmeter, tmp_path, shared_store, name):
    write_published(tmp_path, name)
    corpus = load_corpus(FILES[name], "published")
    checked = tiltmeter("corpus", "check", name)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith(f"{corpus.name}, published edition\n")
    said = " ".join(checked.stdout.split())
    assert f"recognised as the published {corpus.title};" in said
    assert f"{SIZES[name]:,} of {corpus.size:,} sentences matched" in said

    store = str(shared_store)
    audited = tiltmeter("audit", "vader", "--corpus", name, "--store", store, "-o", "out")
    assert audited.returncode == 0, audited.stderr
    (run,) = json.loads((tmp_path / "out" / "run.json").read_text())["run"]["corpora"]
    assert (run["name"], run["edition"], run["sentences"]) == (
        corpus.name,
        "published",
        SIZES[name],
    )
