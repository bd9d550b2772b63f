"""L. Antal, N. Shlomo, M. Elliot (2015), the abstract of the same study, with a third sampling fraction."""

from __future__ import annotations

from .item import Item

ITEMS = (
    Item(
        "1, property 1",
        "one cell alone populated: high risk",
        "fw.risk.r1([9, 0, 0, 0]) > fw.risk.r1([6, 1, 1, 1])",
        "True",
    ),
    Item("1, property 2", "an even table: low risk", "fw.risk.r1([5, 5, 5, 5]) < fw.risk.r1([2, 4, 6, 8])", "True"),
    Item(
        "1, property 3",
        "small counts risk more than large ones",
        "fw.risk.r1([1, 2, 1, 2]) > fw.risk.r1([10, 20, 10, 20])",
        "True",
    ),
    Item(
        "1, property 4",
        "of two tables with one populated cell, the one with more cells risks more",
        "fw.risk.r1([9, 0, 0, 0]) > fw.risk.r1([9, 0])",
        "True",
    ),
    Item(
        "1, property 5",
        "between 0 and 1",
        "[0 <= fw.risk.r1(one) <= 1 for one in ([1], [1, 0], [5] * 90, [10**6] * 4)]",
        "True True True True",
    ),
    Item(
        "1",
        "all properties of R1 and R2, on a table of yours",
        "fw.studies.risk_properties(people).frame['holds'].dropna().all()",
        "True",
    ),
    Item(
        "2.1",
        "entropy and conditional entropy",
        "[fw.risk.table_entropy([3, 3, 0]), fw.risk.conditional_entropy([3, 3, 0], [0, 0, 5])]",
        "0.693147 0.693147",
    ),
    Item("2.2, (1)", "R1", "fw.risk.r1(people)", "0.2315"),
    Item(
        "2.2, (2)",
        "R2 of a perturbed table",
        "fw.risk.r2(people, fw.protect.random_round(people, base=3, seed=1).published) < fw.risk.r1(people)",
        "True",
    ),
    Item("2.2.1", "the risk of a sample: R2 with the sample as the perturbed table", "fw.risk.r2(people, sample)"),
    Item(
        "3, (3)",
        "people outside the sample are multinomial",
        "fw.survey.draw_populations(sample, 2449, fw.survey.populations.log_linear(), draws=5)",
    ),
    Item("3", "sampling fraction 0.01", "fw.protect.draw_sample(people, 0.01, seed=1).published.sum().item()", "24"),
    Item(
        "3, Table 1",
        "R1 and R2, true and estimated, for three sampling fractions",
        "fw.survey.sample_study(people, [0.1, 0.05, 0.01], ['log-linear'], seeds=2, draws=20).frame",
        note="1000 x 1000: bench/studies/sample_tables.py",
    ),
    Item(
        "4",
        "other models for low sampling fractions",
        "fw.survey.sample_study(people, 0.01, ['urn', 'shrunk'], seeds=2, draws=20).frame",
    ),
    Item(
        "4",
        "the risk of a table as a whole, on the fly",
        "fiberwalk sample-risk sample.csv --people 2449 --model urn --draws 50",
    ),
    Item(
        "4",
        "a server of sample tables that measures by R2",
        "fw.server.TableServer(sample, people=2449, model='urn', risk='sample', draws=20, "
        "seed=1).tabulate('area,religion').risk_before",
    ),
)
