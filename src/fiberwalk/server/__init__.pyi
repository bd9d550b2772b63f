from .answer import Answer as Answer
from .catalogue import Catalogue as Catalogue
from .cube.keys_of_people import record_keys as record_keys
from .cube.magnitudes import Magnitude as Magnitude
from .public_answer import PublicAnswer as PublicAnswer
from .rules import ServerRules as ServerRules
from .table_server import TableServer as TableServer
from .table_server import tabulate as tabulate
