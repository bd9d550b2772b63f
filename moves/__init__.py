"""Steps that change a table and no published figure, each set with its certificate (to come).

known_bases     Markov bases of complete tables that are proven or stored (known_bases.json)
algebra         Markov bases of any system by 4ti2, where it is installed (algebra_child, canonical)
"""
