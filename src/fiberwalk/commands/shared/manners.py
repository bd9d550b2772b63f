"""How every command behaves: errors in one sentence, outputs whole that overwrite nothing, failure that says why."""

from __future__ import annotations

import glob
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .option_words import in_options
from .standard_input import named_plainly

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it; 1 would say that a cell is too risky."""


def speaks_plainly(command: Callable[..., None]) -> Callable[..., None]:
    """Errors in one sentence on stderr with exit status 2, never a traceback."""

    @wraps(command)
    def guarded(**options: Any) -> None:
        import warnings

        from ...base.errors import FiberwalkError
        from ...base.interruption import plain_interrupts

        def told(sentence: object) -> str:
            context = click.get_current_context()
            return named_plainly(in_options(str(sentence), context.command), context)

        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: click.echo(f"fiberwalk: note: {told(message)}", err=True)
            try:
                with plain_interrupts():
                    command(**options)
            except KeyboardInterrupt:
                click.echo("fiberwalk: interrupted, before there was a result.", err=True)
                sys.exit(INTERRUPTED)
            except FiberwalkError as problem:
                click.echo(f"fiberwalk: {told(problem)}{_way_out(problem, options)}", err=True)
                sys.exit(2)
            except (
                OSError
            ):  # of what is printed: errors of other files were turned into sentences where they were opened
                raise
            except MemoryError:
                click.echo("fiberwalk: there is not enough memory for this table.", err=True)
                sys.exit(2)
            except Exception as bug:
                if os.environ.get("FIBERWALK_TRACEBACK"):
                    raise
                problem_words = f"{type(bug).__name__}: {bug}"
                click.echo(
                    f"fiberwalk: this should not happen ({problem_words}). Please report it, with what", err=True
                )
                click.echo("FIBERWALK_TRACEBACK=1 shows.", err=True)
                sys.exit(2)

    return guarded


def _way_out(problem: Exception, options: dict[str, Any]) -> str:
    """What a reader of a file may have left unsaid, where its figures contradict each other."""
    from ...base.errors import Contradiction

    if not isinstance(problem, Contradiction) or options.get("hierarchy") != () or options.get("slack"):
        return ""
    return " Are some labels subtotals of others (--hierarchy)? Are totals rounded (--slack)?"


class PlainGroup(click.Group):
    """A group of commands that also ends in a sentence where its output cannot be written, as on a full disk."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command that is asked for."""
        with _output_arrives():
            return super().main(*arguments, **options)


@contextmanager
def _output_arrives() -> Iterator[None]:
    """Flush what was printed when the block is left; where that fails, say why and exit."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError as problem:  # whoever read the output has seen enough
        _print_nowhere()
        if isinstance(problem.__context__, SystemExit):
            raise problem.__context__ from None
    except OSError as problem:
        _print_nowhere()
        target = "the output" if problem.filename is None else problem.filename
        with suppress(OSError):
            click.echo(f"fiberwalk: {target} cannot be written ({problem.strerror or problem}).", err=True)
        sys.exit(2)


def _print_nowhere() -> None:
    """Send further output nowhere: Python would try to print once more when it ends, and complain."""
    with suppress(OSError):  # where the output is no file, nothing is tried again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_outputs(options: dict[str, Any], *names: str) -> None:
    """Refuse what cannot be written, or would be written over, before the work and not after it."""
    from ...base.errors import InputError
    from ...base.text_files import check_writable, real_place

    taken = {}
    if "file" in options:  # or all that a pattern names
        files = glob.glob(str(options["file"]), recursive=True)
        taken = {real_place(file): "FILE" for file in (options["file"], *files)}
    for name in names:
        if options[name] is None:
            continue
        path = check_writable(options[name])
        if path in taken:
            raise InputError(f"{taken[path]} and --{name} are both {options[name]}: give each a file of its own.")
        taken[path] = f"--{name}"


def check_picture(path: Path | None) -> None:
    """Refuse a picture of a kind that cannot be drawn."""
    from ...base.errors import InputError

    if path is not None and path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"--plot {path}: a picture is .png, .svg or .pdf.")


def write_picture(figure: Figure, path: Path) -> None:
    """Draw a figure into a file, whole or not at all."""
    from ...base.text_files import written_whole

    with written_whole(path) as temporary:
        figure.savefig(temporary, dpi=150)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write the full table of results, whole or not at all, and say where it is."""
    from ...base.text_files import write_csv as write

    write(frame, path, index=True)
    click.echo(f"results: {path}", err=True)


def fail(reasons: list[str]) -> None:
    """Exit with status 1, the reasons on stderr; nothing happens if there are none."""
    for line in reasons:
        click.echo(line, err=True)
    if reasons:
        sys.exit(1)


def same_command(seed: int | None) -> str:
    """The command that does the same again."""
    context = click.get_current_context()
    words = ["fiberwalk", str(context.info_name)]
    for option in context.command.params:
        assert option.name is not None
        value = context.params.get(option.name)
        if context.get_parameter_source(option.name) is not ParameterSource.COMMANDLINE or option.name == "seed":
            continue
        for part in value if isinstance(value, tuple) else [value]:
            words += [] if isinstance(option, click.Argument) else [option.opts[0]]
            words += [] if part is True else [str(part)]
    return shlex.join([*words, *([] if seed is None else ["--seed", str(seed)])])
