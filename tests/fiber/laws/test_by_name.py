"""Laws by name, and what is said of those that are not there."""

from __future__ import annotations

import pytest

import fiberwalk as fw
from fiberwalk.commands.shared import law_options
from fiberwalk.fiber.laws.by_name import LAWS, as_law


def test_each_law_has_the_name_it_is_asked_for_by():
    assert [as_law(name).name for name in LAWS] == list(LAWS)


def test_the_command_line_takes_the_same_names():
    assert tuple(LAWS) == law_options.LAWS


def test_an_unknown_law_is_answered_with_those_there_are():
    made = "fw.laws.expected(mu), fw.laws.dirichlet(c), fw.laws.prior([...]), fw.laws.per_contributor(contributors)"
    with pytest.raises(fw.InputError) as problem:
        as_law("unifrom")
    assert str(problem.value) == f"there is no law 'unifrom'; did you mean 'uniform'?, or {made}"
    with pytest.raises(fw.InputError) as problem:
        as_law(3)
    assert str(problem.value) == (
        "law= must be 'uniform', 'hypergeometric', 'dirichlet', fw.laws.expected(mu), fw.laws.dirichlet(c), "
        "fw.laws.prior([...]) or "
        "fw.laws.per_contributor(contributors); it is 3."
    )
