"""What `fiberwalk protect --mechanism suppression` is made of.

`suppression_options` says what can be asked, `tables_of_files` reads the files, `wishes` puts both into a problem, with
`contributor_rules` for who stands behind a figure; `published_files` writes what may leave and `agency_note` what may not;
`known_cells` warns of what is known all the same.
"""
