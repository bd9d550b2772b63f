"""J. Domingo-Ferrer, A. Oganian, V. Torra (2002), Information-theoretic disclosure risk measures in statistical disclosure
control of tabular data."""

from __future__ import annotations

from .item import Item

ITEMS = (
    Item("1, methods", "cell suppression: sensitive cells are withheld", "fw.suppress(table, rule='< 3')"),
    Item(
        "1, methods",
        "secondary suppressions, as few as protect the primary ones",
        "fw.protect.complementary_suppress(table, rule='< 3', below=1, above=1)",
    ),
    Item("1, methods", "rounding to multiples of a base", "fw.round_to(table, base=3).published"),
    Item(
        "1, methods",
        "controlled rounding, which stays additive",
        "fw.protect.controlled_round(table, base=3, seed=1).crosstab()",
    ),
    Item("1, methods", "redesign: categories are combined", "fw.merge(table, {'A': {'1 or 2': ['1', '2']}})"),
    Item("1, methods", "a sample is published in place of the table", "fw.protect.draw_sample(people, 0.1, seed=1)"),
    Item(
        "1, methods",
        "data swapping that keeps every margin of k dims",
        "(fw.protect.swap_preserving(ijk, ways=2, swaps=5, seed=1).published.sum('K') == ijk.sum('K')).all().item()",
        "True",
    ),
    Item(
        "1, methods",
        "simulation from the log-linear model of the margins",
        "fw.protect.simulate(table, ['A', 'B'], seed=1).published",
    ),
    Item(
        "1, methods",
        "a synthetic table from all those with the same margins",
        "fw.sample(fw.publish(table, ['A', 'B']), draws=2, chains=2)['table'].sum('A').values[0, 0]",
        "11 15 19",
    ),
    Item("1", "methods are compared by disclosure risk and data utility", "found.frame[['risk', 'utility']]"),
    Item(
        "1",
        "utility as one over the mean squared error",
        "fw.risk.mean_squared_precision(square.prior, truth=1)",
        ".1587",
    ),
    Item(
        "1",
        "a utility for the use at hand: any function of the true and the published table",
        "fw.ru_map(table, {'rounded': lambda t: fw.round_to(t, base=3)}, where='< 3', "
        "utility=lambda true, release: fw.risk.cramers_v(release.published)).frame",
    ),
    Item("1.1", "risk a posteriori: measured on the protected table", "fw.audit(hidden, method='exact').cells['risk']"),
    Item("1.1, 5", "the table is released only if that is low enough", "fiberwalk audit table.csv --fail-above 5"),
    Item("2", "(n, k) dominance rule", "fw.protect.sensitivity.dominance([90, 5, 5], n=1, k=85)", "True"),
    Item("2", "prior-posterior (pq) rule", "fw.protect.sensitivity.prior_posterior([90, 9, 1], p=10, q=50)", "True"),
    Item("2", "p% rule: pq with q = 100", "fw.protect.sensitivity.p_percent([90, 9, 1], p=10)", "True"),
    Item("2", "threshold rule for counts", "fw.protect.sensitivity.threshold([4, 3], fewer_than=3)", "True"),
    Item(
        "2",
        "the rules applied to every cell of a table",
        "fw.protect.sensitivity.sensitive_magnitudes([[90, 40], [7, 30]], [[9, 5], [1, 4]], [[80, 10], [7, 25]])",
        "True False True False",
    ),
    Item(
        "2, Example 1",
        "dominance with n = 1, k = 60 passes 59, 40, 1 and stops 61, 20, 19",
        "[fw.protect.sensitivity.dominance(one, n=1, k=60) for one in ([59, 40, 1], [61, 20, 19])]",
        "False True",
    ),
    Item(
        "2, Example 1",
        "by how much the second largest overestimates the largest, in percent: by 60 of 59 and 80 of 61",
        "[fw.protect.sensitivity.largest_known_within(one) for one in ([59, 40, 1], [61, 20, 19])]",
        "1.7 31.1",
    ),
    Item(
        "2, Example 1",
        "the second largest contributors, asked about the largest: at most 60, and at most 80",
        "fw.audit(fw.publish(fw.table([[100, 100]], contributors=[[3, 3]], largest=[[59, 61]], second=[[40, 20]]), [''])"
        ".knows({'A': '1', 'B': '1'}, exactly=100), intruders='respondents', "
        "method='exact').respondents.set_index('kind', append=True)['other_upper'].xs('second', "
        "level='kind').sort_values()",
        "60 80",
    ),
    Item(
        "3, Example 2",
        "how many tables are compatible with a rounded one; near or far from the true one",
        "[fw.count(fw.round_to([one], base=3, margins=[])) for one in ([3, 6], [4, 5])]",
        "9 9",
    ),
    Item(
        "3, (1)",
        "risk of a cell as one over Shannon's entropy, in bits",
        "fw.risk.entropy_risk([0.25, 0.25, 0.5])",
        "0.6667",
        "not printed",
    ),
    Item(
        "3",
        "an insider knows her own contribution",
        "fw.audit(hidden.knows({'A': '1', 'B': '2'}, own=2), method='exact').pmf(A='1', B='2')",
    ),
    Item(
        "3",
        "what every respondent learns",
        "fw.audit(fw.suppress(fw.table(table, contributors=table), rule='< 3'), "
        "intruders='respondents', method='exact').exposure()",
    ),
    Item(
        "3",
        "what was published before counts too",
        "fw.count(fw.linked([fw.publish(turnover, ['activity,size']), fw.publish(turnover, ['activity,region'])]))",
    ),
    Item("3, Example 3", "only projections of a table are released", "fw.publish(ijk, margins=['I,J', 'J,K'])"),
    Item("3, (2)", "risk as one over conditional entropy", "audit.cells['risk']"),
    Item("3, problem 1", "the set of possible values of a cell", "fw.bounds(hidden)"),
    Item("3, problem 2", "the probability of each, p(x|y)", "audit.pmf(corner)"),
    Item(
        "3, problem 2",
        "... under another law than the uniform one",
        "fw.audit(hidden, 'hypergeometric', method='exact').pmf(corner)",
    ),
    Item("3, (3)", "uniform risk, 1/log2 m", "fw.risk.uniform_risk(407)", "0.115"),
    Item("3", "how far the uniform risk understates", "fw.compare(hidden, method='exact').risks"),
    Item(
        "3, Note 1",
        "values with a fixed number of decimals are discrete too",
        "fw.audit(fw.suppress(fw.table([[1.5, 2.5], [3.0, 4.5]], decimals=1), where=[[True, True], [True, True]])"
        ", method='exact').cells['support']",
        "41 41 41 41",
        "not printed",
    ),
    Item(
        "4.1, Table 1",
        "activity by size class, four cells suppressed",
        "suppressed.crosstab().loc['All', '4']",
        "1448",
        "printed 1148",
    ),
    Item("4.1, (4)", "bounds of the four cells", "fw.bounds(suppressed)", "0 406 1131 1537 0 406 845 1251"),
    Item("4.1", "m = 407 values each", "fw.audit(suppressed, method='exact').cells['support']", "407 407 407 407"),
    Item(
        "4.1",
        "the uniform risk of each",
        "fw.audit(suppressed, method='exact').cells['uniform_risk']",
        ".115 .115 .115 .115",
    ),
    Item(
        "4.2",
        "a cell rounded to base b has b candidates",
        "np.ptp(fw.bounds(fw.round_to([[0, 15]], base=5, margins=[])), axis=1) + 1",
        "3 5",
        "3 where 0 is published, which the paper leaves out",
    ),
    Item(
        "4.2",
        "its risk",
        "fw.audit(fw.round_to([[15]], base=5, margins=[]), method='exact').cells['uniform_risk']",
        "0.431",
    ),
    Item(
        "4.3, Table 2",
        "activities 5 and 6 combined, their row totals unknown",
        "fw.bounds(redesigned, hidden_margins=['activity']).loc['5', 'upper']",
        "649 406 1275 2382 3467 8179",
    ),
    Item(
        "4.3",
        "the uniform risk of the cells of activity 5",
        "fw.audit(redesigned, hidden_margins=['activity'], method='exact').cells.loc['5', 'uniform_risk'].sort_index()",
        ".10702 .11536 .09692 .08914 .08503 .07694",
        "not printed: follows from (3)",
    ),
    Item(
        "4.4, (5)",
        "a three-way table of which one projection is released",
        "fw.audit(fw.publish(turnover, ['activity,size']), method='exact').cells['risk'].mean()",
    ),
    Item(
        "4.4, (6)",
        "... two projections",
        "fw.audit(fw.publish(turnover, ['activity,size', 'activity,region']), method='exact').cells['risk'].mean()",
    ),
    Item(
        "4.4, (7)",
        "... all three",
        "fw.audit(fw.publish(turnover, ['activity,size', 'activity,region', 'size,region']), "
        "method='exact').cells['risk'].mean()",
    ),
    Item(
        "4.4",
        "the three scenarios, and any other set of projections, at once",
        "fw.studies.compare_margins(turnover, method='exact').frame",
    ),
    Item("4.4", "a cell too closely bounded: is what is wanted still possible?", "audit.protection(percent=50)"),
    Item(
        "4.4",
        "linked tables with suppressed cells: the constraints of all of them together",
        "fw.bounds(fw.linked([fw.suppress(table, rule='< 3'), fw.publish(table, ['A', 'B'])]))",
    ),
    Item(
        "4.4",
        "the insider who has 400 of 995..1004",
        "fw.bounds(fw.publish([[1000, 9]], ['A']).knows({'A': '1', 'B': '1'}, at_least=995, at_most=1004)"
        ".knows({'A': '1', 'B': '1'}, own=400)).loc[('1', '1')]",
        "595 604",
    ),
    Item(
        "4.4",
        "the outsider knows of the largest contributor only that she has up to 1004",
        "fw.bounds(fw.publish([[1000, 9]], ['A']).knows({'A': '1', 'B': '1'}, at_least=995, "
        "at_most=1004)).loc[('1', '1'), 'upper']",
        "1004",
    ),
)
