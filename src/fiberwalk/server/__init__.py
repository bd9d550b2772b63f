"""The flexible table generator: tables on request from microdata or a hypercube, ruled, measured and protected (SAE15).

`TableServer(data, rules=, mechanism=)` is set up once and asked for tables; `tabulate` is for a single one. `ServerRules`
says which requests are refused; an `Answer` holds the protected table, or why there is none, and for the agency its risk and
utility. `record_keys` makes numbers for people, to be stored with them. Inside:

cube/           the data as occupied cells with record keys: read, and cut into the tables that are asked for
table_server    the server: from a request to a protected table, or a refusal
rules           which requests are refused, by themselves or by their protected figures
protection      a method with its parameters, for the cube or for every table
offered_tables  tables that are rounded together when the server is set up
measures        risk before and after protection, utility
sample_measure  the risk of tables that are counted from a sample
answer          the protected table, or why there is none
agency_view     its risk and utility, for the agency
reading_back    what it tells of the truth, as a release
cube_reading    the same where the cube was protected beforehand
joint_belief    what many answers tell together
groups_told     which groups of people these are about
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
