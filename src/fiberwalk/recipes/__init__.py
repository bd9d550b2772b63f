"""Data by seeded recipes, the same on every machine: what `fw.examples` makes besides the papers' tables.

economy        enterprises with their turnover, activity and region
census         a hypercube of people
nested_census  one of people in families, at a finer level
block_of_seven seven people behind the medians and means of seven groups
town           a town, its households and the people in them; town_tables: what a census publishes of these
paper_tables   the tables that the papers print

made_data      what users call: the recipes with their dims and labels
whole_draws    the random whole numbers that these are made of
"""
