"""What chains need is compiled by a second process on a machine where none ever ran; nothing of the release goes there."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.sampler import compiled_ahead


@pytest.fixture
def begun(monkeypatch):
    """What would be begun, on a machine where nothing is compiled."""
    asked: list[str] = []
    monkeypatch.setattr(compiled_ahead, "_begun", lambda: asked.append("begun"))
    monkeypatch.setattr(compiled_ahead, "at_hand", lambda kernel: False)
    monkeypatch.setattr(compiled_ahead.os, "cpu_count", lambda: 2)
    monkeypatch.delenv(compiled_ahead.SWITCH, raising=False)
    return asked


THREE_WAY = fw.publish(np.full((3, 3, 4), 3), ["A,B", "A,C", "B,C"])


def test_it_is_begun_for_blocks_that_chains_may_be_needed_for(begun):
    compiled_ahead.compile_ahead(support(THREE_WAY, "uniform"))
    compiled_ahead.compile_ahead(support(fw.publish(np.full((6, 6), 3), ["A", "B"]), "hypergeometric"))
    assert len(begun) == 2


def test_it_is_not_begun_without_need(begun, monkeypatch):
    compiled_ahead.compile_ahead(support(fw.publish(np.full((3, 3), 3), ["A", "B"]), "uniform"))  # a small table
    monkeypatch.setenv(compiled_ahead.SWITCH, "0")
    compiled_ahead.compile_ahead(support(THREE_WAY, "uniform"))
    monkeypatch.delenv(compiled_ahead.SWITCH)
    monkeypatch.setattr(compiled_ahead, "at_hand", lambda kernel: True)
    compiled_ahead.compile_ahead(support(THREE_WAY, "uniform"))
    assert not begun


def test_chains_run_on_a_toy():
    assert compiled_ahead.run_toy() >= 2048  # so that there was a second look


def test_a_program_that_is_no_python_is_not_begun_again(monkeypatch):
    monkeypatch.setattr(compiled_ahead.sys, "executable", "/usr/bin/an-application")
    assert compiled_ahead._begun.__wrapped__() is None
