"""Models of the population behind a sample table: what is believed of the people who are not in the sample.

| model | what it believes |
| --- | --- |
| `known(p)` | they fall into cells with probabilities that are known |
| `log_linear()` | they fall into cells with the probabilities of a log-linear model of the sample |
| `urn()` | they join cells in proportion to those already there, or open an empty one (Polya's urn) |
| `shrunk()` | probabilities lie between the sample's own and those of the log-linear model (a Dirichlet prior) |
| `fiber()` | they make up the margins of the population that are published; our chains draw them |

For `fiberwalk.survey.sample_risk` and `fiberwalk.survey.draw_populations`. Every model keeps to what a release says of the
population (`release.knows(cell, exactly=0)`, bounds, published totals) or says which fact it cannot keep to. `log_linear`
and `shrunk` also take sampling weights and strata.
"""

from ...base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
