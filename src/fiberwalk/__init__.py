"""fiberwalk: how probable is each value of a hidden table cell, given all that was published?

>>> import fiberwalk as fw
>>> release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=[{"A": "1", "B": "2"}, {"A": "2", "B": "1"}])
>>> fw.audit(release).cells[["lower", "upper", "entropy", "risk"]]  # doctest: +SKIP

Names load when they are first used, so that `import fiberwalk` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import examples, risk, snooper
    from .answers import bounds, count
    from .audit_result import Audit
    from .auditing import audit
    from .comparing import Comparison, compare
    from .comparing_margins import compare_margins
    from .confidentiality_map import ru_map
    from .fiber.cell_priors import beta_binomial, frequencies_of, log_normal, unimodal
    from .fiber.certificate import Certificate
    from .fiber.contributor_law import per_contributor
    from .fiber.laws import expected
    from .fiber.log_linear import log_linear
    from .fiber.priors import prior
    from .map_result import RUMap
    from .margin_sets import MarginSets
    from .moves.chooser import Moves
    from .posterior import populations
    from .protect import sensitivity
    from .protect.as_published import as_protected
    from .protect.complementary_suppression import complementary_suppress
    from .protect.controlled_rounding import controlled_round
    from .protect.markov_perturbation import markov_perturb
    from .protect.noise import add_noise, geometric_noise, uniform_noise
    from .protect.order_swapping import swap_preserving
    from .protect.perturbation import perturb
    from .protect.random_rounding import random_round
    from .protect.record_swapping import swap
    from .protect.redesign import merge
    from .protect.rounding import round_to
    from .protect.sample_drawing import draw_sample
    from .protect.semi_controlled_rounding import semi_controlled_round
    from .protect.simulated_tables import simulate
    from .protect.suppression import suppress
    from .protect.transition_matrix import invariant_matrix, window_matrix
    from .reach import Reach, basic_moves, check_connected, choose_moves
    from .release.crosstab import from_crosstab
    from .release.errors import Contradiction, FiberwalkError, InputError, NumericalDoubt, TooLarge
    from .release.facts import Evidence
    from .release.files import read_release
    from .release.link import linked
    from .release.publish import publish
    from .release.release import Release
    from .report.overlay_plot import plot_cell
    from .sample_risk_result import SampleRisk
    from .sample_studies import SampleStudy, sample_study
    from .sampled_populations import draw_populations, sample_risk
    from .sampling import sample
    from .server.answer import Answer
    from .server.rules import ServerRules
    from .server.table_server import TableServer, tabulate
    from .stored_audit import load
    from .table_studies import TableStudy, table_study

_HOME = {
    "Answer": "server.answer",
    "Audit": "audit_result",
    "Certificate": "fiber.certificate",
    "Comparison": "comparing",
    "Contradiction": "release.errors",
    "Evidence": "release.facts",
    "FiberwalkError": "release.errors",
    "InputError": "release.errors",
    "MarginSets": "margin_sets",
    "Moves": "moves.chooser",
    "NumericalDoubt": "release.errors",
    "RUMap": "map_result",
    "Reach": "reach",
    "Release": "release.release",
    "SampleRisk": "sample_risk_result",
    "SampleStudy": "sample_studies",
    "ServerRules": "server.rules",
    "TableServer": "server.table_server",
    "TableStudy": "table_studies",
    "TooLarge": "release.errors",
    "add_noise": "protect.noise",
    "as_protected": "protect.as_published",
    "audit": "auditing",
    "basic_moves": "reach",
    "beta_binomial": "fiber.cell_priors",
    "bounds": "answers",
    "check_connected": "reach",
    "choose_moves": "reach",
    "compare": "comparing",
    "compare_margins": "comparing_margins",
    "complementary_suppress": "protect.complementary_suppression",
    "controlled_round": "protect.controlled_rounding",
    "count": "answers",
    "draw_populations": "sampled_populations",
    "draw_sample": "protect.sample_drawing",
    "expected": "fiber.laws",
    "frequencies_of": "fiber.cell_priors",
    "from_crosstab": "release.crosstab",
    "geometric_noise": "protect.noise",
    "invariant_matrix": "protect.transition_matrix",
    "linked": "release.link",
    "load": "stored_audit",
    "log_linear": "fiber.log_linear",
    "log_normal": "fiber.cell_priors",
    "markov_perturb": "protect.markov_perturbation",
    "merge": "protect.redesign",
    "per_contributor": "fiber.contributor_law",
    "perturb": "protect.perturbation",
    "plot_cell": "report.overlay_plot",
    "prior": "fiber.priors",
    "publish": "release.publish",
    "random_round": "protect.random_rounding",
    "read_release": "release.files",
    "round_to": "protect.rounding",
    "ru_map": "confidentiality_map",
    "sample": "sampling",
    "sample_risk": "sampled_populations",
    "sample_study": "sample_studies",
    "semi_controlled_round": "protect.semi_controlled_rounding",
    "simulate": "protect.simulated_tables",
    "suppress": "protect.suppression",
    "swap": "protect.record_swapping",
    "swap_preserving": "protect.order_swapping",
    "table_study": "table_studies",
    "tabulate": "server.table_server",
    "uniform_noise": "protect.noise",
    "unimodal": "fiber.cell_priors",
    "window_matrix": "protect.transition_matrix",
}
_MODULES = {
    "examples": "examples",
    "populations": "posterior.populations",
    "risk": "risk",
    "sensitivity": "protect.sensitivity",
    "snooper": "snooper",
}

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Audit",
    "Certificate",
    "Comparison",
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
    "SampleRisk",
    "SampleStudy",
    "ServerRules",
    "TableServer",
    "TableStudy",
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
    "controlled_round",
    "count",
    "draw_populations",
    "draw_sample",
    "examples",
    "expected",
    "frequencies_of",
    "from_crosstab",
    "geometric_noise",
    "invariant_matrix",
    "linked",
    "load",
    "log_linear",
    "log_normal",
    "markov_perturb",
    "merge",
    "per_contributor",
    "perturb",
    "plot_cell",
    "populations",
    "prior",
    "publish",
    "random_round",
    "read_release",
    "risk",
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
