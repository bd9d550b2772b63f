"""Laws: what an intruder believes beforehand, one file each, and the tables that a law leaves possible.

| file | what it is about |
| --- | --- |
| `law` | what a law is, and what several share |
| `uniform`, `hypergeometric`, `dirichlet` | the laws that can be asked for by a word |
| `expected_counts` | expected counts from elsewhere |
| `priors`, `cell_priors/` | opinions on single cells, and the forms they may have |
| `contributor_law` | what contributors usually have |
| `by_name` | the list of laws |
| `log_linear_model`, `fitting`, `raking` | expected counts that agree with published figures |
| `published_cube` | the table of all dims that several published tables are margins of |
| `own_units` | an intruder who is counted in the table herself |
| `support` | the tables that a law and the evidence leave possible |
| `unknown_law` | what a file keeps of a law of the user's own |
"""
