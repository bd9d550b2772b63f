"""The methods that turn a table into a release, one file each, and the rules that call a cell sensitive.

mechanism/     what random methods have in common: evidence, keys of cells
rounding/      to the nearest multiple, at random, controlled, of many tables at once
perturbation/  transition matrices, noise, Markov perturbation
records/       swapping, sampling, simulation, post-randomisation (PRAM), local suppression
suppression/   primary and secondary (complementary) suppression, table redesign, sensitivity rules

methods           all of them by name
as_published      how an outsider reads what a method published
count_changes     what methods do to counts; protected_counts: whole arrays at once, for servers and studies
"""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
