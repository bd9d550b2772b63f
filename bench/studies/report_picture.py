"""The picture of a report in the README, as a headless Chromium shows it.

python bench/studies/report_picture.py        needs `chromium` on the PATH; writes docs/report.png

The report is that of the 4 x 4 x 3 table of Duncan and others given its three two-way margins, hypergeometric law: the
intervals of its 48 cells look safe, and 13 of them are not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import fiberwalk as fw

PICTURE = Path(__file__).parents[2] / "docs" / "report.png"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SIZE = (1000, 1890)
"""Narrow enough to be read at the width of a README, and down to the end of the pictures of risk."""


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium on this machine: the picture is not made")
    PICTURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        fw.audit(fw.examples.dfkpr01().release, law="hypergeometric").to_html(page)
        subprocess.run(
            [browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={SIZE[0]},{SIZE[1]}",
             "--hide-scrollbars", f"--screenshot={PICTURE}", page.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
