"""Laws: what an intruder believes of a table before she sees the release, in the words that `fw.audit(law=)` takes.

`"uniform"` and `"hypergeometric"` need no call. `expected` has means from elsewhere, `prior` a distribution for each cell
(`beta_binomial`, `log_normal`, `unimodal`, `frequencies_of`), `log_linear` the model of some margins, `per_contributor` one
for contributions to magnitudes, `dirichlet` one for tables published by chance. `fitted_cube` puts published tables together
to expected counts; `conditional_test` asks whether a log-linear model is tenable for a table at all.
"""

from .base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
