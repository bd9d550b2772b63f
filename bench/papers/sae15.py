"""N. Shlomo, L. Antal, M. Elliot (2015), Measuring disclosure risk and data utility for flexible table generators:
sections 1 to 3, the server and the methods."""

from __future__ import annotations

from .item import Item

ITEMS = (
    Item(
        "1", "identity disclosure: small counts", "server.tabulate('age,activity', filters={'region': '1'}).small_share"
    ),
    Item(
        "1",
        "attribute disclosure: a row or column with zeros and one or two occupied cells",
        "fw.risk.thin_lines(cube.sum(['region', 'sex']), by='activity')",
    ),
    Item(
        "1",
        "disclosure by differencing: everybody, and all but those of B = 3",
        "fw.bounds(fw.linked([fw.publish(table, ['A']), fw.publish(table.sel(B=['1', '2']), ['A'])"
        ".restricted_to({'B': ['1', '2']})], full=True)).xs('3', level='B')",
        "4 4 6 6 9 9",
        "not printed: those of `table`",
    ),
    Item("2.1", "the server reads microdata", "fw.server.TableServer(records, seed=1).tabulate('sex,activity').table"),
    Item(
        "2.1",
        "... of a survey, whose counts are weighted",
        "fw.server.TableServer(records.assign(weight=1.5), people=30000, sampling_weights='weight', risk='sample', "
        "model='log-linear', draws=20, seed=1).tabulate('sex,activity').risk_before",
    ),
    Item(
        "2.1",
        "... or a hypercube, below whose cells nothing can be asked",
        "fw.server.TableServer(cube, seed=1).tabulate('sex,activity').table",
    ),
    Item(
        "2.1",
        "hypercubes of several agencies, put together",
        "fw.server.tabulate(pd.concat([cube.sel(region=[one]).to_series().rename('count').reset_index() for one "
        "in '12']), 'region,sex').table",
    ),
    Item("2.1", "the hypercube itself has risk", "fw.risk.split_risk(cube)"),
    Item(
        "2.2",
        "protection before tables are made",
        "fw.server.TableServer(cube, mechanism='random_round', parameters={'base': 3}, when='before', "
        "seed=1).tabulate('sex,activity').table",
    ),
    Item("2.2", "protection of each table", "server.tabulate('sex,activity').table"),
    Item(
        "2.2",
        "both",
        "fw.server.TableServer(cube, before=('swap', {'dim': 'region'}), mechanism='random_round', parameters={'base': 3}, "
        "seed=1).tabulate('sex,activity').table",
    ),
    Item(
        "2.3",
        "rule: the most dims",
        "fw.server.tabulate(cube, 'region,sex,age', rules=fw.server.ServerRules(max_dims=2)).released",
        "False",
    ),
    Item(
        "2.3",
        "rule: nested categories, against differencing",
        "fw.server.tabulate(cube, 'sex', {'age': ['0-4', '5-9']}, rules=fw.server.ServerRules(max_labels=1)).released",
        "False",
    ),
    Item(
        "2.3",
        "rule: the fewest people",
        "fw.server.tabulate(cube, 'sex', rules=fw.server.ServerRules(min_population=10**6)).released",
        "False",
    ),
    Item(
        "2.3",
        "rule: the largest share of small cells",
        "fw.server.tabulate(cube, 'age,activity', rules=fw.server.ServerRules(max_small_share=0.001)).released",
        "False",
    ),
    Item(
        "2.3",
        "rule: the smallest mean cell",
        "fw.server.tabulate(cube, 'age,activity', rules=fw.server.ServerRules(min_mean_cell=10**4)).released",
        "False",
    ),
    Item(
        "2.3, step 1",
        "may the table be made? else why not",
        "fw.server.tabulate(cube, 'sex', rules=fw.server.ServerRules(min_population=10**6)).notice",
    ),
    Item("2.3, step 2", "its risk, and whether it has to be protected", "server.tabulate('sex,age').risk_before"),
    Item(
        "2.3, step 2",
        "... a table of little risk is published as it is",
        "fw.server.TableServer(cube, mechanism='random_round', parameters={'base': 3}, max_risk=1).tabulate('sex')"
        ".needs_protection",
        "False",
        "the agency is told, and has `original`; a server that did so by itself would tell of the true table",
    ),
    Item("2.3, step 3", "it is protected", "server.tabulate('sex,age').table"),
    Item(
        "2.3, step 4",
        "its risk again; above what is allowed it is not released",
        "server.tabulate('sex,age').too_risky",
        "False",
        "the agency is told, and decides; a refusal by the server would tell of the true table",
    ),
    Item("2.3, step 5", "the table with a measure of utility", "server.tabulate('sex,age').utility"),
    Item(
        "2.3",
        "all five steps on the command line",
        "fiberwalk tabulate people.csv --dims sex,activity --filter region=1 --mechanism 'random-round "
        "base=3' --max-risk 0.5",
    ),
    Item(
        "3.1",
        "record swapping between strata, within control variables",
        "fw.protect.swap(cube, 'region', rate=0.1, within=['sex', 'age'], seed=1)",
    ),
    Item("3.1", "targeted at people in small cells", "fw.protect.swap(cube, 'region', rate=0.1, targeted=2, seed=1)"),
    Item("3.1", "whole households", "fw.protect.swap(homes, 'region', household='household', targeted=2, seed=1)"),
    Item(
        "3.1",
        "several variables at once",
        "fw.protect.swap(cube.sum('age'), ['region', 'sex'], rate=0.1, seed=1)",
    ),
    Item(
        "3.1",
        "the larger area keeps its distributions",
        "(fw.protect.swap(cube, 'region', seed=1).published.sum('region') == cube.sum('region')).all().item()",
        "True",
    ),
    Item(
        "3.2",
        "unbiased random rounding: up with probability res(x)/b",
        "fw.protect.random_round(table, base=3, seed=1).published",
    ),
    Item(
        "3.2",
        "... which the snooper undoes: a published 3 of counts up to 5",
        "fw.audit(fw.protect.as_protected([[3]], 'random_round', base=3), method='exact').pmf(A='1', B='1')",
        ".1111 .2222 .3333 .2222 .1111",
        "not printed: res(x)/b, normalised",
    ),
    Item(
        "3.2",
        "semi-controlled: the expected number goes up",
        "fw.protect.semi_controlled_round(table, base=3, seed=1).published.sum().item()",
        "45",
    ),
    Item(
        "3.2",
        "... in each row or column",
        "fw.protect.semi_controlled_round(table, base=3, within='A', seed=1).published.sum('B')",
    ),
    Item(
        "3.2",
        "margins rounded apart from the cells",
        "fw.protect.random_round(table, base=3, margins=['A', 'B'], seed=1)",
    ),
    Item(
        "3.2",
        "microdata keys: the same people are rounded alike in every table",
        "(server.tabulate('sex', filters={'region': '1'}).table == "
        "server.tabulate('region,sex').table.sel(region='1')).all().item()",
        "True",
    ),
    Item(
        "3.2",
        "keys of records that are given",
        "fw.server.TableServer(records.assign(key=np.arange(len(records)) * 997), keys='key', mechanism='random_round', "
        "parameters={'base': 3}, seed=1).tabulate('sex').table",
    ),
    Item(
        "3.2, further research",
        "additive and consistent: all tables that are offered are rounded at once",
        "fw.protect.round_lattice(turnover, base=3, margins=['activity,size', 'activity,region'], seed=1).crosstab()",
    ),
    Item(
        "3.2",
        "simple tables by controlled rounding, unbiased",
        "fw.protect.controlled_round(table, base=3, unbiased=True, seed=1).crosstab()",
    ),
    Item(
        "3.3",
        "perturbation by a transition matrix up to a cap L",
        "fw.protect.perturb(table, matrix, last_rows=5, seed=1).published",
    ),
    Item(
        "3.3",
        "an invariant matrix, tP = t",
        "np.abs(np.bincount(table.values.ravel(), minlength=16)[:16] @ "
        "fw.protect.invariant_matrix(matrix, table, last_rows=5) "
        "- np.bincount(table.values.ravel(), minlength=16)[:16]).max()",
        "0.000",
    ),
    Item(
        "3.3",
        "as many cells change as are expected: frequencies are kept",
        "fw.protect.perturb(people, fw.protect.invariant_matrix(matrix, people, last_rows=5), "
        "last_rows=5, preserve_totals=True, seed=1)",
    ),
    Item(
        "3.3",
        "additive again by iterative fitting, in whole numbers",
        "fw.protect.perturb(table, matrix, last_rows=5, additive=['A', 'B'], seed=1).published.sum('A')",
        "11 15 19",
    ),
    Item(
        "3.3",
        "microdata keys for perturbation too",
        "fw.server.TableServer(cube, mechanism='perturb', parameters={'matrix': matrix, 'last_rows': 5}, "
        "seed=1).tabulate('sex').table",
    ),
)
