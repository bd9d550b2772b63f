"""The command line, one command a file.

`main` is the group and lists them; `options` are those that several share, `manners` how all behave, `method_parameters` how
methods of protection are written.
"""
