import re
from html.parser import HTMLParser

import pytest
from reports import NAMES, cup, report_of
from simulated_games import game, ranked, simulated

from croupier_tournament.report import report_html
from croupier_tournament.report.page import cross_table, lengths, plot, summary

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """Reads a page: its tags, its text by section, and whether every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.text, self.section, self.sections = [], [], [], "", {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.section = dict(attrs).get("id", "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)
            self.sections[self.section] = self.sections.get(self.section, "") + data


def page(report):
    return Page(report_html(report).decode())


def test_every_section_is_there():
    found = page(cup())
    ids = [attributes["id"] for tag, attributes in found.tags if tag == "section" and "id" in attributes]
    assert ids == ["standings", "ratings", "pairs", "seats", "faults", "lengths", "reproduce"]
    assert "alice" in found.sections["standings"]
    assert "38" in found.sections["faults"]  # carol's late acts
    assert "3f" * 32 in found.sections["reproduce"]


def test_the_page_asks_nobody_for_anything():
    html = report_html(cup(commands=(("Check it", "croupier tournament verify ."),))).decode()
    found = Page(html)
    policy = [attributes["content"] for tag, attributes in found.tags if attributes.get("http-equiv")]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in found.tags}
    loading = {"src", "href", "srcset", "xlink:href", "action", "data", "poster"}
    assert not any(loading & set(attributes) for _, attributes in found.tags)
    assert not re.search(r"url\(|@import|https?:", html)


def test_all_names_are_escaped():
    names = ("<script>alert(1)</script>", '"><img src=x>', "a&b", "{{ 7 * 7 }}", "O'Hara")
    report = report_of(
        [*simulated([0.5, 0.2, 0, -0.1, -0.6], 4, 40)],
        names,
        title="<i>Cup</i>",
        reason="</p><b>",
        commands=(("<u>", "a < b && c"),),
        pair=(0, 1),
    )
    found = page(report)
    assert not {"script", "img", "i", "u", "b"} & {tag for tag, _ in found.tags}
    text = "".join(found.text)
    for name in (*names, "<i>Cup</i>", "</p><b>", "a < b && c"):
        assert name in text


def test_the_same_results_give_the_same_bytes():
    games = list(simulated([1.0, 0.5, 0.4, 0.0, -0.8], 4, 40))
    assert report_html(report_of(games)) == report_html(report_of(games[::-1]))


@pytest.mark.parametrize(
    "report",
    [
        report_of([]),
        report_of(ranked("0123 1230")),
        report_of(ranked("012 120 201 34 43")),
        report_of([game(0, (0, 1), (1, 2))], ("new", "old"), pair=(0, 1)),
        report_of([*simulated([0.2, -0.2], 2, 40)], ("new", "old"), pair=(1, 0)),
    ],
    ids=["nothing", "few", "two tables", "half a block", "head to head"],
)
def test_every_kind_of_tournament_has_a_page(report):
    text = " ".join(page(report).text)
    assert "None" not in text.replace("None: everybody played", "")
    assert "nan" not in text
    assert "undefined" not in text


def test_a_head_to_head_has_a_section_of_its_own():
    found = page(report_of([*simulated([0.2, -0.2], 2, 40)], ("new", "old"), pair=(1, 0)))
    assert "old finished above new in" in found.sections["head-to-head"]
    assert "Elo" in found.sections["head-to-head"]
    assert "No block is whole yet." in page(report_of(ranked("01"), ("a", "b"), pair=(0, 1))).sections["head-to-head"]


def test_the_summary_says_how_sure_the_first_place_is():
    assert summary(report_of([])) == "No game is over yet."
    assert summary(report_of(ranked("0123"))) == "alice is ahead; after so few deals that says little."
    clear = report_of([*simulated([2.0, 0.0, 0.0, 0.0, -1.0], 4, 60)])
    assert summary(clear) == "alice is the best: the data leave no doubt about the first place."
    close = report_of([*simulated([0.5, 0.5, -0.6, -0.6, -0.6], 4, 60)])
    assert re.fullmatch(
        r"(alice|bob) is ahead; the data do not exclude that (bob|alice) is as good or better\.", summary(close)
    )
    alike = report_of([*simulated([0.0] * 5, 4, 40)])
    assert re.search(r"that \w+, \w+, \w+ or \w+ is as good", summary(alike))
    names = tuple(f"bot{number}" for number in range(8))
    assert "that one of 7 others is as good" in summary(report_of([*simulated([0.0] * 8, 4, 64)], names))


def test_intervals_lie_on_the_axis():
    drawn = plot(cup().standings.tables[0])
    assert [interval.row.entrant for interval in drawn.intervals] == [0, 1, 2, 3, 4]
    for interval in drawn.intervals:
        assert 0 <= interval.low < interval.at < interval.high <= 100
    assert [mark.at for mark in drawn.ticks] == sorted(mark.at for mark in drawn.ticks)
    assert all(int(mark.text) % 10 == 0 for mark in drawn.ticks)
    assert 3 <= len(drawn.ticks) <= 8
    at = {mark.text: mark.at for mark in drawn.ticks}
    assert at.get("1500", drawn.middle) == drawn.middle


def test_one_rating_alone_has_an_axis_too():
    drawn = plot(report_of(ranked("01 10"), ("a", "b")).standings.tables[0])
    assert {interval.at for interval in drawn.intervals} == {drawn.middle}
    assert {interval.low for interval in drawn.intervals} == {None}


def test_the_cross_table_reads_row_against_column():
    report = cup()
    cells = cross_table(report, report.standings.tables[0])
    assert all(cells[number][number] is None for number in range(5))
    first = cells[0][4]
    assert first.title.startswith("alice finished above eve in ")
    assert int(first.text) > 60
    assert first.shade > 5 > cells[4][0].shade
    assert int(first.text) + int(cells[4][0].text) == pytest.approx(100, abs=1)


def test_a_pair_that_does_not_fit_is_marked_and_told():
    from test_pairs import beats_the_strongest

    report = report_of([*beats_the_strongest(1)], NAMES[:4])
    text = "".join(page(report).text)
    assert "▲" in text
    assert "alice against dave" in text
    assert "standard errors" in text


def test_lengths_are_a_histogram():
    found = lengths(cup())
    assert (found.fewest, found.median, found.most) == (46, 46, 46)
    assert [(bar.height, bar.text) for bar in found.bars] == [(100, "46 decisions: 240 games")]
    many = report_of([game(n, (0, 1), (1, 2), decisions=(n, 2 * n)) for n in range(1, 101)], ("a", "b"))
    found = lengths(many)
    assert (found.fewest, found.median, found.most) == (3, 150, 300)
    assert 12 <= len(found.bars) <= 24
    assert max(bar.height for bar in found.bars) == 100
    assert found.bars[-1].at + found.bars[-1].width <= 100
    assert sum(int(bar.text.split(": ")[1].split()[0]) for bar in found.bars) == 100
    assert lengths(report_of(ranked("01"), ("a", "b"))) is None
