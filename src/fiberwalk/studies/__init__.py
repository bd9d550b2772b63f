"""Studies of samples and of methods over many tables.

`table_studies` puts methods (`treatments`) to work on tables cut from a hypercube (`cuts`), and measures what they leave
(`study_measures`); `sample_studies` and `sampled_populations` are about samples.
"""
