"""python -m fiberwalk: the command line, where its script is not on the PATH."""

from .commands.main import main

main(prog_name="fiberwalk")
