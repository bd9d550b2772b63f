"""Files, one format each: they know rows and figures, not releases.

publication.py      figures, what every reader hands over; reading_options.py what the user says of a file
rows.py             public rows, what a writer takes; numbered_table.py the agency's own cells and relations instead
format.py           what a format is; formats.py the registry of them, which knows whose a file is
long_file.py        long text files (CSV); parquet_file.py the same rows in Parquet; jj_file.py JJ files
long_columns.py     which column of a long file is what; long_reading.py rows become figures; long_writing.py public rows
                    become those of a file

long_checks.py      is a long file what it is taken for: header, decimal commas, dashes
argus/              tables of tau-ARGUS (.tab, .rda, .hrc) and its a priori files; excel/ workbooks

Hierarchy files (.hrc, level tables) are read in ../tables/hierarchies.py.
"""
