"""What a belief means: measures of disclosure risk on the distribution of a cell."""

from .deception import count_deceives, magnitude_deceives
from .entropy import entropy, entropy_risk, understatement, uniform_risk
from .expected_harm import expected_harm
from .protection_range import protection_range

__all__ = [
    "count_deceives",
    "entropy",
    "entropy_risk",
    "expected_harm",
    "magnitude_deceives",
    "protection_range",
    "understatement",
    "uniform_risk",
]
