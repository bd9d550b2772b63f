"""What a belief means: measures of disclosure risk on the distribution of a cell."""

from .entropy import entropy, entropy_risk, understatement, uniform_risk
from .expected_harm import expected_harm
from .protection_range import protection_range

__all__ = ["entropy", "entropy_risk", "expected_harm", "protection_range", "understatement", "uniform_risk"]
