"""Say in a sentence why a Python cannot be used; it is run by Pythons of any age, 2.7 included."""
# ruff: noqa: UP031

import sys

NEEDED = (3, 11)
NAME = "Python %d.%d" % sys.version_info[:2]

if sys.version_info < NEEDED:
    sys.exit(
        "fiberwalk needs Python 3.11 or newer, and this is %s: name another, as in make PYTHON=python3.12 demo" % NAME
    )
try:
    import ensurepip  # noqa: F401
    import venv  # noqa: F401
except ImportError:
    sys.exit(
        "This %s cannot make virtual environments: install its package for that (on Debian and Ubuntu apt install "
        "python3-venv), or name another Python, as in make PYTHON=python3.12 demo" % NAME
    )
