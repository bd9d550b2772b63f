"""The page of the service in a real browser: what a census user and an auditor can do there, and that nothing is broken."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.web.browser import BROWSER, chromium, visit
from support.web.running import running
from support.web.town import AUDITOR, READER, served, town

import fiberwalk as fw

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: the page was not opened in a browser"),
]
RULES = fw.server.ServerRules(max_dims=3, min_contributors=15)
CONTRASTS = Path(__file__).with_name("contrasts.js").read_text(encoding="utf-8")
PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def server():
    return served(rules=RULES)


@pytest.fixture(scope="module")
def service(server):
    """Open to everybody, with an auditor."""
    settings = fw.server.ServiceSettings(title="The town", auditors={"carol": AUDITOR})
    with running(fw.server.application(server, settings)) as address:
        yield address


@pytest.fixture
def page(browser, service):
    """A visitor's page, whose console must stay silent."""
    with visit(browser, service + "/") as (one, console):
        one.wait_for_selector("#dims li")
        yield one
        assert console == []


def shown(page):
    """The table on screen: the labels and figures of its rows."""
    page.wait_for_selector("#answer table.grid tbody tr")
    rows = page.eval_on_selector_all(
        "#answer table.grid tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return [[text.replace("\u202f", "").replace("\u2212", "-") for text in row] for row in rows]


def texts(table):
    """A table of two dims as the page writes it."""
    return [
        [str(label), *(f"{value:.0f}" for value in row)]
        for label, row in zip(table[table.dims[0]].values, table.values, strict=True)
    ]


def asked(page, query):
    page.goto(page.url.split("?")[0] + "?" + query)
    page.wait_for_selector("#answer table.grid, #answer .refusal")


def press(page, label, side):
    page.get_by_role("button", name=f"{side}: {label}", exact=True).click()


def tabbed_to(page, name):
    """Go on by the Tab key until a control of that name has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.innerText ?? '').trim()") == name:
            return
    raise AssertionError(f"the Tab key never comes to {name!r}")


def test_a_table_by_keyboard_alone(page, server):
    for name in ("Rows: age", "Columns: region"):
        tabbed_to(page, name)
        page.keyboard.press("Space")
        assert page.evaluate("document.activeElement.ariaPressed") == "true"
    page.wait_for_selector("#size.fine >> text=12 figures. The rules allow it.")
    tabbed_to(page, "Show the table")
    page.keyboard.press("Enter")
    assert shown(page) == texts(server.tabulate("age,region").table)
    page.wait_for_selector("#result:focus")
    assert page.inner_text("#told") == "The table is here: 12 figures."


def test_a_table_by_mouse_with_a_level_a_filter_and_totals(page, server):
    press(page, "band", "Rows")
    press(page, "job", "Columns")
    page.click("#dims li:has-text('sex') summary")
    page.check("label:has-text('m') >> nth=0")
    page.select_option("#totals", "added")
    page.wait_for_selector("#size.fine")
    page.click("text=Show the table")
    table = server.tabulate("band,job", {"sex": "m"}, totals="added").table
    assert shown(page) == texts(table)
    assert page.inner_text("#result-title") == "People by band and job, where sex is m"
    notes = page.inner_text(".notes")
    assert "Protected by random-round base=3: figures can differ from the true ones." in notes
    assert "Totals add up." in notes
    assert page.locator("#answer th[scope=row]").count() == len(table)
    assert page.locator("#answer caption").inner_text() == page.inner_text("#result-title")
    assert page.locator("#answer thead th:not([scope])").count() == 0


def test_totals_that_do_not_add_up_are_told(page, server):
    asked(page, "dims=age,job&totals=consistent&columns=job")
    table = server.tabulate("age,job", totals="consistent").table
    assert shown(page) == texts(table)
    gaps = [abs(table[:-1].sum("age") - table[-1]).max(), abs(table[:, :-1].sum("job") - table[:, -1]).max()]
    assert max(gaps) > 0
    assert f"here they are off by up to {float(max(gaps)):.0f}." in page.inner_text(".notes")


def test_several_dims_are_nested_in_rows_and_columns(page, server):
    asked(page, "dims=sex,age,job&columns=age,job")
    table = server.tabulate("sex,age,job").table
    assert shown(page) == [
        [str(sex), *(f"{value:.0f}" for value in table.sel(sex=sex).values.ravel())] for sex in table["sex"].values
    ]
    page.get_by_role("button", name="Swap rows and columns").click()
    page.click("text=Show the table")
    page.wait_for_selector("#answer tbody tr:nth-child(12)")
    assert shown(page) == [
        [str(age), str(job), *(f"{value:.0f}" for value in table.sel(age=age, job=job).values)]
        for age in table["age"].values for job in table["job"].values
    ]  # fmt: skip


def test_a_column_sorts_the_rows_and_totals_stay_last(page):
    asked(page, "dims=age,sex&totals=added&columns=sex")
    unsorted = shown(page)
    for order in ("descending", "ascending"):
        page.click("#answer .sort[data-column='0']")
        rows = shown(page)
        figures = [int(row[1]) for row in rows[:-1]]
        assert figures == sorted(figures, reverse=order == "descending")
        assert rows[-1] == unsorted[-1]
        assert page.get_attribute("#answer th:has(.sort[data-column='0'])", "aria-sort") == order
    page.click("#answer .sort[data-column='0']")
    assert shown(page) == unsorted


def test_labels_stay_in_view(browser, service):
    with visit(browser, service + "/?dims=age,region,job&columns=region,job", **PHONE) as (page, console):
        shown(page)
        box = "document.querySelector('#answer .sheet')"
        page.evaluate(f"{box}.scrollLeft = 500")
        assert page.evaluate(f"{box}.scrollLeft") > 20
        label, sheet = (
            page.locator("#answer tbody th").first.bounding_box(),
            page.locator("#answer .sheet").bounding_box(),
        )
        assert abs(label["x"] - sheet["x"]) < 3
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert console == []


def test_a_long_table_is_shown_by_parts(browser):
    server = served(rules=fw.server.ServerRules(max_dims=None))
    query = "/?dims=sex,age,region,job,band&columns=&totals=added"
    with running(fw.server.application(server)) as address, visit(browser, address + query) as (page, console):
        table = server.tabulate("sex,age,region,job,band", totals="added").table
        for rows in (300, 600, 720):
            figures = [row[-1] for row in shown(page)]
            assert figures == [f"{value:.0f}" for value in table.values.ravel()[:rows]]
            assert (f"{rows} of 720 rows are shown." in page.inner_text("#answer")) == (rows < 720)
            if rows < 720:
                page.get_by_role("button", name="more").click()
        page.get_by_role("button", name="Bars").click()
        bars = page.locator("#answer svg rect")
        assert bars.count() == 144 < 150
        assert console == []


def test_withheld_figures_are_marked(page, server):
    asked(page, "dims=age,job,sex&sum_of=pay&columns=job,sex")
    table = server.tabulate("age,job,sex", sum_of="pay").table
    withheld = int(np.isnan(table.values).sum())
    assert 0 < withheld < table.size
    assert page.locator("#answer td.withheld").count() == withheld
    assert f"is a figure that is withheld: {withheld} of {table.size}." in page.inner_text(".notes")


def test_heat_map_and_bars_show_the_same_figures(page, server):
    asked(page, "dims=age,sex&columns=sex")
    table = server.tabulate("age,sex").table
    page.get_by_role("button", name="Heat map").click()
    assert shown(page) == texts(table)
    shade = page.eval_on_selector_all(
        "#answer tbody td", "cells => cells.map(cell => [Number(cell.innerText), Number(cell.className.at(-1))])"
    )
    assert [level for _, level in sorted(shade)] == sorted(level for _, level in shade)
    assert len({level for _, level in shade}) > 3
    assert page.locator("#answer .legend li").count() == len({level for _, level in shade})
    page.get_by_role("button", name="Bars").click()
    bars = page.eval_on_selector_all(
        "#answer svg rect", "bars => bars.map(bar => [bar.textContent, Number(bar.getAttribute('width'))])"
    )
    expected = {
        f"{age}, {sex}": float(table.sel(age=age, sex=sex))
        for age in table["age"].values
        for sex in table["sex"].values
    }
    assert [text for text, _ in bars] == [f"{cell}: {figure:.0f}" for cell, figure in expected.items()]
    most = max(expected.values())
    widest = max(width for _, width in bars)
    assert [width / widest for _, width in bars] == pytest.approx([figure / most for figure in expected.values()])


def test_a_refusal_leads_to_what_can_be_asked(page, server):
    for name in ("age", "sex", "region", "job"):
        press(page, name, "Rows")
    page.wait_for_selector("#size.refused")
    assert "at most 3 are allowed" in page.inner_text("#size")
    page.click("text=Show the table")
    refusal = page.locator("#answer .refusal")
    assert "The table has 4 dims; at most 3 are allowed." in refusal.inner_text()
    assert page.locator("#answer table").count() == 0
    refusal.get_by_role("link", name="age x sex x region", exact=True).click()
    shown(page)
    assert page.inner_text("#result-title") == "People by age, sex and region"
    assert page.get_attribute("[aria-label='Rows: job']", "aria-pressed") == "false"
    page.go_back()
    page.wait_for_selector("#answer .refusal")


def test_parts_that_are_left_out_and_tables_that_are_too_sparse_are_told(browser):
    rules = fw.server.ServerRules(areas="region", max_small_share=0.05)
    sparse = served(town(n=60), rules=rules)
    assert not sparse.look("sex,age,job").released
    with (
        running(fw.server.application(served(rules=rules))) as address,
        visit(browser, f"{address}/?dims=age,job,region") as (page, console),
    ):
        rows = shown(page)
        assert not any("N=1" in row for row in map(str, rows))
        assert "Left out: without region=N=1, where the table is too sparse" in page.inner_text("#answer .notes")
        assert console == []
    with (
        running(fw.server.application(sparse)) as address,
        visit(browser, f"{address}/?dims=sex,age,job") as (page, console),
    ):
        page.wait_for_selector("#answer .refusal")
        assert "too sparse" in page.inner_text("#answer .refusal")
        assert page.locator("#answer table").count() == 0
        assert console == []


def test_every_format_is_downloaded(page, server):
    asked(page, "dims=age,region&filter=sex=f&totals=added")
    expected = server.tabulate("age,region", {"sex": "f"}, totals="added").public()
    files = {}
    for name in ("JSON-stat", "CSV", "Excel", "Parquet"):
        with page.expect_download() as waiting:
            page.click(f".take >> text={name}")
        files[name] = Path(waiting.value.path()).read_bytes()
        assert waiting.value.suggested_filename.startswith("age-region.")
    assert files["CSV"].decode() == expected.to_frame().to_csv(index=False, lineterminator="\n")
    assert len(list(csv.reader(io.StringIO(files["CSV"].decode())))) == 1 + 5 * 4
    assert json.loads(files["JSON-stat"]) == expected.to_json_stat()
    assert pd.read_excel(io.BytesIO(files["Excel"])).shape == (20, 3)
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(files["Parquet"])), expected.to_frame())


def test_a_link_brings_the_same_table_back(page, browser):
    asked(
        page,
        "dims=age,region,sex&filter=region=N%3D1&filter=region=S%2C+far&columns=sex,region&mean_of=pay&totals=consistent&view=heat",
    )
    here = shown(page)
    with visit(browser, page.get_by_role("link", name="Link to this table").evaluate("link => link.href")) as (
        other,
        console,
    ):
        assert shown(other) == here
        assert other.get_attribute("button:has-text('Heat map')", "aria-pressed") == "true"
        assert other.input_value("#shown") == page.input_value("#shown")
        assert console == []


def test_a_link_to_what_is_not_there_is_told(page):
    page.goto(page.url + "?dims=age,height&filter=sex=x")
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.inner_text("#trouble") == "This link asks for what is not offered: height, sex=x."


def test_an_auditor_sees_risk_truth_log_and_ranking(page, server):
    asked(page, "dims=age,region,job&columns=job&filter=sex=f&totals=consistent")
    assert page.locator("[role=tab]").count() == 0
    page.get_by_role("button", name="Sign in").click()
    page.fill("#token", AUDITOR)
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel .glance dd")
    looked = server.look("age,region,job", {"sex": "f"}, totals="consistent")
    assert page.locator("#panel dd").all_inner_texts() == [
        f"{value:.4f}" for value in (looked.risk_before, looked.risk_after, looked.utility)
    ]
    page.focus("#tab-risk")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#panel svg.map")
    rows = [row.split("\t") for row in page.locator("#panel tbody tr").all_inner_texts()]
    compared = server.by_method("age,region,job", {"sex": "f"})
    assert [row[0] for row in rows] == [f"{place} {name}" for place, name in enumerate(compared.index, start=1)]
    assert [row[2] for row in rows] == [f"{value:.4f}" for value in compared["utility"]]
    marks = ", ".join(page.locator("#panel svg .name").all_text_contents()).split(", ")
    assert sorted(map(int, marks)) == list(range(1, len(rows) + 1))
    assert page.locator("#panel svg .own").count() == 1
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#panel table.grid")
    changed = int((looked.table != looked.original).sum())
    assert page.locator("#panel td.more, #panel td.less").count() == changed > 0
    assert f"{changed} of {looked.table.size} figures changed" in page.inner_text("#panel")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#panel table.list")
    assert page.locator("#panel tbody tr").first.inner_text().split("\t")[2:] == [
        "carol",
        looked.request.words,
        "released",
    ]
    page.click("#tab-ranking")
    page.wait_for_selector("#panel >> text=distinct figures")
    while page.get_by_role("button", name="Read on").count():  # of what other tests asked as well
        read = page.inner_text("#panel p:has-text('Still to be read')")
        page.get_by_role("button", name="Read on").click()
        page.wait_for_function(
            "read => ![...document.querySelectorAll('#panel p')].some(p => p.innerText === read)", arg=read
        )
    page.wait_for_selector("#panel table.list")
    page.get_by_role("button", name="Why?").first.click()
    page.wait_for_selector("#panel >> text=Requests that tell of")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("#person >> text=Sign in")
    assert not page.is_visible("#auditing")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_reader_signs_in_and_never_sees_the_auditors_part(browser):
    settings = fw.server.ServiceSettings(readers={"anna": READER}, auditors={"carol": AUDITOR})
    with (
        running(fw.server.application(served(), settings)) as address,
        visit(browser, address + "/?dims=sex") as (page, console),
    ):
        page.wait_for_selector("#token")
        assert not page.is_visible("#choosing")
        assert console == []
        page.fill("#token", "a token of nobody at all")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Nobody has this token.")
        console.clear()  # the browser itself writes down every status of 401
        page.fill("#token", READER)
        page.keyboard.press("Enter")
        assert len(shown(page)) == 2
        assert "anna" in page.inner_text("#person")
        assert page.locator("[role=tab]").count() == 0
        assert not page.is_visible("#auditing")
        with page.expect_download() as waiting:
            page.click(".take >> text=CSV")
        assert Path(waiting.value.path()).read_text().startswith("sex,count\n")
        assert console == []


def test_labels_are_text_whatever_they_say(browser):
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    people = town().assign(job=lambda data: data["job"].replace("x", evil))
    with (
        running(fw.server.application(served(people))) as address,
        visit(browser, address + "/?dims=job,sex&columns=") as (page, console),
    ):
        assert any(row[0] == evil for row in shown(page))
        for view in ("Bars", "Heat map"):
            page.get_by_role("button", name=view).click()
        assert page.locator("main img, main script").count() == 0
        assert console == []


def test_a_lost_connection_is_told(browser, service):
    with visit(browser, service + "/?dims=sex,age") as (page, _):
        before = shown(page)
        page.route("**/api/**", lambda route: route.abort())
        page.click("text=Show the table")
        page.wait_for_selector("#trouble:not([hidden])")
        assert page.inner_text("#trouble").startswith("The service cannot be reached.")
        page.unroute("**/api/**")
        page.click("text=Show the table")
        page.wait_for_selector("#trouble", state="hidden")
        assert shown(page) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["table", "heat", "bars"])
def test_words_can_be_read_and_fit_a_phone(browser, service, scheme, view):
    """Contrast of at least 4.5, as WCAG 2 asks for, wherever there is text; and nothing is wider than the screen."""
    query = f"/?dims=age,region,job&columns=region,job&totals=added&view={view}"
    with visit(browser, service + query, color_scheme=scheme, **PHONE) as (page, console):
        page.wait_for_selector("#answer table.grid, #answer svg")
        found = page.evaluate(CONTRASTS)
        assert len(found) > 50
        assert [one for one in found if one["contrast"] < 4.5] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert console == []


def test_a_screen_reader_has_a_name_for_everything(page):
    asked(page, "dims=age,region,job&columns=region,job&totals=added")
    for summary in page.locator("#dims summary").all():
        summary.click()
    nameless = page.eval_on_selector_all(
        "button, input, select, a, summary, [role=region], fieldset",
        """all => all.filter(one => one.checkVisibility())
               .filter(one => !(one.ariaLabel || one.labels?.[0]?.innerText || one.innerText.trim()))
               .map(one => one.outerHTML)""",
    )
    assert nameless == []
    names = page.eval_on_selector_all("#dims button", "all => all.map(one => one.ariaLabel)")
    assert len(set(names)) == len(names) == 2 * 5  # each says of which dim it is
    assert page.eval_on_selector_all("h1, h2", "all => all.map(one => one.tagName)") == ["H1", "H2", "H2", "H2"]
    assert page.locator("header").count() == page.locator("main").count() == page.locator("footer").count() == 1
    assert page.locator("[role=status]").count() == 2
    assert page.get_attribute("html", "lang") == "en"


def test_a_message_in_the_console_would_be_noticed(browser):
    with visit(browser) as (page, console):
        page.evaluate("console.log('here')")
        page.evaluate("setTimeout(() => missing())")
        page.wait_for_timeout(200)
        assert console[0] == "here"
        assert "missing" in console[1]
