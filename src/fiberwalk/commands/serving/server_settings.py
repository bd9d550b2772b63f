"""What options say of a server of tables, and the server by them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.comma_lists import names
from ..shared.file_options import hierarchies
from ..shared.sample_options import population_size

if TYPE_CHECKING:
    from ...server.auditor.auditor import Auditor
    from ...server.cube.magnitudes import Magnitude
    from ...server.rules import ServerRules
    from ...server.table_server import TableServer

SEED = "FIBERWALK_SEED"
"""The environment variable for a seed that is in no file and on no command line."""
LONGEST_SEED = 40
"""Digits; taken seeds have fewer."""


def server_of(options: dict[str, Any], *, answers: bool) -> TableServer:
    """The server that options set up; whether it is to answer, and so needs a method."""
    from ...server.table_server import TableServer

    _check_sample(options)
    name, parameters = _method(options["mechanism"], answers)
    return TableServer(
        _data(options),
        rules=_rules(options),
        mechanism=name,
        parameters=parameters,
        when="before" if options["before"] else "after",
        noisy_zeros=options["noisy_zeros"],
        crossing=options["crossing"],
        max_risk=options["max_risk"],
        risk=options["risk"],
        people=population_size(options["people"], options["strata"]),
        model=options["model"],
        sampling_weights=options["sampling_weights"],
        weighted_base=options["weighted_base"],
        summed=_summed(options["summed"]),
        labels=_labels(options["labels"]),
        published_before=_published_before(options["published_before"]),
        seed=_seed(options),
        count=options["count"],
        columns=names(options["columns"]),
        keys=options["keys"],
        hierarchies=hierarchies(options["hierarchy"]),
        log=options["log"],
        auditor=_auditor(options["auditor"]),
    )  # fmt: skip


def _data(options: dict[str, Any]) -> Any:
    """The file, or the engine that counts it."""
    from ...base.errors import InputError
    from ...server.engines.duckdb_engine import duckdb

    if options["engine"] is None:
        if options["memory"] is not None:
            raise InputError("--memory goes with --engine.")
        return options["file"]
    return duckdb(options["file"], **({} if options["memory"] is None else {"memory": options["memory"]}))


def _rules(options: dict[str, Any]) -> ServerRules:
    """The rules of a file, and those that options name."""
    from dataclasses import fields, replace

    from ...server.rules import ServerRules

    rules = ServerRules() if options["rules"] is None else ServerRules.read(options["rules"])
    named = [rule.name for rule in fields(ServerRules) if rule.name not in ("dims", "areas")]
    return replace(rules, **{name: options[name] for name in named if options[name] is not None})


def _auditor(path: Path | None) -> Auditor | None:
    """Who refuses what might tell too much together with all that was answered before."""
    if path is None:
        return None
    from ...server.auditor.auditor import Auditor

    return Auditor.read(path)


def _check_sample(options: dict[str, Any]) -> None:
    """Options about a sample go with --risk sample, which needs to know how large the population is."""
    from ...base.errors import InputError

    about_sample = [name for name in ("people", "strata", "model", "sampling_weights") if options[name]]
    if options["weighted_base"] and about_sample == ["sampling_weights"]:
        about_sample = []
    if options["risk"] != "sample" and about_sample:
        also = ", or --weighted-base" * (about_sample[0] == "sampling_weights")
        raise InputError(f"--{about_sample[0].replace('_', '-')} goes with --risk sample{also}.")
    if options["risk"] == "sample" and not (options["people"] or options["strata"] or options["sampling_weights"]):
        raise InputError(
            "--risk sample: how large is the population that these people were drawn from? Give --people, or "
            "--sampling-weights."
        )


def _method(text: str | None, answers: bool) -> tuple[str | None, dict[str, Any] | None]:
    from ...base.errors import InputError
    from ..shared.method_parameters import method_and_parameters

    if text is None and answers:
        raise InputError(
            "tabulate needs a --mechanism, such as 'random-round base=3', or none to publish the table as it is."
        )
    if text is None or text.strip() == "none":
        return None, None
    return method_and_parameters(text)


def _seed(options: dict[str, Any]) -> int | None:
    """The seed that is given or kept; None: a new one is to be taken."""
    from ...base.errors import InputError
    from ...base.text_files import read_text, write_private
    from ...protect.mechanism.cell_keys import taken_seed

    path, seed = options["seed_file"], options["seed"]
    if path is not None and seed is not None:
        raise InputError("--seed and --seed-file: give one of them.")
    if path is None:
        text = os.environ.get(SEED)
        return seed if seed is not None or text is None else _whole(text, SEED)
    if path.exists():
        return _whole(read_text(path), str(path))
    new = taken_seed(None)
    write_private(f"{new}\n", path)  # whoever reads the seed can undo what is random
    click.echo(f"new seed, for the agency alone: {path}", err=True)
    return new


def _whole(text: str, where: str) -> int:
    """A seed that is kept somewhere; what is kept there instead is not quoted."""
    from ...base.errors import InputError

    if not text.strip().isdecimal() or len(text.strip()) > LONGEST_SEED:
        raise InputError(f"{where}: a seed is one whole number, and nothing else stands there.")
    return int(text)


def _summed(texts: tuple[str, ...]) -> dict[str, Magnitude] | None:
    """Columns whose sums may be asked for, each with how they are changed."""
    from ...base.errors import InputError
    from ...server.cube.magnitudes import Magnitude

    found = {}
    for text in texts:
        name, *settings = text.split()
        given: dict[str, Any] = {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            try:
                numbers = [float(number) for number in value.split(",")]
            except ValueError:
                numbers = []
            if not equals or key not in ("step", "changed-by") or len(numbers) != 1 + (key == "changed-by"):
                raise InputError(f"--summed {text!r}: after the name of a column, step=1000 or changed-by=0.1,0.25.")
            given[key.replace("-", "_")] = numbers[0] if key == "step" else tuple(numbers)
        found[name] = Magnitude(**given)
    return found or None


def _labels(path: Path | None) -> dict[str, Any] | None:
    """The labels of dims, from a TOML file."""
    if path is None:
        return None
    import tomllib

    from ...base.errors import InputError
    from ...base.text_files import read_text

    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a well-formed TOML file ({error}).") from None


def _published_before(paths: tuple[Path, ...]) -> list[Any] | None:
    from ...release.reading import read_release

    return [read_release(path) for path in paths] or None
