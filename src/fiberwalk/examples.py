"""Tables and releases from the papers, ready to be audited, each with its source and its corrected misprints; and data by
seeded recipes of our own: an economy with its microdata, and two census hypercubes; and a block of seven people.

>>> import fiberwalk as fw
>>> fw.examples.names()
['dot02_table1', 'dot02_table2', 'dfkpr01', 'dfkpr01_square', 'ase15']
>>> fw.examples.dot02_table1().release
<Release of activity, size (5 x 5): 25 cells, 4 hidden, 11 known sums, as an outsider reads it>
"""

from .base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
