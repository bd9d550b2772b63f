"""The command line: the group `fiberwalk`, and its commands in the order in which its help lists them.

A new command is one file beside this one, or in `protecting`, loading what it needs when called, and a line in `COMMANDS`.
"""

from __future__ import annotations

import click

from ..base.version import VERSION
from .audit import audit
from .bounds import bounds
from .compare import compare
from .conditional_test import conditional_test
from .count import count
from .demo import demo
from .link import link
from .moves import moves
from .protecting.cheapest import cheapest
from .protecting.protect import protect
from .protecting.ru_map import ru_map
from .reconstruct import reconstruct
from .report import report
from .sample_risk import sample_risk
from .serving.keys import keys
from .serving.log import log
from .serving.serve import serve
from .serving.tabulate import tabulate
from .shared.manners import PlainGroup

COMMANDS: tuple[click.Command, ...] = (
    audit,
    report,
    compare,
    bounds,
    count,
    link,
    moves,
    protect,
    cheapest,
    ru_map,
    sample_risk,
    reconstruct,
    keys,
    log,
    tabulate,
    serve,
    conditional_test,
    demo,
)
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(
    cls=PlainGroup,
    context_settings=_CONTEXT,
    epilog="""\b
Examples:
  fiberwalk demo                                  see what an audit looks like
  fiberwalk audit table.csv --html audit.html     how probable is each value of each hidden cell?
  fiberwalk report audit.fw                       print an audit that was saved
  fiberwalk compare table.csv                     which cells are riskier for an intruder who believes otherwise?
  fiberwalk bounds table.csv                      between which values can it lie?
  fiberwalk count table.csv                       how many tables agree with what was published?
  fiberwalk link a.csv b.csv                      what do two tables tell that neither tells by itself?
  fiberwalk moves table.csv                       which moves will chains use, and do they reach every table?
  fiberwalk protect table.csv --mechanism random-round --out safe.csv    a protected table, and a note of what was done
  fiberwalk protect a.csv b.csv --mechanism suppression --primary '< 3' --percent 20 --out safe/    linked tables at once
  fiberwalk cheapest table.csv --mechanism merge --mechanism round-to --primary '< 3' --until 'p <= 0.5'
  fiberwalk ru-map table.csv --mechanism 'random-round base=3,5,10' --plot map.png    which method leaves least risk?
  fiberwalk sample-risk sample.csv --people 2449    what does a table of sample counts risk?
  fiberwalk reconstruct tables/ --region block --html who.html    who is behind the tables, and how surely?
  fiberwalk keys people.csv --out keyed.csv       random keys of people, once, for tables on request
  fiberwalk log log.sqlite                        who asked a table server for what, and what came of it
  fiberwalk tabulate people.csv --dims sex,age --mechanism 'random-round base=3'    a table on request, if it is safe
  fiberwalk test table.csv --hypothesis A --hypothesis B    does a model fit, whatever the counts?

Exit status: 0 done; 1 a cell is riskier than --fail-above, or known exactly with --fail-on-disclosure, or the chains that
were to rule this out have not converged, or tabulate refused the table, or nothing that cheapest tried reaches the target;
2 the input is wrong; 130 interrupted before there was a result.""",
)
@click.version_option(VERSION, prog_name="fiberwalk")
def main() -> None:
    """How probable is each value of a hidden table cell, given all that was published?

    FILE is a long CSV or Parquet file (one row per cell and total, the value empty where a cell is hidden), a crosstab in a
    CSV file or a workbook, or a .tab or JJ file of tau-ARGUS or sdcTable; - is what another program hands over.
    """


for _command in COMMANDS:
    main.add_command(_command)
