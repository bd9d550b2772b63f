"""Steps that change a table and no published figure, each set with its certificate (to come)."""
