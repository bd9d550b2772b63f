"""The table server under attack (`python bench/attacks`).

knowledge      what attackers know, and what follows from it
ways           the attacks, one a file, and the benchmark
servers        the methods and rules that are attacked
contest        every attack against a server
census         the oracles of the server as it was, on a census hypercube
by_chance      does the server tell that a column follows from another by chance?
over_http      a server behind the door of the service
leaky          servers with one fault each, on which attacks must succeed
written, kept  the report
"""
