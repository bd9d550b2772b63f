"""From a request to protected figures.

protection           a method with its parameters, for the cube or for every table
offered_tables       tables that are rounded together when the server is set up
published_elsewhere  figures that were published before, and are answered as they were
making               a whole table, protected: counts, weighted counts, sums and means
"""
