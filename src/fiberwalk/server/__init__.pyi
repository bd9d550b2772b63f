from .answer import Answer as Answer
from .rules import ServerRules as ServerRules
from .table_server import TableServer as TableServer
from .table_server import tabulate as tabulate
