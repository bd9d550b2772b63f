from .answer import Answer as Answer
from .cube.keys_of_people import record_keys as record_keys
from .rules import ServerRules as ServerRules
from .table_server import TableServer as TableServer
from .table_server import tabulate as tabulate
