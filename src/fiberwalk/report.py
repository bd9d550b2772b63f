"""The report: one self-contained HTML page."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any

from . import __version__
from .plots import as_base64, audit_figure, sparkline
from .release.text_files import written_whole
from .words import cell_name, readable, verdict

if TYPE_CHECKING:
    from .auditing import Audit

MOST_ROWS = 50


def write_report(audit: Audit, path: str | os.PathLike[str]) -> None:
    """Write the report of an audit; the file appears whole or not at all."""
    page = report_page(audit)
    with written_whole(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def report_page(audit: Audit) -> str:
    """The page as text; whatever comes from the data is escaped."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("fiberwalk", "."), autoescape=True, trim_blocks=True)
    return environment.get_template("report.html").render(
        version=__version__,
        python=platform.python_version(),
        release=repr(audit.release).strip("<>"),
        notes=audit.release.notes,
        law=audit.belief.law,
        verdict=verdict(audit),
        table=_rows(audit),
        n_cells=len(audit.cells),
        figure=as_base64(audit_figure(audit), dpi=110) if len(audit.cells) else None,
        tables="an unknown number of" if audit.tables is None else f"{audit.tables:,}",
        certificate=audit.certificate,
        method=audit.method,
        readings=[(name, verdict(other), _rows(other)) for name, other in audit.readings.items()],
        call=_call(audit),
        units=f"10^-{audit.release.decimals}" if audit.release.decimals else None,
    )


def _call(audit: Audit) -> str:
    """The command, or the line of Python, that gives this audit again."""
    if "command" in audit.settings:
        return str(audit.settings["command"])
    law = audit.settings["law"]
    said = repr(law) if isinstance(law, str) else getattr(law, "call", "law")
    margins = audit.settings["hidden_margins"]
    more = f", hidden_margins={margins!r}" if margins else ""
    return f"fw.audit(release, law={said}{more}, limit={audit.settings['limit']}, memory={audit.settings['memory']})"


def _rows(audit: Audit) -> dict[str, Any]:
    cells = audit.cells.head(MOST_ROWS)
    shown = readable(cells)
    rows = []
    for labels, texts in zip(cells.index, shown.to_numpy(), strict=True):
        picture, words = sparkline(audit, labels)
        rows.append({
            "name": cell_name(labels, cells.index.names),
            "texts": list(texts),
            "picture": picture,
            "words": words,
            "known": cells.loc[labels, "support"] == 1,
        })  # fmt: skip
    return {"headings": list(shown.columns), "rows": rows, "more": max(0, len(audit.cells) - MOST_ROWS)}
