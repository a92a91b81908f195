"""Model-card metadata read by Hugging Face's own library, also with names that are attacks."""

import pytest

pytestmark = pytest.mark.heavy

from carded import card_of, estimate, finding, run  # noqa: E402
from tiltmeter.studies.audit.model_card import card_markdown, card_yaml  # noqa: E402

HOSTILE = [
    "vader", "no", "1e5", "null", "a: b", "- x", "# y", "---", '"', "'", "\\", "{}", "[", "&a *a",
    "!!python/object/apply:os.system", "a\nb", "\t", "\x00", "\x85", "\u2028", "\ufeff", "😀",
    "<b>", "%TAG", "@", "`", "é" * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_the_hub_reads_back_every_name_and_number(name):
    from huggingface_hub import ModelCard

    told = run(system=name, title=name)
    rows = [
        finding(system=name, axis=name, contrast=name, value=-1.5e-7),
        finding(system=name, verdict="tilted", value=0.03),
        finding(system=name, verdict="not_estimable", value=None),
    ]
    of = card_of(rows, [estimate(system=name)], told)
    card = ModelCard(f"---\n{card_yaml(of)}---\n\n{card_markdown(of)}")
    first, second = card.data.eval_results
    assert card.data.model_name == name
    assert (first.dataset_name, first.dataset_type) == (name, "eec")
    assert (first.metric_value, second.metric_value) == (-1.5e-7, 0.03)
    assert first.metric_name == f"tilt, {name}: {name}"
    assert second.metric_args["verdict"] == "tilted"
    assert second.metric_args["margin"] == 0.01
    assert card.text.strip().startswith("## Assessment of tilt")


def test_what_the_hub_would_write_of_it_is_read_again():
    from huggingface_hub import ModelCard

    of = card_of([finding()])
    card = ModelCard(f"---\n{card_yaml(of)}---\n")
    again = ModelCard(str(card))
    assert again.data.eval_results == card.data.eval_results


def test_a_system_without_numbers_has_metadata_that_can_be_read():
    import yaml

    assert yaml.safe_load(card_yaml(card_of([finding(value=None)]))) == {}
