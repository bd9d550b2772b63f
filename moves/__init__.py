"""Steps that change a table and no published figure, each set with its certificate.

`choose_moves(release)` says which moves chains would make and what is proven of them, `check_connected` walks through all
tables of a small release, `basic_moves` lists the simplest moves, those of Diaconis and Sturmfels. Inside:

bases/      Markov and Graver bases: our own (graver), 4ti2's (algebra), those known beforehand (known_bases), of parts of
            a table (part_bases), and how large a system is for 4ti2 (lattice_volume)
families/   one family a file; move_set: what every family offers; stock: moves written in advance; listed, mixture: moves
            from a list, several families together
people/     exchanges among a few people of a population (exchanges), and how one is made (exchange_steps); rounds of
            replaced people, who are tied over many places (repairs, repair_steps), and where all of them lead
            (repair_ends)

chooser         the best proven moves for each block of a release
connectivity    a check on small fibers, by walking through every table; reach: the same for users
own_moves       moves that a user hands in
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
