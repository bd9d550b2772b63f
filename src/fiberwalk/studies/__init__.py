"""Studies of samples and of methods over many tables.

`table_studies` puts methods (`treatments`) to work on tables cut from a hypercube (`cuts`), and measures what they leave
(`study_measures`); `sample_studies`, `sampled_populations` and `zero_levels` are about samples;
`measure_properties` is about what R1 and R2 do when a table is changed (`table_edits`).
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
