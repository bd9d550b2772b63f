"""The frames of an audit: one row for each hidden cell, line or respondent, and the criteria behind it.

cell_frame          what an intruder learns of each cell: bounds, entropy, risk
cell_questions      the distribution of one cell, and thresholds
deceptive_cells     intervals that look safe, distributions that are not
wanted_protection   intervals against the protection that an agency wants
line_concentration  attribute disclosure: is a whole row or column in one cell?
respondents         the release as a contributor to a cell sees it
largest_other       what she can work out of another contributor's amount
exposure            who comes nearest to each cell
hidden_steps        the steps and theta of a Markov perturbation
"""
