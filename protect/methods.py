"""The protection methods by name: for the command line, and for outsiders who know which method was used.

A new method is one file with a function `verb(table, ...) -> Release`, and one entry here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..base.errors import InputError, did_you_mean
from ..release.release import Release
from .mechanism.mechanism import CELLWISE, EXACT, SUPPORT, Reading


@dataclass(frozen=True)
class Method:
    """A protection method: where it lives, how well its likelihood is known, what it does in a line.

    `read` tells how an outsider reads what it published, figure by figure: (release, **parameters) -> what it did to every
    figure, and how well that is known. `read_whole` reads a table whose cells only make sense together: (release with its
    published figures, **parameters) -> what they say. Where neither can be, `instead` says what she can do. `adds_up`: the
    sums of the published cells are figures of the method as well.
    """

    home: str
    likelihood: str
    words: str
    read: Callable[..., tuple[Reading, str]] | None = None
    instead: str = ""
    adds_up: bool = False
    read_whole: Callable[..., Release] | None = None

    @property
    def reader(self) -> Callable[..., Any] | None:
        """Whichever way an outsider reads it."""
        return self.read or self.read_whole

    def function(self, name: str) -> Callable[..., Release]:
        """The function that applies it."""
        function: Callable[..., Release] = getattr(importlib.import_module(f".{self.home}", __package__), name)
        return function


def _round_to(release: Release, base: float, rounding: str = "nearest") -> tuple[Reading, str]:
    from .rounding.rounding import Ranges, checked_base, checked_rule

    step = checked_base(base, release.decimals, "round_to")
    return Ranges(step, checked_rule(rounding), release.decimals), EXACT if rounding == "nearest" else SUPPORT


def _random_round(release: Release, base: float = 3) -> tuple[Reading, str]:
    from .rounding.random_rounding import RandomRounding
    from .rounding.rounding import checked_base

    return RandomRounding(checked_base(base, release.decimals, "random_round"), release.decimals), EXACT


def _semi_controlled_round(release: Release, base: float = 3) -> tuple[Reading, str]:
    return _random_round(release, base)[0], CELLWISE


def _controlled_round(release: Release, base: float = 3) -> tuple[Reading, str]:
    from .rounding.rounding import Ranges, checked_base

    return Ranges(
        checked_base(base, release.decimals, "controlled_round"), "within", release.decimals, "controlled rounding"
    ), SUPPORT


def _round_lattice(release: Release, base: float = 3, relaxed: bool = False) -> tuple[Reading, str]:
    from .rounding.rounding import Ranges, checked_base

    step = checked_base(base, release.decimals, "round_lattice")
    return Ranges(step, "within", release.decimals, "lattice rounding", steps=2 if relaxed else 1), SUPPORT


def _perturb(
    release: Release, matrix: Any, last_rows: int = 1, normalise: bool = False, preserve_totals: bool = False
) -> tuple[Reading, str]:
    from .perturbation.perturbation import Perturbation
    from .perturbation.transition_matrix import as_transitions

    transitions = as_transitions(matrix, last_rows, normalise)
    return Perturbation(transitions), CELLWISE if preserve_totals or transitions.made_for_table else EXACT


def _add_noise(release: Release, noise: Any, floor: bool = False, noisy_zeros: bool = True) -> tuple[Reading, str]:
    from .perturbation.noise import as_noise

    return as_noise(noise, floor, release.decimals, noisy_zeros), EXACT


def _draw_sample(release: Release) -> tuple[Reading, str]:
    from .records.sample_drawing import sampling_of

    return sampling_of(release), EXACT


def _local_suppress(release: Release, dim: str, rate: float | None = None) -> tuple[Reading, str]:
    from .records.local_suppression import checked, likelihood_of

    mechanism = checked([axis.name for axis in release.dims], dim, rate)
    return mechanism, likelihood_of(mechanism)


def _pram(release: Release, dim: str, matrix: Any = None, stay: float | None = None) -> Release:
    from .records.post_randomisation import read_pram

    return read_pram(release, dim, matrix, stay)


def _markov_perturb(
    release: Release,
    theta: float,
    squares: Any = "adjacent",
    dims: Any = None,
    order: str = "random",
    capped: bool = True,
) -> Release:
    from .perturbation.markov_perturbation import read_markov_perturbed

    return read_markov_perturbed(release, theta, squares, dims, order, capped)


_BY_MARGINS = "publish(figures, margins=[...]) with the margins that it keeps says what is certain"
_BY_FILE = "read_release() and suppress() read tables with withheld cells"
METHODS: dict[str, Method] = {
    "suppress": Method("withholding.suppression", SUPPORT, "withhold cells, by a rule or a list", instead=_BY_FILE),
    "complementary_suppress": Method(
        "withholding.complementary_suppression",
        SUPPORT,
        "... and others besides, so that every primary keeps its interval",
        instead=_BY_FILE,
    ),
    "merge": Method(
        "withholding.redesign",
        EXACT,
        "merge categories (table redesign)",
        instead="publish() the merged table's cells as margins",
    ),
    "round_to": Method("rounding.rounding", EXACT, "every figure to the nearest multiple of a base", _round_to),
    "random_round": Method("rounding.random_rounding", EXACT, "up or down at random, right on average", _random_round),
    "semi_controlled_round": Method(
        "rounding.semi_controlled_rounding",
        CELLWISE,
        "... with as many up as expected, so that totals hardly change",
        _semi_controlled_round,
    ),
    "controlled_round": Method(
        "rounding.controlled_rounding",
        SUPPORT,
        "up or down so that everything still adds up",
        _controlled_round,
        adds_up=True,
    ),
    "round_lattice": Method(
        "rounding.lattice_rounding",
        SUPPORT,
        "... in many tables at once, which agree with each other",
        _round_lattice,
        adds_up=True,
    ),
    "perturb": Method("perturbation.perturbation", EXACT, "counts changed by a transition matrix", _perturb),
    "add_noise": Method("perturbation.noise", EXACT, "a random whole number added to every figure", _add_noise),
    "draw_sample": Method(
        "records.sample_drawing", EXACT, "the counts of a sample instead of the population", _draw_sample
    ),
    "swap": Method(
        "records.record_swapping",
        CELLWISE,
        "records exchange one value, or several, with partners alike",
        instead=_BY_MARGINS,
    ),
    "swap_preserving": Method(
        "records.order_swapping",
        SUPPORT,
        "values exchanged so that every margin of k dims is kept",
        instead=_BY_MARGINS,
    ),
    "simulate": Method(
        "records.simulated_tables",
        EXACT,
        "another table with the same margins, drawn from their log-linear law",
        instead=_BY_MARGINS,
    ),
    "pram": Method(
        "records.post_randomisation",
        EXACT,
        "every record's value of one dim drawn anew by a matrix (long lines: cellwise)",
        read_whole=_pram,
    ),
    "local_suppress": Method(
        "records.local_suppression",
        EXACT,
        "the value of one dim blanked in some records (by a rule: support only)",
        _local_suppress,
    ),
    "markov_perturb": Method(
        "perturbation.markov_perturbation",
        EXACT,
        "units moved within elementary squares",
        read_whole=_markov_perturb,
    ),
}


def method_named(name: str) -> Method:
    """A method by its name; dashes are as good as underscores."""
    shown = str(name).replace("-", "_")
    if shown not in METHODS:
        raise InputError(f"there is no method {name!r}; {did_you_mean(shown, METHODS)}")
    return METHODS[shown]


def reader_of(name: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    """How an outsider reads what a method published, if she can and these are its parameters."""
    method = method_named(name)
    reader = method.reader
    if reader is None:
        raise InputError(f"what {name} published cannot be read figure by figure; {method.instead}.")
    refuse_unknown(name, parameters, reader)
    refuse_missing(name, parameters, reader)
    return reader


def refuse_unknown(name: str, passed: Iterable[str], function: Callable[..., Any], which: str = "") -> None:
    """Refuse parameters that the function of a method does not take, besides the table."""
    known = list(inspect.signature(function).parameters)[1:]
    for parameter in passed:
        if parameter not in known:
            raise InputError(f"{name} has no parameter {parameter!r}{which}; {did_you_mean(parameter, known)}")


def refuse_missing(name: str, passed: Collection[str], function: Callable[..., Any], first: int = 1) -> None:
    """Refuse to go on without a parameter that a function needs; its `first` ones are no parameters of the method."""
    for parameter in list(inspect.signature(function).parameters.values())[first:]:
        if parameter.default is parameter.empty and parameter.name not in passed:
            raise InputError(f"{name} needs its {parameter.name}=.")
