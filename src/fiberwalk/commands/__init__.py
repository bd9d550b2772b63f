"""The command line, one command a file.

`main` is the group and lists them; `shared` has the options that several take, and how all behave.
"""
