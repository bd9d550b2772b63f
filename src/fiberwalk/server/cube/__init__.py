"""The data of a server as a cube of occupied cells: read, keyed, and cut into the tables that are asked for.

request         what is asked for: the dims of a table, and who is in it
keys_of_people  a number of every person, which decides how a cell is changed (the cell-key method)
hypercube       occupied cells, their counts and record keys; tables cut from them
label_sets      which labels of the finest dims a cell stands for; what nobody can be
reading         data in any form become a hypercube
levels          levels of one dim that may be offered together
"""
