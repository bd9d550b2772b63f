"""Survey samples: how risky is the table of a sample, given that the population behind it is not known?

`sample_risk` answers for one sample, under a model of the population (`populations`); `draw_populations` gives the
populations themselves; `sample_study` tries models on samples of a population that is known. To publish a sample is
`fw.protect.draw_sample`, and to draw tables that agree with a release `fw.sample`.
"""

from .base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
