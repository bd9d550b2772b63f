"""The people behind published tables: which records exist, and how probably.

laws_of_kinds  what an intruder believes of kinds of people beforehand, from what she believes of single records
among_records  how the people of a kind fall among its records
rebuilt        all that follows: each kind's law and its records', the number of populations, what the level above tells
claims         the joint probability of claims about groups
drawn_people   populations drawn from the posterior, one person a row
level_above    what somebody would guess who knows the figures of all regions together
without_tables what would be known without one of the tables
truth          what was believed, held to the people who there are
"""
