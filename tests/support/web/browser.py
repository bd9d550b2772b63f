"""The browser of this machine, and what somebody sees in it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def chromium():
    """The browser, for Playwright to lead."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def visit(browser, address="about:blank", **options):
    """A page of a visitor who never was there before, and what its console says."""
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(60_000)
    page, console = context.new_page(), []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.goto(address)
    try:
        yield page, console
    finally:
        context.close()
