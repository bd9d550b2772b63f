"""Files that somebody damaged or forged, and what becomes of them.

damage.py       changes of any bytes, and of texts: lines, fields, numbers, encodings
forgery.py      changes that keep a file well-formed: JSON and arrays in a saved result, columns of a Parquet file
examples.py     files as they should be, of every kind that is read
kinds.py        every kind: its examples, its changes, and what reads it; a file is made from a seed and its number
trial.py        one file read: does it end as a file may?
children.py     trials in processes of their own, with limits of time and memory
"""
