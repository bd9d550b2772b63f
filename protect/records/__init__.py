"""Changes of the records behind a table: swapping, sampling, simulation, post-randomisation (PRAM), local suppression.

`record_swapping` is what users call: of a table, or by `household_swapping` of microdata. `swapped_pairs` forms the pairs,
`swapping_checks` is what both check and say, `swapping_evidence` what a published cell then tells. `microdata` counts
people up to a table.
"""
