from ..comparing_margins import compare_margins as compare_margins
from ..results.margin_sets import MarginSets as MarginSets
from .measure_properties import RiskProperties as RiskProperties
from .measure_properties import risk_properties as risk_properties
from .table_studies import TableStudy as TableStudy
from .table_studies import table_study as table_study
