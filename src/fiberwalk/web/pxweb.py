"""PxWebApi 2, which clients of statistical offices speak: config, tables, metadata, data, codelists.

A table is a combination of dims that the rules allow; levels are codelists of their dim. A variable of which one value is
selected says who is in the table, one that is left out is summed over, and what is shown is "ContentsCode".
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from ..base.errors import did_you_mean
from ..base.version import VERSION
from .coming_in import Here, Reader
from .formats import FORMATS, encoded
from .instead import instead
from .problems import PROBLEMS, Described, Problem
from .pxweb_selection import CONTENTS, Selected, Selection, contents_of, selected, tables_of
from .service import Person, Service
from .tables import FIGURES

BASE = "/pxweb/api/v2"
LANGUAGE = {"id": "en", "label": "English"}
PAGE_SIZE = 100
NOT_THERE: Described = {code: PROBLEMS[code] for code in (401, 404)}

router = APIRouter(prefix=BASE, tags=["PxWebApi 2"])
Lang = Annotated[str | None, Query(description="Answers are in one language.")]
OutputFormat = Annotated[Literal["json-stat2", "csv", "xlsx", "parquet"], Query(alias="outputFormat")]


@router.get("/config", responses={401: PROBLEMS[401]})
def config(service: Here, person: Reader, lang: Lang = None) -> dict[str, Any]:
    """How this interface is set."""
    return {
        "apiVersion": "2.0.0", "appVersion": VERSION, "languages": [LANGUAGE], "defaultLanguage": LANGUAGE["id"],
        "maxDataCells": service.settings.max_cells, "maxCallsPerTimeWindow": service.settings.per_minute or 0,
        "timeWindow": 60, "defaultDataFormat": "json-stat2", "dataFormats": list(FORMATS), "sourceReferences": [],
        "license": "", "features": [],
    }  # fmt: skip


@router.get("/tables", responses={401: PROBLEMS[401]})
def tables(
    request: Request, service: Here, person: Reader, query: str = "", lang: Lang = None,
    number: Annotated[int, Query(alias="pageNumber", ge=1)] = 1,
    size: Annotated[int, Query(alias="pageSize", ge=1, le=10_000)] = PAGE_SIZE,
) -> dict[str, Any]:  # fmt: skip
    """Tables whose names have all words of a query, page by page."""
    words = query.lower().split()
    found = [one for one in tables_of(service.server) if all(word in ".".join(one).lower() for word in words)]
    pages = max(-(-len(found) // size), 1)
    return {
        "language": LANGUAGE["id"],
        "tables": [_described(request, dims) for dims in found[(number - 1) * size : number * size]],
        "page": {"pageNumber": number, "pageSize": size, "totalElements": len(found), "totalPages": pages},
        "links": [_link(request, "self", f"/tables?pageNumber={number}&pageSize={size}")],
    }


@router.get("/tables/{table}", responses=NOT_THERE)
def table(request: Request, service: Here, person: Reader, table: str, lang: Lang = None) -> dict[str, Any]:
    """One table."""
    return {"language": LANGUAGE["id"], **_described(request, _dims(service, table))}


@router.get("/tables/{table}/metadata", responses=NOT_THERE)
def metadata(request: Request, service: Here, person: Reader, table: str, lang: Lang = None) -> dict[str, Any]:
    """The variables of a table with their values, as a dataset of JSON-stat 2 without figures."""
    server, dims = service.server, _dims(service, table)
    variables = [(CONTENTS, tuple(contents_of(server)))]
    variables += [(dim, server.offered[dim]) for dim in dims]
    dimension = {}
    for code, labels in variables:
        levels = [one for one in server.offered if server.cube.column[one].told_level_of == code]
        dimension[code] = _dimension(code, labels, contents_of(server) if code == CONTENTS else {})
        dimension[code]["extension"] = {
            "elimination": code != CONTENTS,
            "show": "value",
            "codeLists": [
                {"id": one, "label": one, "type": "Aggregation", "links": [_link(request, "metadata", f"/codelists/{one}")]}
                for one in levels
            ],
        }  # fmt: skip
    return {
        "version": "2.0", "class": "dataset", "label": _label(dims), "source": service.settings.title, "updated": "",
        "role": {"metric": [CONTENTS]}, "id": [code for code, _ in variables],
        "size": [len(labels) for _, labels in variables], "dimension": dimension,
        "extension": {"px": {"tableid": table}},
    }  # fmt: skip


@router.get("/codelists/{codelist}", responses=NOT_THERE)
def codelist(request: Request, service: Here, person: Reader, codelist: str, lang: Lang = None) -> dict[str, Any]:
    """A level of a dim: its groups, and the labels that each has."""
    columns = service.server.cube.column
    if codelist not in service.server.offered or columns[codelist].told_level_of is None:
        raise Problem(404, "Not found", f"There is no codelist {codelist!r}.")
    column = columns[codelist]
    finest, group = columns[column.told_level_of or ""], column.told_group
    values = []
    for place, label in enumerate(column.labels):
        inside = [
            own for own, of in zip(finest.labels, [] if group is None else group.tolist(), strict=True) if of == place
        ]
        values.append({"code": label, "label": label, "valueMap": inside})
    return {
        "id": codelist, "label": codelist, "language": LANGUAGE["id"], "languages": [LANGUAGE["id"]],
        "type": "Aggregation", "elimination": True, "values": values,
        "links": [_link(request, "self", f"/codelists/{codelist}")],
    }  # fmt: skip


@router.get("/tables/{table}/data", responses={**FIGURES, **NOT_THERE}, response_class=Response)
def data(
    request: Request, service: Here, person: Reader, table: str, lang: Lang = None, output: OutputFormat = "json-stat2"
) -> Response:
    """Figures, by valueCodes[VARIABLE]=A,B and codelist[VARIABLE]=LEVEL; all of the table where nothing is selected."""
    values: dict[str, list[str]] = {}
    codelists: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        named = re.fullmatch(r"(valuecodes|codelist)\[(.*)\]", name, flags=re.IGNORECASE)
        if named and named[1].lower() == "codelist":
            codelists[named[2]] = value
        elif named:
            values.setdefault(named[2], []).extend(value.split(","))
    chosen = dict.fromkeys([*values, *codelists])
    picked = [Selection(code, tuple(values.get(code, "*")), codelists.get(code)) for code in chosen]
    return _figures(service, person, table, picked, output)


@router.post("/tables/{table}/data", responses={400: PROBLEMS[400], **FIGURES, **NOT_THERE}, response_class=Response)
def data_by_post(
    service: Here,
    person: Reader,
    table: str,
    body: dict[str, Any],
    lang: Lang = None,
    output: OutputFormat = "json-stat2",
) -> Response:
    """Figures, by {"selection": [{"variableCode": ..., "valueCodes": [...], "codelist": ...}]}."""
    chosen = body.get("selection")
    picked = [_selection(one) for one in (chosen if isinstance(chosen, list) else [None])]
    return _figures(service, person, table, picked, output)


def _selection(one: Any) -> Selection:
    """One part of a selection, as JSON has it."""
    known = one if isinstance(one, dict) else {}
    code, values, level = (known.get(name) for name in ("variableCode", "valueCodes", "codelist"))
    texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
    if not isinstance(code, str) or not texts or not isinstance(level, (str, type(None))):
        form = '{"variableCode": text, "valueCodes": [text, ...], "codelist": text}'
        raise Problem(422, "Not understood", f"A selection is a list of {form}.")
    return Selection(code, tuple(values), level)  # type: ignore[arg-type]


def _figures(service: Service, person: Person, table: str, picked: list[Selection], output: str) -> Response:
    """The figures that are selected."""
    found = selected(service.server, _dims(service, table), picked)
    answers = []
    for request in found.requests.values():
        answer = service.answer(person, request).public()
        if not answer.released:
            raise Problem(403, "Refused", f"{answer.notice}.", instead=instead(service.server, request))
        answers.append(answer)
    form = FORMATS[output]
    if output == "json-stat2":
        return Response(encoded(_dataset(service, table, found, answers)), media_type=form.media_type)
    if len(answers) > 1:
        raise Problem(422, "Not understood", f"outputFormat={output}: select one value of {CONTENTS}.")
    return Response(form.written(answers[0]), media_type=form.media_type)


def _dataset(service: Service, table: str, found: Selected, answers: list[Any]) -> dict[str, Any]:
    """Answers as one dataset, its variables in the order in which they were selected."""
    values: list[Any] = []
    notes: list[str] = []
    for answer in answers:
        dataset = answer.to_json_stat()
        places = found.places(dataset["id"], [dataset["dimension"][dim]["category"]["index"] for dim in dataset["id"]])
        values += [dataset["value"][place] for place in places]
        notes += [note for note in dataset["note"] if note not in notes]
    variables = [(CONTENTS, tuple(found.requests)), *found.shown.items()]
    names = contents_of(service.server)
    withheld = {str(place): "withheld" for place, value in enumerate(values) if value is None}
    return {
        "version": "2.0", "class": "dataset", "label": _label(found.shown), "source": service.settings.title, "note": notes,
        "role": {"metric": [CONTENTS]}, "id": [code for code, _ in variables], "size": [len(one) for _, one in variables],
        "dimension": {code: _dimension(code, of, names if code == CONTENTS else {}) for code, of in variables},
        "value": values, **({"status": withheld} if withheld else {}), "extension": {"px": {"tableid": table}},
    }  # fmt: skip


def _dims(service: Service, table: str) -> tuple[str, ...]:
    """The dims of a table by its id."""
    known = {".".join(dims): dims for dims in tables_of(service.server)}
    if table not in known:
        raise Problem(404, "Not found", f"There is no table {table!r}; {did_you_mean(table, known)}")
    return known[table]


def _dimension(code: str, labels: tuple[str, ...], names: dict[str, str]) -> dict[str, Any]:
    index = {label: place for place, label in enumerate(labels)}
    return {"label": code, "category": {"index": index, "label": {label: names.get(label, label) for label in labels}}}


def _described(request: Request, dims: tuple[str, ...]) -> dict[str, Any]:
    table = ".".join(dims)
    links = [("self", ""), ("metadata", "/metadata"), ("data", "/data")]
    return {
        "type": "Table", "id": table, "label": _label(dims), "description": "", "updated": None, "firstPeriod": None,
        "lastPeriod": None, "category": "public", "variableNames": [CONTENTS, *dims], "discontinued": False, "paths": [],
        "links": [_link(request, rel, f"/tables/{table}{end}") for rel, end in links],
    }  # fmt: skip


def _label(dims: Any) -> str:
    return "People by " + ", ".join(dims)


def _link(request: Request, rel: str, path: str) -> dict[str, str]:
    return {"rel": rel, "hreflang": LANGUAGE["id"], "href": f"{str(request.base_url).rstrip('/')}{BASE}{path}"}
