"""fiberwalk keys: record keys for microdata, written once."""

from __future__ import annotations

from pathlib import Path

import click

from ..shared.manners import check_outputs, speaks_plainly


@click.command(
    epilog="""\b
Examples:
  fiberwalk keys people.csv --out people_with_keys.csv
  fiberwalk keys people.parquet --out people_with_keys.parquet

Do it once, and keep the file: `fiberwalk tabulate` and fw.server.TableServer find the keys by the names of their columns. As
long as people keep their keys, they are changed alike in every table, whatever the order or the version of the data.

Exit status: 0 done; 2 the input is wrong.""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The data with keys (.csv or .parquet).")
@click.option(
    "--replace", is_flag=True, help="Take new keys where FILE has some: what is random in all tables changes."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Of the keys, by the place of a record (default: a new one, kept nowhere).",
)
@speaks_plainly
def keys(file: Path, out: Path, replace: bool, seed: int | None) -> None:
    """Give every person of microdata a random key of 64 bits, once, for tables on request.

    FILE has one row a person, as CSV or Parquet. The output has two more columns, record_key_high and record_key_low: halves
    below 2^32, so that any engine adds them up exactly. It is for the agency alone.
    """
    from ...base.errors import InputError
    from ...base.text_files import written_whole
    from ...server.cube.data_files import read_frame
    from ...server.cube.keys_of_people import STORED, record_keys
    from ...server.cube.roles import count_column

    check_outputs({"file": file, "out": out}, "out")
    parquet = out.suffix.lower() in (".parquet", ".pq")
    if not parquet and out.suffix.lower() not in (".csv", ".txt"):
        raise InputError(f"--out {out}: the file's name must end in .csv or .parquet.")
    people = read_frame(file)
    there = [name for name in STORED if name in people.columns]
    if there and not replace:
        raise InputError(
            f"{file}: it has keys already ({', '.join(there)}). New ones would change what is random in every table: keep "
            "them, or give --replace."
        )
    if (counts := count_column(list(people.columns), ())) is not None:
        raise InputError(f"{file}: the column {counts!r} holds counts, and keys belong to people, one row each.")
    people = people.drop(columns=there)
    people = people.join(record_keys(people, seed=seed))
    with written_whole(out, private=True) as temporary:
        if parquet:
            people.to_parquet(temporary, index=False)
        else:
            people.to_csv(temporary, index=False)
    click.echo(f"{len(people):,} records with keys, for the agency alone: {out}", err=True)
