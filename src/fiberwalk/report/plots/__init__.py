"""Pictures, one kind a file.

audit_plots        distributions of cells, and risk against uniform risk
value_bars         a distribution as bars
heat_map           a table as a heat map of risk
convergence        the evidence behind sampled distributions
map_plot           an R-U map
margin_plot        sets of margins by the risk they leave
sample_risk_plot   the risk of a sample over populations
sample_study_plot  models of the population on many samples
study_plot         methods on many tables
properties_plot    R1 and R2 when a table is changed
label_places       labels that cover neither points nor each other
figures            figures that a notebook shows
palette            colours and shapes
"""
