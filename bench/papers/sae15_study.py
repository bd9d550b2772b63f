"""SAE15, sections 4 to 6: the measures of risk and utility, and the comparison study."""

from __future__ import annotations

from .item import Item

_TABLES = "{'T': ('age,activity', {'region': '1'})}"
_STUDY = (
    f"fw.studies.table_study(cube, {_TABLES}, {{'RS': ('before', 'swap', {{'dim': 'region'}}), "
    "'RRP': ('after', 'semi_controlled_round', {'base': 3})}, seeds=2)"
)
_CUBE = "fw.examples.hypercube()"

ITEMS = (
    Item(
        "4",
        "share of rows and columns with one or two occupied cells (as the ONS did)",
        "fw.risk.thin_lines([[4, 0, 0], [2, 3, 0], [1, 5, 2]])",
        "0.667",
        note="not printed: four lines of six",
    ),
    Item("4.1, (a)", "small counts risk more", "fw.risk.r1([1, 2, 1, 2]) > fw.risk.r1([10, 20, 10, 20])", "True"),
    Item("4.1, (b)", "even counts risk little", "fw.risk.r1([5, 5, 5, 5]) < fw.risk.r1([2, 4, 6, 8])", "True"),
    Item("4.1, (c)", "the more zeros the higher", "fw.risk.r1([4, 4, 0, 0]) > fw.risk.r1([2, 2, 2, 2])", "True"),
    Item("4.1, (d)", "between 0 and 1", "0 <= fw.risk.r1(people) <= 1", "True"),
    Item("4.1, (1)", "entropy of a table", "fw.risk.table_entropy(people)"),
    Item("4.1, (2)", "1 - H / ln K, of the table or of every row", "fw.risk.r1(people, (0, 1, 0), by='area')"),
    Item("4.1, (3)", "the weighted measure", "fw.risk.r1(people, (0.1, 0.8, 0.1))", ".231461"),
    Item(
        "4.1, (3)",
        "its third term, for the four N of Table 2",
        "[fw.risk.r1([n], (0, 0, 1)) for n in (854539, 645461, 736355, 96656)]",
        ".008469 .009570 .009037 .021678",
    ),
    Item("4.1", "no weights: the L2 norm of the terms", "fw.risk.r1(people, 'l2')"),
    Item(
        "4.1, Figure 1",
        "the terms as a table changes, drawn",
        "fw.studies.risk_properties(people).plot()",
    ),
    Item(
        "4.1, Figure 1",
        "the second term from an even table of ten cells to one cell",
        "[fw.risk.r1([1] * n + [0] * (10 - n), (0, 1, 0)) for n in (10, 5, 1)]",
        "0.000 0.301 1.000",
    ),
    Item("4.1", "the entropy split at six, weights .1, .7, .1, .1", "fw.risk.split_risk(people)"),
    Item(
        "4.2, (e)",
        "protection lowers the risk",
        "fw.risk.perturbed_risk(people, fw.protect.random_round(people, base=3, seed=1).published, "
        "fw.risk.changes_of('random_round', {'base': 3})) "
        "< fw.risk.split_risk(people)",
        "True",
    ),
    Item(
        "4.2, (e)",
        "... by a measure that keeps to it better",
        "fw.risk.perturbed_risk(people, fw.protect.random_round(people, base=3, seed=1).published, "
        "fw.risk.changes_of('random_round', {'base': 3}), means=True) < fw.risk.split_risk(people)",
        "True",
        note="the measure as printed may rise; this one hardly ever does",
    ),
    Item(
        "4.2, first term",
        "zeros: a tenth before and a fifth after, 0.10 becomes 0.01",
        "fw.risk.r2([0] + [1] * 9, [0, 0] + [1] * 8, (1, 0, 0))",
        "0.01",
    ),
    Item(
        "4.2, second term",
        "published counts are replaced by what is to be expected of them",
        "fw.risk.perturbed_risk([[1, 5, 9], [7, 2, 60]], [[0, 6, 9], [6, 3, 60]], "
        "fw.risk.changes_of('random_round', {'base': 3}))",
        "0.0591",
        "not printed",
    ),
    Item(
        "4.2, second term",
        "... of record swapping",
        "fw.risk.perturbed_risk(people, people, fw.risk.changes_of('swap', {'rate': 0.1}))",
    ),
    Item(
        "4.2, second term",
        "... of a transition matrix",
        "fw.risk.perturbed_risk(people, fw.protect.perturb(people, matrix, last_rows=5, seed=1).published, "
        "fw.risk.changes_of('perturb', {'matrix': matrix, 'last_rows': 5}))",
    ),
    Item(
        "4.2",
        "the multiplier, the mean diagonal, or as printed",
        "fw.risk.perturbed_risk(people, people, matrix, multiplier=(0.75, 0.9))",
    ),
    Item("4.3, (4)", "Hellinger distance", "fw.risk.hellinger_distance([4, 0], [0, 9])", "2.55"),
    Item("4.3", "utility, 1 - HD / sqrt N", "fw.risk.hellinger_utility(people, people)", "1"),
    Item(
        "5.1",
        "the hypercube: 2 x 2 x 21 x 5 x 13 x 9 x 5, 1.5 million people",
        f"[{_CUBE}.size, {_CUBE}.sum().item()]",
        "245700 1500000",
        "the paper's is not public: by a recipe of ours",
    ),
    Item(
        "5.1",
        "a hypercube fitted to published tables",
        "fw.laws.fitted_cube([cube.sum(['age', 'activity']), cube.sum(['region', 'activity'])]).sum().item()",
        "20000",
    ),
    Item("5.1, Table 1", "about 92.4 percent of its cells are zero", f"round(float(({_CUBE} == 0).mean()), 2)", "0.92"),
    Item(
        "5.1",
        "four tables, at most three dims and one filter",
        "fw.server.tabulate(cube, 'sex,age,activity', filters={'region': '1'}).table.shape",
    ),
    Item("5.1, Table 2", "their people, cells and zeros", f"{_STUDY}.originals"),
    Item(
        "5.1",
        "rounding to base 3, the regions' totals controlled",
        "fw.protect.semi_controlled_round(cube, base=3, within='region', seed=1)",
    ),
    Item("5.1", "a tenth of the people swapped between regions", "fw.protect.swap(cube, 'region', rate=0.1, seed=1)"),
    Item(
        "5.1, Table 3",
        "the transition matrix: .0167 is 1/60, rows sum to 1",
        "fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)[[0, 1, 1, 3, 3], [0, 1, 2, 3, 4]]",
        "1 0.5000 0.1250 0.9000 0.0167",
    ),
    Item(
        "5.1, Table 3",
        "made invariant, which the print is not",
        "fw.protect.perturb(cube, fw.protect.invariant_matrix(matrix, cube, last_rows=5, alpha='alike'), last_rows=5, "
        "preserve_totals=True, within='region', seed=1)",
    ),
    Item("5.2, Table 4", "the share of ones and twos that change", f"{_STUDY}.frame['small_changed']"),
    Item(
        "5.2, Table 5",
        "risk and utility of each table under each method",
        f"{_STUDY}.frame",
        note="the whole study: bench/studies/flexible_tables.py",
    ),
    Item(
        "5.2",
        "rounding reveals counts where sums do not add up",
        "fw.bounds(fw.protect.random_round(table, base=3, margins=['A'], exact=['B'], seed=1))",
    ),
    Item(
        "5.2",
        "swapping leaves tables without the swapped variable as they are",
        "fw.studies.table_study(cube, {'T': ('sex,activity', None)}, {'RS': ('before', 'swap', {'dim': 'region'})}, "
        "seeds=1).frame['utility']",
        "1.000",
    ),
    Item("5.2, Figure 2", "the R-U map of all tables and methods", f"{_STUDY}.plot()"),
    Item(
        "5.2",
        "the highest utility at a risk of 15 percent",
        "fw.ru_map(cube.sum(['age', 'region']), {'rounded': lambda t, seed: fw.protect.semi_controlled_round(t, base=3, "
        "seed=seed)}, risk='split', utility='hellinger', seeds=2).best(max_risk=0.15)",
    ),
    Item(
        "6, further research",
        "methods across lists of parameters, by measures of choice",
        "fw.studies.table_study(cube, {'T': ('age,activity', {'region': '1'})}, {'RR': ('after', 'random_round', "
        "{'base': [3, 5, 10]})}, risk='r2', utility='chi-square', seeds=2).frame",
    ),
    Item(
        "6, further research",
        "post-tabular methods that stay additive and consistent",
        "fw.server.TableServer(cube, mechanism='round_lattice', parameters={'base': 3, 'margins': ['region,sex', "
        "'sex,activity']}, seed=1).tabulate('region,sex').table",
    ),
    Item(
        "6",
        "the same request again tells nothing new",
        "(server.tabulate('sex,age').table == server.tabulate('age,sex').table).all().item()",
        "True",
    ),
    Item(
        "6",
        "what overlapping tables tell together",
        "fw.audit(fw.linked([server.tabulate('sex').release(), server.tabulate('region,sex').release()]), "
        "method='exact').cells",
    ),
)
