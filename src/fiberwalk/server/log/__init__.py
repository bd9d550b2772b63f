"""Everything that was ever asked of a server, and what came of it.

entries  one request as it is kept, and the version of the server that answered it
log      the log itself, in an SQLite database: in memory, or a file that several processes share
"""
