"""What stays possible: the tables that agree with a release.

system          a release as integer equations
propagation     what single equations say about their cells; rowspace: what goes together
presolve        what is decided, one feasible table, and the independent blocks of the rest
network         blocks that are flows in a graph; flow_bounds: their bounds and parts; twins: cells that tell each other
decomposable    closed forms for margins; linear_program, integer_program: bounds of everything else
bounds          sharp bounds by the cheapest of these; attaining: tables that attain them; fractional_bounds: in fractions
exact           the law of every cell by enumeration or elimination (elimination_plan, _layout, _kernel)
lattice         all changes of a table that no equation notices, and short bases of them
laws, fitting   what an intruder believes beforehand (priors, contributor_law); support: the tables that leaves possible
unknown_law     laws in saved files, where the user's own keep their names
contradiction   when no table fits; certificate: how far an answer can be trusted
"""
