"""The data of a server as a cube of occupied cells: read, keyed, and cut into the tables that are asked for.

request         what is asked for: the dims of a table, and who is in it
keys_of_people  a number of every person, which decides how a cell is changed (the cell-key method)
magnitudes      values of records that are summed, each changed once by its key
hypercube       occupied cells, their counts and record keys; tables cut from them
label_sets      which labels of the finest dims a cell stands for; what nobody can be
whom            by which number it is known whom a cell is about
finding_levels  columns that are levels of others: told, or found
coded_columns   columns of data as numbers of labels
data_files      CSV and Parquet as frames
roles           what the columns of rows are for
reading         data in any form become a hypercube
levels          levels of one dim that may be offered together
"""
