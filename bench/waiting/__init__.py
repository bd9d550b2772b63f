"""Time to answer: how long a user waits from `fw.audit(...)` to every entropy within the default tolerance.

    python bench/waiting [word ...] [--against REF] [--nothing-compiled] [--limit SECONDS] [--seeds N] [--store]

releases    what is audited: a fixed list, with its seeds
one         one audit in a process of its own
measured    that process as seen from here, and what several of them come to
__main__    all of it, told as a table
"""
