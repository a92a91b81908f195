"""What differs between two texts is marked: words, or letters where endings are written on."""

import pytest

from tiltmeter.report.text_difference import marked_difference


def marked(first, second, language="en"):
    return tuple(str(one) for one in marked_difference(first, second, language))


def test_neighbouring_words_share_a_mark():
    assert marked("My mother feels sad.", "My older brother feels sad.") == (
        "My <mark>mother</mark> feels sad.",
        "My <mark>older brother</mark> feels sad.",
    )


def test_two_places_are_marked_apart():
    assert marked("She said her day was grim.", "He said his day was grim.") == (
        "<mark>She</mark> said <mark>her</mark> day was grim.",
        "<mark>He</mark> said <mark>his</mark> day was grim.",
    )


def test_a_text_that_is_markup_stays_text():
    first, _ = marked("<script>alert(1)</script> is sad.", "Ann is sad.")
    assert first == "<mark>&lt;script&gt;alert(1)&lt;/script&gt;</mark> is sad."


def test_endings_are_marked_by_letter_where_they_are_written_onto_words():
    assert marked("جعلتني أشعر", "جعلني أشعر", "ar") == (
        "جعل<mark>ت</mark>ني أشعر",
        "جعلني أشعر",
    )
    assert marked("هو سعيد", "هي سعيدة", "ar-EG") == (
        "ه<mark>و</mark> سعيد",
        "ه<mark>ي</mark> سعيد<mark>ة</mark>",
    )


def test_a_mark_above_a_letter_stays_with_it():
    fatha = "\u064e"
    assert marked(f"كتب{fatha}", "كتب", "ar") == (f"كت<mark>ب{fatha}</mark>", "كت<mark>ب</mark>")


def test_other_names_are_marked_whole():
    assert marked("إبراهيم حزين", "جون حزين", "ar") == (
        "<mark>إبراهيم</mark> حزين",
        "<mark>جون</mark> حزين",
    )


def test_letters_are_for_languages_that_write_so():
    assert marked("hers", "her", "en") == ("<mark>hers</mark>", "<mark>her</mark>")


@pytest.mark.parametrize(("first", "second"), [("", "a"), ("a a", "a"), ("same", "same")])
def test_odd_texts(first, second):
    for language in ("en", "ar"):
        one, other = marked(first, second, language)
        strip = lambda text: text.replace("<mark>", "").replace("</mark>", "")  # noqa: E731
        assert (strip(one), strip(other)) == (first, second)
