"""fiberwalk count: how many tables agree with what was published?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .shared.cost_options import budget, limit
from .shared.file_options import read, reading
from .shared.knowledge_options import knowing, with_knowledge_of
from .shared.manners import speaks_plainly
from .shared.question_options import margins

if TYPE_CHECKING:
    from ..release.release import Release


@click.command(
    epilog="\b\nExamples:\n  fiberwalk count table.csv\n  fiberwalk count table.csv --hidden-margin region\n"
    "  fiberwalk count table.csv --knows 'region=A,sex=f >= 3'",
)
@reading
@knowing
@margins
@limit
@speaks_plainly
def count(**options: Any) -> None:
    """How many tables agree with what was published?

    With --hidden-margin: how many values can each sum of that margin take?
    """
    from ..answers import count as run_count
    from ..answers import of_readings

    release = with_knowledge_of(read(options), options["knows"])

    def words_of(reading: Release) -> str:
        counted = run_count(reading, hidden_margins=options["hidden_margins"], **budget(options))
        return f"{counted:,}" if isinstance(counted, int) else counted.to_frame().to_string(sparsify=False)

    click.echo(words_of(release))
    for name, words in of_readings(release, words_of):
        click.echo(f"\nIf {name}:\n{words}")
