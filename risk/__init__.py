"""What a belief means: measures of disclosure risk on the distribution of a cell, and of what users keep (utility)."""

from .deception import count_deceives, magnitude_deceives
from .entropy import entropy, entropy_risk, understatement, uniform_risk
from .expected_harm import expected_harm
from .protection_range import protection_range
from .table_change import chi_square, chi_square_change, cramers_v, cramers_v_change, margin_variance_change
from .utility import hellinger_utility, mean_squared_precision, share_published

__all__ = [
    "chi_square",
    "chi_square_change",
    "count_deceives",
    "cramers_v",
    "cramers_v_change",
    "entropy",
    "entropy_risk",
    "expected_harm",
    "hellinger_utility",
    "magnitude_deceives",
    "margin_variance_change",
    "mean_squared_precision",
    "protection_range",
    "share_published",
    "understatement",
    "uniform_risk",
]
