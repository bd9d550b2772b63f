"""The flexible table generator: tables on request from microdata or a hypercube, ruled, measured and protected (SAE15).

`TableServer(data, rules=, mechanism=, max_risk=)` is set up once and asked for tables; `tabulate` is for a single one.
`ServerRules` says which requests are refused at once; an `Answer` holds the table with its risk and utility, or why there is
none. Inside:

table_server    the server: from a request to a protected table, or a refusal
request         what is asked for: the dims of a table, and who is in it
rules           which requests are refused before anything is protected
reading         data in any form become a hypercube
hypercube       occupied cells, their counts and record keys; tables cut from them
record_keys     a secret number of every person, which decides how a cell is changed (the cell-key method)
protection      a method with its parameters, for the cube or for every table
offered_tables  tables that are rounded together when the server is set up
measures        risk before and after protection, utility
sample_measure  the risk of tables that are counted from a sample
answer          the table with its risk and utility, or why there is none
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
