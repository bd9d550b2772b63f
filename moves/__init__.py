"""Steps that change a table and no published figure, each set with its certificate (to come).

graver          all moves that are no sum of two smaller ones in the same directions: they connect every fiber
"""
