"""What comes back: frozen results with their frames, plots, pages, and how they are saved.

audit_result             an audit: its readings and respondents, how it is shown and kept
believed                 what both rest on: a belief, how it was obtained, and how far it can be trusted
audited_cells            what an audit says of each cell: its distribution, and what follows from it
informed_audit           the same of an intruder who knows the program that chose what to withhold
further_questions        what is computed when asked: joint laws, the most probable table, drawn tables
map_result               an R-U map: methods of protection by risk and utility
margin_sets              sets of margins that might be published together
sample_risk_result       the posterior of the risk of a sample table
conditional_test_result  the p-value of a log-linear model
"""
