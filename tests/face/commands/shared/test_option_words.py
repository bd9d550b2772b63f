"""Errors on the command line speak of options; what only looks like a parameter stays as it is."""

from __future__ import annotations

import pytest

from fiberwalk.commands.main import main
from fiberwalk.commands.shared.option_words import in_options


@pytest.mark.parametrize(
    ("command", "sentence", "words"),
    [
        ("protect", "swap(rate=2): the share of records", "--rate 2: the share of records"),
        ("protect", "pram() needs matrix= or stay=, one of them.", "pram needs --matrix or --stay, one of them."),
        ("protect", "local_suppress() needs rule= (such as '< 3')", "local-suppress needs --rule (such as '< 3')"),
        ("protect", "simulate() needs margins=, those that stay", "simulate needs --margin, those that stay"),
        ("protect", "last_rows=3: how many of them", "--last-rows 3: how many of them"),
        ("audit", "columns N_OBS or MAX, or fw.table(contributors=).", "columns N_OBS or MAX, or --contributors."),
        ("sample-risk", "people=3.5: the size of the population", "--people 3.5: the size of the population"),
        ("audit", "not clear which holds the counts; give count=.", "not clear which holds the counts; give --value."),
        ("tabulate", "filters= names the dim 'agee'", "--filter names the dim 'agee'"),
        ("ru-map", "method 'x': risk='split' is of counts", "method 'x': --risk 'split' is of counts"),
        ("ru-map", "leave out cell= and log_base=.", "leave out --cell and --nats."),
        ("protect", "let zeros be withheld (secondary_zeros=True).", "let zeros be withheld (--secondary-zeros)."),
        ("bounds", "may be wider than need be (sharp=False).", "may be wider than need be (--not-sharp)."),
        ("protect", "cell size=5, base=3 is given twice", "cell size=5, base=3 is given twice"),
        ("protect", "size=5, base=3 is not one cell", "size=5, base=3 is not one cell"),
        ("count", "rate= is no option here, and load() no method", "rate= is no option here, and load() no method"),
    ],
)  # fmt: skip
def test_parameters_become_options(command, sentence, words):
    assert in_options(sentence, main.commands[command]) == words
