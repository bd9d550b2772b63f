"""Microdata of any size, counted by somebody else's group-by: what a `TableServer` takes in place of a frame or file.

`duckdb("people/*.parquet")` counts files of any size in bounded memory, `ibis(table)` a table of a database, and another
`Engine` is a few methods. All give the same cube, to the last bit, as the data read as a whole: an engine counts records and
adds up the halves of their keys, as whole numbers; labels, keys and random numbers are made here. Inside:

engine          what an engine can do, in a few methods
arrow_labels    columns of Arrow as labels
counting        the hypercube that an engine counts
parquet_scan    how DuckDB reads Parquet as pandas does
csv_scan        how DuckDB reads CSV as pandas does
sql             names and texts in SQL
duckdb_engine   DuckDB over files
ibis_engine     whatever Ibis speaks to
"""

from ...base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
