"""The methods that turn a table into a release, one file each, and the rules that call a cell sensitive.

Each method is a function of a table that returns a release: what was published, and how probable that was for every table
there might have been. `fw.suppress`, `fw.round_to` and `fw.merge` are on the first level; here are rounding at random
(`random_round`, `controlled_round`, `semi_controlled_round`, `round_lattice`), changed counts (`perturb` with
`window_matrix` and `invariant_matrix`, `add_noise` with `geometric_noise` and `uniform_noise`, `markov_perturb`), changed
records (`swap`, `swap_preserving`, `pram`, `local_suppress`, `draw_sample`, `simulate`), `complementary_suppress`, and the
rules that call a cell sensitive (`sensitivity`). `as_protected` reads what somebody else published. Inside:

mechanism/     what random methods have in common: evidence, keys of cells
rounding/      to the nearest multiple, at random, controlled, of many tables at once
perturbation/  transition matrices, noise, Markov perturbation
records/       swapping, sampling, simulation, post-randomisation (PRAM), local suppression
withholding/   primary and secondary (complementary) suppression, table redesign, sensitivity rules

methods           all of them by name
as_published      how an outsider reads what a method published
count_changes     what methods do to counts; protected_counts: whole arrays at once, for servers and studies
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
