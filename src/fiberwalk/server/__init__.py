"""The flexible table generator: tables on request from microdata or a hypercube, ruled, measured and protected (SAE15).

`TableServer(data, rules=, mechanism=)` is set up once and asked for tables; `tabulate` is for a single one. `ServerRules`
says which requests are refused, an `Auditor` refuses what would tell too much together; an `Answer` holds the protected
table, or why there is none, and for the agency its risk and utility; `Answer.public()` is what leaves. `record_keys` makes
numbers for people, to be stored with them; `engines` count data of any size. Inside:

cube/           the data as occupied cells with record keys: read, and cut into the tables that are asked for
engines/        the same cube, counted by DuckDB or a database
protecting/     from a request to protected figures
measuring/      risk and utility, for the agency
reading_back/   what an answer tells of the truth, as a release
auditor/        what the answers so far and a next one may tell together: decided without the data
rules           which requests are refused, by themselves or by their protected figures
judging         what of a protected table the rules release
totals          totals that agree with other tables, or that add up
tables          the figures of an answer, and what stands behind them
public_answer   what whoever asked may have: as a frame, CSV, Parquet, JSON-stat
answering       from a request that may be asked to its answer
answer          the protected table, or why there is none, with what the agency sees besides
catalogue       what may be asked for
log/            everything that was asked, in SQLite
ranking/        who could be known from all that was answered
joint_belief    what many answers tell together
groups_told     which groups of people these are about
table_server    the server: from a request to an answer
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
