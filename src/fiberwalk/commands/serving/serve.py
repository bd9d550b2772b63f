"""fiberwalk serve: tables on request for others, in a browser and for programs."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.manners import speaks_plainly
from .server_options import sets_up_a_server
from .server_settings import SEED, server_of

if TYPE_CHECKING:
    from fastapi import FastAPI

WORDS = "FIBERWALK_SERVE"
"""The environment variable in which workers find the words of the command; there is no secret among them."""
TOKENS = "FIBERWALK_TOKENS"
"""... and in which tokens may stand, as in a file of them."""
DEMO_TOKEN = "the-auditor-of-the-demo"


@click.command(
    epilog="""\b
Examples:
  fiberwalk serve --demo                                   then open http://127.0.0.1:8000
  fiberwalk serve people.parquet --rules rules.toml --mechanism 'random-round base=3' \\
      --seed-file secret.txt --log log.sqlite --tokens tokens.toml --port 8000 --workers 2

Readers see protected tables only. Auditors, who have a token of their own, see the log, its ranking, and the risk of an
answer. A file of tokens is TOML: the tables [readers] and [auditors], a line name = "token" each; without [readers]
everybody may ask. Requests are answered alike after a restart and by every worker, because of the seed in --seed-file.

It speaks plain HTTP: put a proxy in front of it that does TLS.

Exit status: 0 stopped; 2 the input is wrong.""",
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--demo", is_flag=True, help="Serve the hypercube that comes with fiberwalk, rounded at random to base 3."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0: any.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="... and the port.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that answer.")
@click.option("--title", metavar="TEXT", help="What the data are called.")
@click.option(
    "--tokens",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Who may come in, and by which token; or in the environment variable FIBERWALK_TOKENS.",
)
@click.option("--user-header", metavar="NAME", help="The header in which a reverse proxy names whoever it let in.")
@click.option(
    "--per-minute", type=click.IntRange(min=1), metavar="N", help="The most requests of one name in a minute."
)
@click.option("--per-minute-in-all", type=click.IntRange(min=1), metavar="N", help="... and of all together.")
@sets_up_a_server
@speaks_plainly
def serve(**options: Any) -> None:
    """Answer requests for tables over HTTP, protected, until it is stopped.

    FILE holds microdata, one row a person, or counts, one row a cell, as CSV or Parquet.
    """
    _check(options)
    _refuse_where_nobody_can_listen(options["host"], options["port"])
    try:
        import uvicorn
    except ImportError:
        from ...base.errors import InputError

        raise InputError("serve needs FastAPI and uvicorn; install fiberwalk[server].") from None

    from ...web.connections import PromptConnection

    made = _application(options)  # so that what is wrong is told before any worker begins
    for note in made.state.service.server.notes:
        click.echo(f"note: {note}.", err=True)
    click.echo(f"Tables on request at http://{options['host']}:{options['port']} (stop it with Ctrl-C)", err=True)
    if options["demo"] and not _names_tokens(options):
        click.echo(f"The token of its auditor: {DEMO_TOKEN}", err=True)
    how = {"host": options["host"], "port": options["port"], "log_level": "warning", "access_log": False,
           "server_header": False, "http": PromptConnection}  # fmt: skip
    if options["workers"] == 1:
        uvicorn.run(made, **how)
        return
    os.environ[WORDS] = json.dumps(sys.argv[2:])
    uvicorn.run(f"{__name__}:of_a_worker", factory=True, workers=options["workers"], **how)


def of_a_worker() -> FastAPI:
    """The application of one of several workers, by the words of the command."""
    with serve.make_context("serve", json.loads(os.environ[WORDS])) as context:
        return _application(context.params)


def _check(options: dict[str, Any]) -> None:
    """What a service needs besides what one table needs."""
    from ...base.errors import InputError

    if options["demo"] == (options["file"] is not None):
        raise InputError("serve needs the FILE of the data, or --demo.")
    if options["demo"]:
        return
    if options["seed_file"] is None and options["seed"] is None and SEED not in os.environ:
        raise InputError("serve needs a --seed-file, so that the same people are answered alike after a restart.")
    if options["seed"] is not None and options["workers"] > 1:
        raise InputError("--workers: give the seed by --seed-file; --seed would stand where others can read it.")
    if options["log"] is None and options["workers"] > 1:
        raise InputError("--workers: give --log, a file that they share.")


def _refuse_where_nobody_can_listen(host: str, port: int) -> None:
    """Before the data are read: an address that is taken, or none of this machine."""
    from ...base.errors import InputError

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as problem:
        raise InputError(f"--host {host} --port {port}: nobody can listen there ({problem.strerror}).") from None


def _application(options: dict[str, Any]) -> FastAPI:
    """The service that options describe."""
    from ...server.table_server import TableServer
    from ...web.opening import application
    from ...web.settings import ServiceSettings, as_tokens, read_tokens

    named = ("user_header", "per_minute", "per_minute_in_all")
    settings: dict[str, Any] = {name: options[name] for name in named} | {"title": options["title"] or _title(options)}
    if options["tokens"] is not None:
        settings |= read_tokens(options["tokens"])
    elif TOKENS in os.environ:
        settings |= as_tokens(os.environ[TOKENS], TOKENS)
    if not options["demo"]:
        return application(server_of(options, answers=True), ServiceSettings(**settings))
    from ...examples import hypercube

    server = TableServer(hypercube(), mechanism="random_round", parameters={"base": 3}, seed=1, log=options["log"])
    if not _names_tokens(options):
        settings["auditors"] = {"auditor": DEMO_TOKEN}
    return application(server, ServiceSettings(**settings))


def _names_tokens(options: dict[str, Any]) -> bool:
    """Did somebody say who may come in?"""
    return options["tokens"] is not None or TOKENS in os.environ


def _title(options: dict[str, Any]) -> str:
    """What the data are called where nobody says."""
    if options["demo"]:
        return "Census of a region (example)"
    several = set(str(options["file"])) & set("*?[")  # an engine takes patterns of files, too
    return "Tables on request" if several else str(options["file"].stem)
