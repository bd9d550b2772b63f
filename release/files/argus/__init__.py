"""Files of tau-ARGUS: tables with what says what their columns are, and what is said of cells beforehand.

metadata.py     .rda files: which column of a table is what
tab_file.py     .tab files, read with their .rda; tab_writing.py the same, written with .rda and .hrc
levels.py       numbers as these files write them
history.py      a priori files (.hst): statuses, costs and protection levels of cells

JJ files are in ../jj_file.py, as sdcTable writes them, too; hierarchies (.hrc) are read in ../../tables/hierarchies.py.
"""
