"""python -m fiberwalk: the command line, where its script is not on the PATH."""

from .command_line import main

main(prog_name="fiberwalk")
