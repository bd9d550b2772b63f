"""Disclosure risk, of a cell by its distribution and of a table as a whole; and what users keep (utility)."""

from ..protect.count_changes import changes_of
from .deception import count_deceives, magnitude_deceives
from .entropy import entropy, entropy_risk, understatement, uniform_risk
from .expected_harm import expected_harm
from .hellinger import hellinger_distance, hellinger_utility
from .probability_error import probability_error
from .protection_range import protection_range
from .split_entropy import perturbed_risk, split_risk
from .table_change import chi_square, chi_square_change, cramers_v, cramers_v_change, margin_variance_change
from .table_entropy import conditional_entropy, table_entropy
from .thin_lines import thin_lines
from .utility import mean_squared_precision, share_published
from .whole_table import r1, r2

__all__ = [
    "changes_of",
    "chi_square",
    "chi_square_change",
    "conditional_entropy",
    "count_deceives",
    "cramers_v",
    "cramers_v_change",
    "entropy",
    "entropy_risk",
    "expected_harm",
    "hellinger_distance",
    "hellinger_utility",
    "magnitude_deceives",
    "margin_variance_change",
    "mean_squared_precision",
    "perturbed_risk",
    "probability_error",
    "protection_range",
    "r1",
    "r2",
    "share_published",
    "split_risk",
    "table_entropy",
    "thin_lines",
    "understatement",
    "uniform_risk",
]
