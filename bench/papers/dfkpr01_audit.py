"""DFKPR01, sections 4 to 6: auditing, the Bayesian snooper, and the R-U confidentiality map."""

from __future__ import annotations

from .item import Item

_POSTERIOR = "fw.snooper.square(square.published, {}, square.prior)['posterior'].loc[1:6]"
_SLIPPED = "the printed Table 5 slipped an index at w = 2"
_LIKELIHOOD = "fw.snooper.square(square.published, {})['likelihood'].loc[1:7]"

ITEMS = (
    Item("4", "which cells are sensitive is said beforehand", "fw.suppress(table, where=table < 3)"),
    Item(
        "4",
        "a protection range such as [0, 4]: is every value in it still possible?",
        "audit.protection(lower=0, upper=4)",
    ),
    Item("4", "... of a single list of values", "fw.risk.protection_range([0, 2, 4], 0, 4)[0]", "False"),
    Item("4, LP and IP", "sharp integer bounds from all that is published", "fw.bounds(fw.suppress(ijk, rule='< 3'))"),
    Item("4, LP and IP", "tables that attain the bounds", "fw.bounds(hidden, attaining=True)"),
    Item(
        "4, LP and IP",
        "hierarchies: levels are audited together, blocks apart",
        "fw.bounds(fw.suppress(fw.table(table, hierarchies={'A': {'1 or 2': ['1', '2']}}), rule='< 8'))",
    ),
    Item(
        "4, LP and IP",
        "LP stops at 13.5 where 13 is the largest integer",
        "fw.bounds(fw.examples.dfkpr01().release, continuous=True).loc[('1', '3', '3'), ['upper_in_fractions', 'upper']]",
        "13.5 13",
    ),
    Item("4, LP and IP", "by which method each bound was proven", "fw.bounds(hidden, explain=True)"),
    Item("4, LP and IP", "bounds where integer programs would take too long", "fw.bounds(hidden, sharp=False)"),
    Item(
        "4, Frechet",
        "decomposable margins: closed forms",
        "fw.bounds(fw.publish(turnover, ['activity,size', 'size,region']), explain=True)",
    ),
    Item(
        "4, Figure 2",
        "IJ+ and +JK are published: J separates I and K",
        "fw.moves.choose_moves(fw.publish(turnover, ['activity,size', 'size,region'])).certificate.reason",
    ),
    Item(
        "4, I+K",
        "computed upper bounds of the hidden margin",
        "fw.bounds(fw.publish(ijk, ['I,J', 'J,K']), hidden_margins=['I,K']).xs('Total', level='J')['upper']",
        "88 152 200 86 94 78 21 120 65 74 71 133",
    ),
    Item(
        "4, I+K",
        "desired upper bounds, 20 percent above, are missed at (1,1), (2,2) and (4,3)",
        "fw.bounds(fw.publish(ijk, ['I,J', 'J,K']), hidden_margins=['I,K']).xs('Total', level='J')['upper'].to_numpy() "
        "< np.ceil(1.2 * ijk.sum('J').values).ravel()",
        "True False False False True False False False False False False True",
        "printed (3,3) is (4,3)",
    ),
    Item(
        "4, I+K",
        "which sets of margins keep what",
        "fw.studies.compare_margins(turnover, method='exact').best(max_risk=1)",
    ),
    Item(
        "4, shuttle",
        "structural zeros",
        "fw.bounds(fw.publish([[0, 5, 4], [7, 2, 6], [3, 8, 9]], ['A', 'B']).knows(corner, exactly=0))",
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "moves that keep what is published, and that they reach every table",
        "fw.moves.choose_moves(fw.publish(ones, ['A,B', 'B,C', 'A,C'])).certificate.word == 'connected'",
        "True",
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "basic moves of a table",
        "len(fw.moves.basic_moves(fw.publish(table, ['A', 'B'])))",
        "9",
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "a walk through all tables by moves of your own",
        "fw.sample(fw.publish(table, ['A', 'B']), draws=5, chains=2, moves=fw.moves.basic_moves(fw.publish(table, "
        "['A', 'B'])))",
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "tables drawn uniformly, p(k) by tallying them",
        "fw.sample(fw.publish(table, ['A', 'B']), draws=50, chains=2)['table'].mean(['chain', 'draw'])",
    ),
    Item(
        "4, Diaconis and Sturmfels", "any set of margins", "fw.count(fw.publish(turnover, ['activity,size', 'region']))"
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "suppressed cells: moves among these",
        "fw.moves.choose_moves(hidden).certificate.word == 'connected'",
        "True",
    ),
    Item(
        "4, Diaconis and Sturmfels",
        "5 x 4 x 3, for which the paper has months",
        "fw.moves.choose_moves(fw.publish(np.ones((5, 4, 3), dtype=int), ['A,B', 'B,C', 'A,C']))"
        ".certificate.word == 'connected'",
        "True",
    ),
    Item("4, Diaconis and Sturmfels", "... on the command line", "fiberwalk moves table.csv --check"),
    Item(
        "4",
        "a unimodal belief, its peak in the middle of the interval",
        "fw.audit(hidden, fw.laws.prior(everywhere=fw.laws.unimodal()), method='exact').pmf(corner)",
    ),
    Item(
        "4",
        "which value of the interval do most tables have? one inside, the paper expects",
        "fw.audit(fw.publish(table, ['A', 'B']), method='exact').pmf(corner).idxmax()",
        "0",
        "not printed; often it is an end: here the least value, of 0 to 10",
    ),
    Item(
        "4, other methods",
        "rounded tables: bounds of what is not in them",
        "fw.bounds(fw.round_to(turnover, base=3, rounding='within', margins=['activity,size']))",
    ),
    Item(
        "4, other methods",
        "IJ+ and +JK are published rounded: bounds of I+K",
        "fw.bounds(fw.linked([fw.round_to(turnover.sum('region'), base=3, margins=[]), "
        "fw.round_to(turnover.sum('activity'), base=3, margins=[])], full=True), hidden_margins=['activity,region'])",
    ),
    Item(
        "4, other methods",
        "the snooper of noise",
        "fw.audit(fw.protect.add_noise([[3, 5]], fw.protect.uniform_noise(2), seed=1), method='exact').pmf(A='1', B='1')",
    ),
    Item(
        "4, other methods",
        "the snooper of swapping",
        "fw.audit(fw.protect.swap([[3, 5], [2, 4]], 'A', rate=0.5, seed=1), method='exact').cells['risk']",
    ),
    Item(
        "4, the square",
        "1, 14 / 17, 83 published as 3, 12 / 15, 85",
        "fw.examples.dfkpr01_square().published.values",
        "3 12 15 85",
    ),
    Item(
        "4, M",
        "the law of the masked value: theta = 0.1, w = 1",
        "fw.snooper.square(square.published, 0.1)['likelihood'].loc[1]",
        ".0026",
    ),
    Item(
        "4, Table 3",
        "likelihoods of w = 1 to 7, theta = 0.05",
        _LIKELIHOOD.format(0.05),
        ".0007 .0683 .7746 .1482 .0178 .0017 .0001",
        ".001 is a misprint of .0001",
    ),
    Item(
        "4, Table 3",
        "... theta = 0.1",
        _LIKELIHOOD.format(0.1),
        ".0026 .1151 .6193 .2235 .0515 .0096 .0016",
        ".515 is a misprint of .0515",
    ),
    Item(
        "4, Table 3",
        "... theta = 0.2",
        _LIKELIHOOD.format(0.2),
        ".0088 .1655 .4382 .2708 .1121 .0380 .0114",
        ".380 is a misprint of .0380",
    ),
    Item(
        "4",
        "theta is not published: the snooper has a prior on it",
        "fw.snooper.table(square.published, theta=[0.05, 0.1, 0.2], method='exact').theta",
    ),
    Item(
        "4",
        "a uniform prior: the likelihood, normalised",
        "fw.snooper.square(square.published, 0.1)['posterior'].sum()",
        "1.0000",
        "the paper leaves Table 3 as it is, which sums to 1.0235",
    ),
    Item("4, Table 4", "a prior that expects small counts", "fw.laws.prior([(upper_left, square.prior)])"),
    Item(
        "4, Table 5",
        "posterior of w = 1 to 6, theta = 0.05",
        _POSTERIOR.format(0.05),
        ".0014 .1342 .7610 .0971 .0058 .0005",
        _SLIPPED,
    ),
    Item("4, Table 5", "... theta = 0.1", _POSTERIOR.format(0.1), ".0052 .2248 .6049 .1455 .0168 .0025", _SLIPPED),
    Item("4, Table 5", "... theta = 0.2", _POSTERIOR.format(0.2), ".0174 .3252 .4306 .1774 .0367 .0099", _SLIPPED),
    Item(
        "4",
        "beta-binomial priors within the bounds",
        "fw.audit(square.release, fw.laws.prior([(upper_left, fw.laws.beta_binomial(a=1, b=4))]), "
        "method='exact').pmf(upper_left)",
    ),
    Item(
        "4, later research",
        "the snooper of a whole table, whose squares share cells",
        "fw.snooper.table(fw.protect.markov_perturb([[3, 5, 1], [4, 2, 6]], theta=0.2, seed=1), method='exact').cells",
    ),
    Item(
        "5",
        "risk 1/H of the cell, to any base",
        "fw.risk.entropy_risk(list(square.prior.values()), log_base=math.e)",
        note="the printed risks follow from no base",
    ),
    Item(
        "5",
        "utility: mean squared precision, Markov perturbation",
        "[fw.risk.mean_squared_precision("
        "fw.snooper.square(square.published, theta, square.prior)['posterior'], 1) for theta in (0.05, 0.1, 0.2)]",
        ".2405 .2327 .2181",
        "printed .216 is .2181",
    ),
    Item(
        "5",
        "... cell suppression: the margins alone",
        "fw.risk.mean_squared_precision(fw.audit(square.release, believed, method='exact').pmf(upper_left), 1)",
        ".1587",
    ),
    Item(
        "5",
        "... rounding to base 3",
        "fw.risk.mean_squared_precision(fw.audit(fw.protect.as_protected(square.published // 3 * 3, 'round_to', base=3, "
        "rounding='within'), believed, "
        "method='exact').pmf(upper_left), 1)",
        ".3462",
    ),
    Item("5, Figure 3", "the R-U map", "found.plot(max_risk=0.6)"),
    Item(
        "5, Figure 3",
        "... on the command line",
        "fiberwalk ru-map counts.csv --mechanism 'random-round base=3' --mechanism 'markov-perturb theta=0.1' "
        "--where '< 3' --seeds 1",
    ),
    Item(
        "5",
        "the original data: infinite risk and utility",
        "[fw.risk.entropy_risk([1.0]), fw.risk.mean_squared_precision({1: 1.0}, 1)]",
        "inf inf",
    ),
    Item(
        "5",
        "no data: the margins alone, or nothing",
        "fw.audit(square.release, method='exact').cells['entropy']",
        "4 4 4 4",
    ),
    Item(
        "5, further",
        "the snooper asks whether the cell is 1",
        "fw.audit(fw.protect.as_protected(square.published, 'markov_perturb', theta=0.1), believed, "
        "method='exact').probability(upper_left, at_most=1)",
        ".0052",
    ),
    Item(
        "5, further",
        "the user wants the probability of falling into the cell",
        "fw.ru_map(square.table, {'hidden': square.release}, cell=upper_left, utility='joint probability').frame",
    ),
    Item(
        "5, Figure 4",
        "which method is best depends on the risk that is allowed",
        "[found.best(max_risk=one) for one in (0.4, 0.8)]",
    ),
    Item("5", "the risks of past releases", "fiberwalk audit table.csv --law hypergeometric --save past.fw"),
    Item("5", "... kept, to hold new ones to", "fiberwalk report past.fw"),
    Item(
        "6",
        "procedures for tables of many dims",
        "fw.bounds(fw.publish(cube.sum('age'), ['region,sex', 'sex,activity']))",
    ),
)
