"""One table in every output: HTML, LaTeX, CSV, Parquet and lines for the terminal."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.report.numbers import fixed
from tiltmeter.report.table import Cell, Column, Footnotes, Row, Table
from tiltmeter.report.terminal import text_table, visible_text

HOSTILE = '<script>alert("x")</script> & \\input{/etc/passwd} $x_1$ 50 % \x1b[31m=1+1'


def with_interval(row: Row) -> Cell:
    return Cell(
        fixed(row["r"], 2), f"({fixed(row['low'], 2)} to {fixed(row['high'], 2)})", row["stars"]
    )


@pytest.fixture
def skill() -> Table:
    frame = pl.DataFrame(
        {
            "task": ["anger", "anger", "joy"],
            "system": ["vader", "afinn_2", "vader"],
            "r": [0.5, -0.25, 0.125],
            "low": [0.25, -0.5, 0.0],
            "high": [0.75, 0.0, 0.25],
            "stars": ["**", "", ""],
            "n": [1200, None, 7],
        }
    )
    columns = (
        Column("system", "System", terminal="system"),
        Column("r", "Pearson", cell=with_interval, over="Agreement", term="skill", latex="$r$"),
        Column("n", "Texts", over="Agreement", terminal="n"),
    )
    return Table(
        "skill", frame, columns, "How well scores agree.",
        ("A dash: not counted.", ("**", "surely")), by="task", heading=str.capitalize,
    )  # fmt: skip


def test_html(skill: Table) -> None:
    assert str(skill.html()) == (
        '<div class="scroll" tabindex="0" role="region" aria-label="How well scores agree.">'
        '<table class="plain">\n'
        '<caption dir="auto">How well scores agree.</caption>\n'
        '<thead><tr><td colspan="1"></td><th scope="colgroup" colspan="2">Agreement</th></tr>\n'
        '<tr><th scope="col">System</th>'
        '<th scope="col" class="num"><a href="#g-skill">Pearson</a></th>'
        '<th scope="col" class="num">Texts</th></tr></thead>\n'
        '<tbody><tr><th scope="rowgroup" colspan="3" dir="auto">Anger</th></tr>\n'
        '<tr><th scope="row" dir="auto">vader</th>'
        '<td class="num">0.50<sup>**</sup> <span class="of">(0.25 to 0.75)</span></td>'
        '<td class="num">1,200</td></tr>\n'
        '<tr><th scope="row" dir="auto">afinn_2</th>'
        '<td class="num">−0.25 <span class="of">(−0.50 to 0.00)</span></td>'
        '<td class="num">–</td></tr></tbody>\n'
        '<tbody><tr><th scope="rowgroup" colspan="3" dir="auto">Joy</th></tr>\n'
        '<tr><th scope="row" dir="auto">vader</th>'
        '<td class="num">0.12 <span class="of">(0.00 to 0.25)</span></td>'
        '<td class="num">7</td></tr></tbody>\n'
        "</table></div>\n"
        '<p class="aside" dir="auto">A dash: not counted.</p>\n'
        '<p class="aside" dir="auto"><sup>**</sup> surely</p>'
    )


def test_links_to_files_stand_in_the_caption() -> None:
    table = Table("t", pl.DataFrame({"a": [1]}), files=("csv", "tex"))
    assert '<a href="tables/t.csv" download>CSV</a>' in table.html(links="tables")
    assert '<a href="tables/t.tex" download>LaTeX</a>' in table.html(links="tables")
    assert "<caption" not in table.html()


def test_latex(skill: Table) -> None:
    assert skill.latex().splitlines()[1:] == [
        r"\begin{table*}[t]",
        r"\centering",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{Agreement} \\",
        r"\cmidrule(lr){2-3}",
        r"System & $r$ & Texts \\",
        r"\midrule",
        r"\multicolumn{3}{l}{\textbf{Anger}} \\",
        r"vader & 0.50$^{{*}{*}}$ (0.25 to 0.75) & 1,200 \\",
        r"afinn\_2 & $-$0.25 ($-$0.50 to 0.00) & -- \\",
        r"\midrule",
        r"\multicolumn{3}{l}{\textbf{Joy}} \\",
        r"vader & 0.12 (0.00 to 0.25) & 7 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{How well scores agree. A dash: not counted. $^{{*}{*}}$~surely}",
        r"\label{tab:skill}",
        r"\end{table*}",
    ]


def test_a_long_table_runs_over_pages_and_a_long_name_breaks() -> None:
    frame = pl.DataFrame({"system": ["x" * 40] * 49, "value": [0.5] * 49})
    made = Table("long", frame, caption="Long.").latex()
    assert r"\begin{longtable}{p{0.3\linewidth}r}" in made
    assert made.count(r"\endhead") == made.count(r"\endfirsthead") == 1
    assert r"xxxxxxxxxxxx\allowbreak{}xxxxxxxxxxxx" in made


def test_a_repeated_value_is_said_once() -> None:
    frame = pl.DataFrame({"list": ["a", "a", "b"], "vectors": ["v", "w", "v"], "n": [1, 2, 3]})
    table = Table("t", frame, (Column("list", once=True), Column("vectors"), Column("n")))
    html = table.html()
    assert '<th scope="rowgroup" rowspan="2" dir="auto">a</th><th scope="row"' in html
    assert html.count(">a<") == 1
    body = table.latex().split(r"\midrule", 1)[1]
    assert body.startswith("\na & v & 1 \\\\\n & w & 2 \\\\\n\\midrule\nb & v & 3 \\\\\n")


def test_numbers_stay_numbers_in_files(skill: Table) -> None:
    assert skill.csv().splitlines()[:3] == [
        "task,system,r,low,high,stars,n",
        "anger,vader,0.5,0.25,0.75,**,1200",
        'anger,afinn_2,-0.25,-0.5,0.0,"",',
    ]
    assert pl.read_parquet(io.BytesIO(skill.parquet({"about": "x"}))).equals(skill.frame)


def test_text(skill: Table) -> None:
    assert skill.text(60) == (
        "system                  Pearson       n\n"
        "───────────────────────────────────────\n"
        "Anger\n"
        "vader     0.50** (0.25 to 0.75)   1,200\n"
        "afinn_2   −0.25 (−0.50 to 0.00)       –\n"
        "Joy\n"
        "vader       0.12 (0.00 to 0.25)       7"
    )


def test_what_is_hostile_is_shown_as_text() -> None:
    frame = pl.DataFrame({"system": [HOSTILE], HOSTILE: [1]})
    table = Table("h", frame, caption=HOSTILE, notes=((HOSTILE, HOSTILE),), by="system")
    html = table.html()
    assert "<script" not in html
    assert "&lt;script&gt;alert(&#34;x&#34;)" in html
    tex = table.latex()
    assert r"\input" not in tex
    assert r"\textbackslash{}input\{/etc/passwd\} \$x\_1\$ 50\,\%" in tex
    assert "\x1b" not in tex
    assert "\x1b" not in table.text(200)
    assert table.of(pl.DataFrame({"system": ["=1+1"], "n": [1]})).csv() == "system,n\n'=1+1,1\n"


def test_a_column_may_be_of_some_outputs_alone() -> None:
    frame = pl.DataFrame({"a": [1], "b": [2]})
    table = Table("t", frame, (Column("a"), Column("b", only=("latex",))))
    assert ">2<" not in table.html()
    assert "a & b" in table.latex()
    assert table.text() == "a\n─\n1"


def test_footnotes_tell_each_reason_once() -> None:
    notes = Footnotes("rnsb")
    assert [notes.mark(f"why {nth % 12}").raised for nth in (0, 1, 0, *range(2, 12))][-3:] == [
        "j", "*", "*"
    ]  # fmt: skip
    assert notes.notes()[0] == ("a", "why 0.")
    assert notes.notes()[-1] == ("*", "See rnsb.csv.")


CELLS = st.text("abc de", max_size=24)


@given(
    st.integers(1, 5).flatmap(
        lambda many: st.tuples(
            st.lists(st.text("xyz", min_size=1, max_size=9), min_size=many, max_size=many),
            st.lists(st.lists(CELLS, min_size=many, max_size=many), min_size=1, max_size=4),
            st.lists(st.booleans(), min_size=many, max_size=many),
        )
    ),
    st.integers(30, 80),
)
def test_it_looks_as_rich_draws_it(
    drawn: tuple[list[str], list[list[str]], list[bool]], width: int
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    heads, rows, right = drawn
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head, to_right in zip(heads, right, strict=True):
        rich.add_column(head, justify="right" if to_right else "left", overflow="fold")
    for row in rows:
        rich.add_row(*(Text(cell) for cell in row))
    out = io.StringIO()
    Console(file=out, width=width).print(rich)
    expected = [line.rstrip() for line in out.getvalue().splitlines()]
    whole = [False] * len(heads)
    made = text_table(heads, [("", rows)], right=right, whole=whole, width=width)
    assert made.split("\n") == expected


def test_invisible_letters_are_spelt_out() -> None:
    assert visible_text("a\u202eb\x00") == "a\\u202eb\\u0000"
