"""Studies of samples and of methods over many tables.

`compare_margins`: which margins of a table may be published together? `table_study`: what do methods do to tables cut from a
hypercube? `risk_properties`: what do R1 and R2 do when a table is changed? (Samples are in `fw.survey`.) Inside:

table_studies        methods on tables cut from a hypercube
treatments           ... the methods, before or after the cut
cuts                 ... the tables
study_measures       ... risk and utility
sampled_populations  the risk of a sample over populations that may stand behind it
sample_studies       models of the population, tried on samples of a known one
zero_levels          populations with so many random and structural zeros
measure_properties   what R1 and R2 do when a table is changed
table_edits          ... the changes
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
