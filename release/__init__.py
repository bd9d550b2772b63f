"""What is published: labelled tables, linear facts, evidence, margins, hierarchies and files.

tables/          tables in any form, their dims and hierarchies
facts/           what a release is made of: the table as it is given, facts about sums, evidence, statuses, outside knowledge
statistics/      what is published besides counts, one kind of figure a file: means, quantiles, shares, ...
files/           one file per format, and the registry of formats; they know rows and figures, not releases
told.py          what readers are told: facts about cells and sums
release.py       the release itself, with what its agency keeps besides
publish.py       margins of a table, published exactly
linking/         several releases as one; shared_draws.py: random draws that they share
figures.py       a publication, as files and crosstabs are parsed to, becomes a release; relations.py: what else it says
reading.py       read_release; crosstab.py: from_crosstab
writing.py       Release.to_file; public_rows.py: what is public, row by row; own_table.py: the truth by number, for JJ files
public_view.py   the one door: what of a release is public, of which all that leaves is made; public_layout.py: as a crosstab
"""
