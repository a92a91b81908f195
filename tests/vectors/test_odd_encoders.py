"""A cache of rows that is damaged, or no folder at all, costs time and nothing else."""

import numpy as np
import pytest

from tiltmeter.vectors import Encoder, features

TEXTS = ["a kind day", "a cold day", "", "😀"]


def lengths():
    return Encoder(
        "lengths", 2, "d" * 64,
        lambda texts: np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2),
    )  # fmt: skip


def expected():
    return [[len(text), 1] for text in TEXTS]


@pytest.mark.parametrize("rubbish", [b"", b"PK\x03\x04", b"\x00" * 5000])
def test_rubbish_in_the_cache_is_computed_anew(tmp_path, rubbish):
    features(lengths(), TEXTS, tmp_path)
    for shard in tmp_path.rglob("*.npz"):
        shard.write_bytes(rubbish)
    assert features(lengths(), TEXTS, tmp_path).tolist() == expected()


def test_a_folder_called_like_a_shard_does_no_harm(tmp_path):
    (tmp_path / ("d" * 64) / "x.npz").mkdir(parents=True)
    assert features(lengths(), TEXTS, tmp_path).tolist() == expected()


def test_a_cache_that_is_a_file_keeps_nothing_and_answers(tmp_path):
    place = tmp_path / "cache"
    place.write_text("not a folder")
    assert features(lengths(), TEXTS, place).tolist() == expected()
    assert place.read_text() == "not a folder"


def test_the_order_and_the_company_of_texts_do_not_matter(tmp_path):
    whole = features(lengths(), TEXTS, tmp_path)
    again = features(lengths(), [TEXTS[3], TEXTS[0], TEXTS[3]], tmp_path)
    assert again.tolist() == [whole[3].tolist(), whole[0].tolist(), whole[3].tolist()]
