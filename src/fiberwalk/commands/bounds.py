"""fiberwalk bounds: between which values can each hidden cell lie?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .shared.file_options import read, reading
from .shared.knowledge_options import knowing, with_knowledge_of
from .shared.manners import check_outputs, speaks_plainly, write_csv
from .shared.output_options import csv
from .shared.question_options import margins

if TYPE_CHECKING:
    from ..release.release import Release


@click.command(
    epilog="""\b
Examples:
  fiberwalk bounds table.csv
  fiberwalk bounds table.csv --explain
  fiberwalk bounds table.csv --knows 'region=A,sex=f >= 3' --knows 'region=B <= 40'    for one who knows more
  cat table.csv | fiberwalk bounds - --missing zero    of a table that another program hands over
  fiberwalk bounds table.csv --hidden-margin region --hidden-margin '' --csv bounds.csv"""
)
@reading
@knowing
@margins
@click.option("--explain", is_flag=True, help="Say what proved each bound.")
@click.option("--not-sharp", is_flag=True, help="Solve no integer programs: quicker, but some bounds may be too wide.")
@csv
@speaks_plainly
def bounds(**options: Any) -> None:
    """Between which values can each hidden cell lie?

    The bounds are sharp integers, and need no law.
    """
    from ..answers import bounds as run_bounds
    from ..answers import of_readings

    check_outputs(options, "csv")
    release = with_knowledge_of(read(options), options["knows"])

    def frame_of(reading: Release) -> Any:
        return run_bounds(
            reading,
            hidden_margins=options["hidden_margins"],
            explain=options["explain"],
            sharp=not options["not_sharp"],
        )

    frame = frame_of(release)
    if options["csv"] is not None:
        write_csv(frame, options["csv"])
    click.echo(frame.to_string(sparsify=False) if len(frame) else "Nothing is hidden: every cell is published.")
    for name, frame in of_readings(release, frame_of):
        click.echo(f"\nIf {name}:\n{frame.to_string(sparsify=False)}")
