"""fiberwalk: how probable is each value of a hidden table cell, given all that was published?

>>> import fiberwalk as fw
>>> release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=[{"A": "1", "B": "2"}, {"A": "2", "B": "1"}])
>>> fw.audit(release).cells[["lower", "upper", "entropy", "risk"]]  # doctest: +SKIP

Names load when they are first used, so that `import fiberwalk` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .base.version import VERSION

if TYPE_CHECKING:
    from . import examples, risk, snooper
    from .answers import bounds, count
    from .auditing import audit
    from .base.certificate import Certificate
    from .base.errors import Contradiction, FiberwalkError, InputError, NumericalDoubt, TimeUp, TooLarge
    from .comparing import Comparison, compare
    from .comparing_margins import compare_margins
    from .fiber.laws.cell_priors.beta_binomial_prior import beta_binomial
    from .fiber.laws.cell_priors.frequencies import frequencies_of
    from .fiber.laws.cell_priors.log_normal_prior import log_normal
    from .fiber.laws.cell_priors.unimodal_prior import unimodal
    from .fiber.laws.contributor_law import per_contributor
    from .fiber.laws.dirichlet import dirichlet
    from .fiber.laws.expected_counts import expected
    from .fiber.laws.log_linear_model import log_linear
    from .fiber.laws.priors import prior
    from .fiber.laws.published_cube import fitted_cube
    from .loading import load
    from .maps.confidentiality_map import ru_map
    from .moves.chooser import Moves
    from .moves.reach import Reach, basic_moves, check_connected, choose_moves
    from .plotting import plot_cell
    from .posterior import populations
    from .protect.as_published import as_protected
    from .protect.perturbation.markov_perturbation import markov_perturb
    from .protect.perturbation.noise import add_noise, geometric_noise, uniform_noise
    from .protect.perturbation.perturbation import perturb
    from .protect.perturbation.transition_matrix import invariant_matrix, window_matrix
    from .protect.records.local_suppression import local_suppress
    from .protect.records.order_swapping import swap_preserving
    from .protect.records.post_randomisation import pram
    from .protect.records.record_swapping import swap
    from .protect.records.sample_drawing import draw_sample
    from .protect.records.simulated_tables import simulate
    from .protect.rounding.controlled_rounding import controlled_round
    from .protect.rounding.lattice_rounding import round_lattice
    from .protect.rounding.random_rounding import random_round
    from .protect.rounding.rounding import round_to
    from .protect.rounding.semi_controlled_rounding import semi_controlled_round
    from .protect.suppression import sensitivity
    from .protect.suppression.complementary_suppression import complementary_suppress
    from .protect.suppression.redesign import merge
    from .protect.suppression.suppression import suppress
    from .release.crosstab import from_crosstab
    from .release.facts.facts import Evidence
    from .release.link import linked
    from .release.publish import publish
    from .release.reading import read_release
    from .release.release import Release
    from .results.audit_result import Audit
    from .results.conditional_test_result import ConditionalTest
    from .results.map_result import RUMap
    from .results.margin_sets import MarginSets
    from .results.sample_risk_result import SampleRisk
    from .sampling import sample
    from .server.answer import Answer
    from .server.rules import ServerRules
    from .server.table_server import TableServer, tabulate
    from .studies.measure_properties import RiskProperties, risk_properties
    from .studies.sample_studies import SampleStudy, sample_study
    from .studies.sampled_populations import draw_populations, sample_risk
    from .studies.table_studies import TableStudy, table_study
    from .testing_models import conditional_test

_HOME = {
    "Answer": "server.answer",
    "Audit": "results.audit_result",
    "Certificate": "base.certificate",
    "Comparison": "comparing",
    "ConditionalTest": "results.conditional_test_result",
    "Contradiction": "base.errors",
    "Evidence": "release.facts.facts",
    "FiberwalkError": "base.errors",
    "InputError": "base.errors",
    "MarginSets": "results.margin_sets",
    "Moves": "moves.chooser",
    "NumericalDoubt": "base.errors",
    "RUMap": "results.map_result",
    "Reach": "moves.reach",
    "Release": "release.release",
    "RiskProperties": "studies.measure_properties",
    "SampleRisk": "results.sample_risk_result",
    "SampleStudy": "studies.sample_studies",
    "ServerRules": "server.rules",
    "TableServer": "server.table_server",
    "TableStudy": "studies.table_studies",
    "TimeUp": "base.errors",
    "TooLarge": "base.errors",
    "add_noise": "protect.perturbation.noise",
    "as_protected": "protect.as_published",
    "audit": "auditing",
    "basic_moves": "moves.reach",
    "beta_binomial": "fiber.laws.cell_priors.beta_binomial_prior",
    "bounds": "answers",
    "check_connected": "moves.reach",
    "choose_moves": "moves.reach",
    "compare": "comparing",
    "compare_margins": "comparing_margins",
    "complementary_suppress": "protect.suppression.complementary_suppression",
    "conditional_test": "testing_models",
    "controlled_round": "protect.rounding.controlled_rounding",
    "count": "answers",
    "dirichlet": "fiber.laws.dirichlet",
    "draw_populations": "studies.sampled_populations",
    "draw_sample": "protect.records.sample_drawing",
    "expected": "fiber.laws.expected_counts",
    "fitted_cube": "fiber.laws.published_cube",
    "frequencies_of": "fiber.laws.cell_priors.frequencies",
    "from_crosstab": "release.crosstab",
    "geometric_noise": "protect.perturbation.noise",
    "invariant_matrix": "protect.perturbation.transition_matrix",
    "linked": "release.link",
    "load": "loading",
    "local_suppress": "protect.records.local_suppression",
    "log_linear": "fiber.laws.log_linear_model",
    "log_normal": "fiber.laws.cell_priors.log_normal_prior",
    "markov_perturb": "protect.perturbation.markov_perturbation",
    "merge": "protect.suppression.redesign",
    "per_contributor": "fiber.laws.contributor_law",
    "perturb": "protect.perturbation.perturbation",
    "plot_cell": "plotting",
    "pram": "protect.records.post_randomisation",
    "prior": "fiber.laws.priors",
    "publish": "release.publish",
    "random_round": "protect.rounding.random_rounding",
    "read_release": "release.reading",
    "risk_properties": "studies.measure_properties",
    "round_lattice": "protect.rounding.lattice_rounding",
    "round_to": "protect.rounding.rounding",
    "ru_map": "maps.confidentiality_map",
    "sample": "sampling",
    "sample_risk": "studies.sampled_populations",
    "sample_study": "studies.sample_studies",
    "semi_controlled_round": "protect.rounding.semi_controlled_rounding",
    "simulate": "protect.records.simulated_tables",
    "suppress": "protect.suppression.suppression",
    "swap": "protect.records.record_swapping",
    "swap_preserving": "protect.records.order_swapping",
    "table_study": "studies.table_studies",
    "tabulate": "server.table_server",
    "uniform_noise": "protect.perturbation.noise",
    "unimodal": "fiber.laws.cell_priors.unimodal_prior",
    "window_matrix": "protect.perturbation.transition_matrix",
}
_MODULES = {
    "examples": "examples",
    "populations": "posterior.populations",
    "risk": "risk",
    "sensitivity": "protect.suppression.sensitivity",
    "snooper": "snooper",
}

__version__ = VERSION
__all__ = [
    "Answer",
    "Audit",
    "Certificate",
    "Comparison",
    "ConditionalTest",
    "Contradiction",
    "Evidence",
    "FiberwalkError",
    "InputError",
    "MarginSets",
    "Moves",
    "NumericalDoubt",
    "RUMap",
    "Reach",
    "Release",
    "RiskProperties",
    "SampleRisk",
    "SampleStudy",
    "ServerRules",
    "TableServer",
    "TableStudy",
    "TimeUp",
    "TooLarge",
    "add_noise",
    "as_protected",
    "audit",
    "basic_moves",
    "beta_binomial",
    "bounds",
    "check_connected",
    "choose_moves",
    "compare",
    "compare_margins",
    "complementary_suppress",
    "conditional_test",
    "controlled_round",
    "count",
    "dirichlet",
    "draw_populations",
    "draw_sample",
    "examples",
    "expected",
    "fitted_cube",
    "frequencies_of",
    "from_crosstab",
    "geometric_noise",
    "invariant_matrix",
    "linked",
    "load",
    "local_suppress",
    "log_linear",
    "log_normal",
    "markov_perturb",
    "merge",
    "per_contributor",
    "perturb",
    "plot_cell",
    "populations",
    "pram",
    "prior",
    "publish",
    "random_round",
    "read_release",
    "risk",
    "risk_properties",
    "round_lattice",
    "round_to",
    "ru_map",
    "sample",
    "sample_risk",
    "sample_study",
    "semi_controlled_round",
    "sensitivity",
    "simulate",
    "snooper",
    "suppress",
    "swap",
    "swap_preserving",
    "table_study",
    "tabulate",
    "uniform_noise",
    "unimodal",
    "window_matrix",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES:
        found = importlib.import_module(f".{_MODULES[name]}", __name__)
    else:
        raise AttributeError(f"module 'fiberwalk' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
