from .posterior import populations as populations
from .results.sample_risk_result import SampleRisk as SampleRisk
from .studies.sample_studies import SampleStudy as SampleStudy
from .studies.sample_studies import sample_study as sample_study
from .studies.sampled_populations import draw_populations as draw_populations
from .studies.sampled_populations import sample_risk as sample_risk
