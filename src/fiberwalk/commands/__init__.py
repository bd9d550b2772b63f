"""The command line, one command a file.

`main` is the group and lists them; `protecting` has those that protect a table, `shared` the options that several take, and
how all behave.
"""
