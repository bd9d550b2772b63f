"""G. T. Duncan, S. E. Fienberg, R. Krishnan, R. Padman, S. F. Roehrig (2001), Disclosure limitation methods and information
loss for tabular data: sections 1 to 3, the framework and the methods."""

from __future__ import annotations

from .item import Item

ITEMS = (
    Item(
        "1",
        "tables of weighted sample units",
        "fw.survey.sample_risk(sample, 2449, 'log-linear', sampling_weights=np.full((10, 9), 10.0), draws=20).summary",
    ),
    Item("1", "global recoding", "fw.merge(ijk, {'I': {'1 or 2': ['1', '2']}})"),
    Item(
        "1",
        "... and of strata, each with its own fraction",
        "fw.survey.sample_risk(sample, {'area': {str(i + 1): int(n) for i, n in enumerate(people.sum('religion').values)}}, "
        "'log-linear', draws=20).summary",
    ),
    Item(
        "1",
        "local suppression in records",
        "fw.protect.local_suppress(cube, 'region', rule='< 3')",
    ),
    Item(
        "1",
        "post-randomised records (PRAM)",
        "fw.protect.pram(cube, 'activity', stay=0.9, seed=1)",
    ),
    Item(
        "1", "post-randomised counts: a matrix mask", "fw.protect.perturb(table, matrix, last_rows=5, seed=1).published"
    ),
    Item(
        "1, Table 1",
        "the margins of the 4 x 4 x 3 table; 581 people",
        "fw.examples.dfkpr01().table.sum('K')",
        "3 87 68 72 5 8 80 4 3 4 7 107 64 6 56 7",
        "its 48 cells are not legible: `ijk` is one table with these margins",
    ),
    Item(
        "1, Table 1",
        "cells of 1 and 2 that margins without any do not protect",
        "fw.audit(fw.publish(turnover, ['activity,size', 'activity,region', 'size,region']), "
        "method='exact').threshold(at_most=2)",
    ),
    Item("2", "identity disclosure: is the cell of one person alone?", "audit.probability(corner, at_most=1)"),
    Item("2", "attribute disclosure: a line whose people are in one cell", "audit.concentration()"),
    Item("2, Figure 1", "risk and utility of releases side by side, from no data to the original", "found.readable()"),
    Item(
        "2",
        "risk as the share of the population that is unique",
        "(lambda of: of.small_share * of.cells / of.population)(fw.server.tabulate(cube, 'age,activity', "
        "rules=fw.server.ServerRules(small=1)))",
    ),
    Item(
        "2",
        "what the snooper knows of her target beforehand",
        "fw.audit(hidden.knows(corner, at_least=1), method='exact').pmf(corner)",
    ),
    Item(
        "2",
        "is who is unique in the sample unique in the population?",
        "fw.audit(fw.protect.draw_sample([[1, 4], [6, 5]], 0.5, seed=3), 'dirichlet', method='exact').threshold(at_most=1)",
    ),
    Item("2", "utility as the share of cells that are not suppressed", "fw.risk.share_published(hidden)", "0.56"),
    Item(
        "2",
        "the number of local suppressions",
        "(cube.sum() - fw.protect.local_suppress(cube, 'region', rule='< 3').published.sum()).item()",
    ),
    Item("2", "the highest utility at a risk that is allowed", "found.best(max_risk=0.6)"),
    Item(
        "2",
        "noise of a variance, as it grows: a line on the map",
        "fw.ru_map(table, {'noise': (fw.protect.add_noise, "
        "{'noise': [fw.protect.uniform_noise(1), fw.protect.uniform_noise(2)]})}, where='< 3', seeds=1).frame",
    ),
    Item(
        "2", "expected harm of a cell, sum r(k) p(k)", "fw.risk.expected_harm({1: 0.2, 2: 0.8}, {1: 1, 2: 0.5})", "0.6"
    ),
    Item("2", "... of every cell, r falling with k", "audit.harm(lambda k: 1 / (1 + k))"),
    Item(
        "2, Table 2",
        "IJ+ by zero-restricted controlled rounding to base 3",
        "(fw.protect.controlled_round(ijk.sum('K'), base=3, seed=1).published % 3).max().item()",
        "0",
    ),
    Item(
        "2, Table 2",
        "the printed table, as an outsider reads it",
        "fw.bounds(fw.protect.as_protected([[3, 87, 69, 72], [6, 9, 81, 3], [3, 3, 6, 108], [63, 6, 57, 6]], 'round_to', "
        "base=3, "
        "rounding='within'))",
    ),
    Item(
        "2",
        "a published 3 may be 1 to 5",
        "fw.bounds(fw.round_to(ijk.sum('K'), base=3, rounding='within', margins=[])).loc[('1', '1')]",
        "1 5",
    ),
    Item(
        "2",
        "p(k) of a snooper who expects low counts",
        "fw.audit(hidden, fw.laws.prior(everywhere=fw.laws.beta_binomial(a=1, b=4)), method='exact').pmf(corner)",
    ),
    Item(
        "2",
        "p(k) from the frequencies of a reference population",
        "fw.audit(hidden, fw.laws.prior(everywhere=fw.laws.frequencies_of(older, smooth=1)), method='exact').pmf(corner)",
    ),
    Item(
        "2",
        "information loss: the squared error of conditional probabilities",
        "fw.ru_map(table, {'rounded': lambda t: fw.round_to(t, base=3)}, where='< 3', "
        "utility='conditional probability', given='A').frame",
    ),
    Item(
        "3, sampling",
        "a sample, and valid inference about the table",
        "fw.audit(fw.protect.draw_sample([[1, 4], [6, 5]], 0.5, seed=3), 'dirichlet', method='exact').cells",
    ),
    Item("3, cell suppression", "primary suppressions by a rule", "fw.suppress(ijk, rule='< 3')"),
    Item(
        "3, cell suppression",
        "the rule is published too",
        "fw.bounds(hidden.knows_rule('< 3'))",
    ),
    Item(
        "3, cell suppression",
        "complementary suppressions, the fewest",
        "fw.protect.complementary_suppress(table, rule='< 3', width=2)",
    ),
    Item(
        "3, cell suppression",
        "... or by another measure of what is lost",
        "fw.protect.complementary_suppress(table, rule='< 3', width=2, minimise='counts')",
    ),
    Item(
        "3, cell suppression", "... in three dims", "fw.protect.complementary_suppress(turnover, rule='< 2', width=1)"
    ),
    Item(
        "3, cell suppression",
        "... audited before it is published",
        "fw.audit(fw.protect.complementary_suppress(table, rule='< 3', width=2), method='exact').cells",
    ),
    Item(
        "3, cell suppression",
        "decomposition: blocks that are solved by themselves, and how",
        "fw.bounds(hidden, explain=True)",
    ),
    Item(
        "3, cell suppression",
        "what is lost for inference",
        "fw.risk.chi_square_change(table, fw.round_to(table, base=3).published)",
    ),
    Item("3, rounding", "all cells to a base", "fw.round_to(table, base=3).published"),
    Item(
        "3, rounding",
        "the same cell in overlapping tables is rounded alike",
        "fw.protect.random_round(table, base=3, keys='labels', seed=1).published",
    ),
    Item(
        "3, rounding",
        "controlled: the rounded table adds up",
        "fw.protect.controlled_round(table, base=3, seed=1).crosstab()",
    ),
    Item(
        "3, rounding",
        "zero-restricted: multiples of the base stay",
        "fw.protect.controlled_round([[3, 6], [9, 0]], base=3, seed=1).published",
        "3 6 9 0",
    ),
    Item(
        "3, rounding",
        "unbiased controlled rounding",
        "fw.protect.controlled_round(table, base=3, unbiased=True, seed=1).published",
    ),
    Item(
        "3, rounding",
        "controlled rounding in three dims",
        "fw.protect.controlled_round(turnover, base=3, seed=1).published",
    ),
    Item(
        "3, rounding",
        "each value within reach of a rounded one is equally probable",
        "fw.audit(fw.round_to([[15]], base=5, margins=[]), method='exact').pmf(A='1', B='1')",
        ".2 .2 .2 .2 .2",
    ),
    Item(
        "3, rounding",
        "the base is read off the figures: one that does not divide all of them is refused",
        "fw.protect.as_protected([[3, 6], [9, 12]], 'round_to', base=3)",
    ),
    Item(
        "3, swapping",
        "a swap of order k, of a number or a share of records",
        "fw.protect.swap_preserving(ijk, ways=2, swaps=5, seed=1).published",
    ),
    Item(
        "3, swapping",
        "confidentiality edit: records that agree on some variables are exchanged between areas",
        "fw.protect.swap(cube, 'region', rate=0.1, within=['sex', 'age'], seed=1)",
    ),
    Item(
        "3, swapping",
        "the 3 x 2 x 2 illustration: all margins without the swapped variable stay",
        "(fw.protect.swap(cube, 'region', rate=0.1, seed=1).published.sum('region') == cube.sum('region')).all().item()",
        "True",
    ),
    Item(
        "3, swapping",
        "partners are sought for unique records",
        "fw.protect.swap(cube.sum('activity'), 'region', rate=0.1, targeted=1, seed=1)",
    ),
    Item(
        "3, swapping",
        "whole households are exchanged",
        "fw.protect.swap(homes, 'region', household='household', seed=1)",
    ),
    Item(
        "3, swapping",
        "compared with noise",
        "fw.protect.add_noise(table, fw.protect.geometric_noise(1.0), seed=1).published",
    ),
    Item(
        "3, simulation",
        "a table from the exact distribution, given the margins of a log-linear model",
        "fw.protect.simulate(table, ['A', 'B'], seed=1).published.sum('A')",
        "11 15 19",
    ),
    Item(
        "3, simulation",
        "kept only if it agrees with a richer model",
        "fw.protect.simulate(turnover, ['activity,size', 'region'], "
        "fits=['activity,size', 'size,region'], seed=1).published",
    ),
    Item(
        "3, simulation",
        "swaps alone do not reach every table",
        "fw.moves.check_connected(fw.publish(ones, ['A,B', 'B,C', 'A,C']), "
        "fw.moves.basic_moves(fw.publish(ones, ['A,B', 'B,C', 'A,C']))).connected",
        "False",
    ),
    Item(
        "3, simulation",
        "how far chains have to run: R-hat and effective draws",
        "fw.sample(fw.publish(table, ['A', 'B']), draws=50, chains=2).attrs['converged']",
    ),
    Item(
        "3, simulation",
        "a user regenerates all tables with the published margins",
        "fw.count(fw.publish(table, ['A', 'B']))",
    ),
    Item(
        "3, simulation",
        "a user tests a model given the margins",
        "fw.laws.conditional_test(table, ['A', 'B']).p",
    ),
    Item(
        "3, simulation",
        "how well it protects, and what it keeps",
        "fw.ru_map(table, {'simulated': lambda t, seed: fw.protect.simulate(t, ['A', 'B'], seed=seed)}, where='< 3', "
        "seeds=2, utility='hellinger').frame",
    ),
    Item(
        "3, simulation",
        "users with other models: laws side by side",
        "fw.compare(hidden, ['uniform', 'hypergeometric', fw.laws.expected(older)], method='exact').risks",
    ),
    Item(
        "3, simulation",
        "many tables with overlapping cells",
        "fw.linked([fw.protect.random_round(table, base=3, keys='labels', seed=1), fw.protect.random_round(table, base=3, "
        "keys='labels', seed=1, exact=['A'])])",
    ),
    Item(
        "3, Markov perturbation",
        "units move within squares; margins stay",
        "fw.protect.markov_perturb(table, theta=0.2, seed=1).published.sum('A')",
        "11 15 19",
    ),
    Item(
        "3, Markov perturbation",
        "a chosen square",
        "fw.protect.markov_perturb(square.table, theta=0.2, seed=1).published",
    ),
    Item(
        "3, Markov perturbation",
        "all squares in a random order that nobody is told",
        "fw.protect.markov_perturb(table, theta=0.2, order='secret', seed=1)",
    ),
)
