"""The report in a real browser: what a reader sees, and that nothing in it is broken."""

from __future__ import annotations

import json
import re
import subprocess
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from support.web.browser import BROWSER

import fiberwalk as fw
from fiberwalk.report.words import verdict

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PROBE = """<script>
addEventListener("load", () => {
  const all = (what) => [...document.querySelectorAll(what)];
  const box = document.getElementById("verdict").getBoundingClientRect();
  const found = {
    verdict: document.getElementById("verdict").innerText,
    verdictInFirstScreen: box.top >= 0 && box.bottom <= innerHeight,
    images: all("img").map((one) => one.complete && one.naturalWidth > 0 && one.alt.length > 0),
    headings: all("h1, h2, h3").map((one) => Number(one.tagName[1])),
    sections: all("h2").map((one) => one.innerText),
    unscoped: all("th:not([scope])").length,
    captions: all("table").map((one) => one.caption !== null),
    requests: performance.getEntriesByType("resource").map((one) => one.name).filter((one) => !one.startsWith("data:")),
    widerThanTheScreen: document.documentElement.scrollWidth > innerWidth,
  };
  const told = document.createElement("pre");
  told.id = "told";
  told.textContent = JSON.stringify(found);
  document.body.append(told);
});
</script></body>"""


def opened(page: Path, folder: Path) -> tuple[dict, str]:
    """What a probe in the page found on a narrow screen, where more can go wrong, and what the console says."""
    probed = folder / "probed.html"
    probed.write_text(page.read_text().replace("</body>", PROBE))
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--window-size=500,1400", "--enable-logging=stderr",
         "--dump-dom", probed.as_uri()],
        capture_output=True, text=True, timeout=1200, check=True,
    )  # fmt: skip
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told, f"the page did not load: {done.stderr[-500:]}"
    return json.loads(unescape(told[1])), done.stderr


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: the report was not opened in a browser")
def test_a_reader_finds_the_verdict_and_the_figures(tmp_path):
    audit = fw.audit(fw.examples.ase15().release)
    page = tmp_path / "report.html"
    audit.to_html(page)
    assert "<script" not in page.read_text()
    found, console = opened(page, tmp_path)
    assert found["verdict"] == verdict(audit)
    assert found["verdictInFirstScreen"]
    assert len(found["images"]) == len(audit.cells) + 3  # a small one for each cell; map, scatter, distributions
    assert all(found["images"])
    assert found["sections"][:4] == [
        "Looks safe, is not", "Known exactly", "Where the risk is", "All hidden cells, riskiest first"
    ]  # fmt: skip
    levels = found["headings"]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert found["unscoped"] == 0
    assert all(found["captions"])
    assert found["requests"] == []
    assert not found["widerThanTheScreen"]
    assert ":CONSOLE" not in console, console


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: the report was not opened in a browser")
def test_a_broken_page_would_be_noticed(tmp_path):
    page = tmp_path / "broken.html"
    page.write_text(
        '<!DOCTYPE html><html><body><p id="verdict">v</p><img src="data:image/png;base64,AAAA" alt="no picture">'
        "<script>missing()</script></body></html>"
    )
    found, console = opened(page, tmp_path)
    assert found["images"] == [False]
    assert ":CONSOLE" in console
