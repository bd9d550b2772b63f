"""fiberwalk: how probable is each value of a hidden table cell, given all that was published?

>>> import fiberwalk as fw
>>> release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=[{"A": "1", "B": "2"}, {"A": "2", "B": "1"}])
>>> fw.audit(release).cells[["lower", "upper", "entropy", "risk"]]  # doctest: +SKIP

What is published: `read_release`, `from_crosstab`, `publish`, `suppress`, `round_to`, `merge`, `linked`; `table` names what
several of them take. What follows from it: `bounds`, `count`, `audit`, `sample`, `compare`, `ru_map`, `plot_cell`, `load`.
The people behind many tables: `population`, `reconstruct`.

| namespace | what it holds |
| --- | --- |
| `fw.protect` | further methods: random rounding, noise, swapping, complementary suppression; sensitivity rules |
| `fw.laws` | what an intruder believes beforehand: expected counts, priors, log-linear models, and tests of these |
| `fw.survey` | tables of a sample: the risk of the people in it, and models of the population behind it |
| `fw.moves` | steps of the chains: which are chosen, whether they reach every table |
| `fw.risk` | measures of risk and utility, of a cell by its distribution and of a table as a whole |
| `fw.snooper` | the Bayesian snooper of Markov perturbation |
| `fw.server` | tables on request from microdata or a hypercube, ruled, measured and protected |
| `fw.studies` | which margins may be published together; methods and measures on many tables |
| `fw.examples` | the papers' tables, and data made by recipes |

Names load when they are first used, so that `import fiberwalk` costs next to nothing; `__init__.pyi` lists them.
"""

from .base.lazy_names import from_stub
from .base.version import VERSION

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
__version__ = VERSION
