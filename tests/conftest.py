"""What holds for all tests: property tests look at no clock and try the same cases each time unless more are asked for, and
no test is left out that is not on the list."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings
from support import skips
from support.effort import TIMES

# A suite that was started in the background ignores Ctrl-C, and so would all that its tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("fiberwalk", deadline=None, derandomize=TIMES <= 1)
settings.load_profile("fiberwalk")

_ran: set[str] = set()
_skipped: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what ran and what was skipped; the reports of all workers come by here."""
    if report.skipped and isinstance(report.longrepr, tuple):
        _skipped[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")
    elif report.when == "call":
        _ran.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail where another list of tests was skipped than the stored one."""
    config = session.config
    if hasattr(config, "workerinput") or exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    whole = not (config.option.keyword or config.option.markexpr or config.option.file_or_dir or config.option.lf)
    problems = skips.differences(_ran, _skipped, skips.read(skips.STORED.read_text(encoding="utf-8")), whole)
    if problems:
        print("\n" + "\n".join(problems))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
