from .chooser import Moves as Moves
from .reach import Reach as Reach
from .reach import basic_moves as basic_moves
from .reach import check_connected as check_connected
from .reach import choose_moves as choose_moves
