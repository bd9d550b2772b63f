"""Models of the population behind a sample table: what is believed of the people who are not in the sample.

| model | what it believes |
| --- | --- |
| `log_linear()` | they fall into cells with the probabilities of a log-linear model of the sample |
| `urn()` | they join cells in proportion to those already there, or open an empty one (Polya's urn) |
| `shrunk()` | probabilities lie between the sample's own and those of the log-linear model (a Dirichlet prior) |
| `fiber()` | they make up the margins of the population that are published; our chains draw them |

For `fiberwalk.sample_risk` and `fiberwalk.draw_populations`.
"""

from .fiber_population import fiber
from .log_linear_population import log_linear
from .polya_urn import urn
from .shrunk_population import shrunk

__all__ = ["fiber", "log_linear", "shrunk", "urn"]
