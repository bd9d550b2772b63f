"""A population and the tables that are published about it: which records may exist, and what the tables say of them.

domain            the dims of a population, their labels and recodes, and groups of people in these words
published_table   one published table, read as cells and facts over dims and recodes
label_classes     labels that no table and no fact tells apart
mean_table       expected counts of records from a table over some dims
possible_records  the records that no published zero rules out, found without crossing all dims
kinds             records that are in the same figures, taken as one, and the release about these
population        what users call: a population, and what is published of it
folder           the same from files
"""
