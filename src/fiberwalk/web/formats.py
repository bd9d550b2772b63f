"""The public view of an answer in the formats that people ask for."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from ..base.errors import InputError
from ..server.public_answer import PublicAnswer


class Format(NamedTuple):
    """How an answer is written."""

    media_type: str
    ending: str
    written: Callable[[PublicAnswer], bytes]


def encoded(content: dict[str, Any]) -> bytes:
    """JSON as it is sent."""
    return json.dumps(content, ensure_ascii=False).encode()


def _json_stat(answer: PublicAnswer) -> bytes:
    return encoded(answer.to_json_stat())


def _csv(answer: PublicAnswer) -> bytes:
    text: str = answer.to_frame().to_csv(index=False, lineterminator="\n")
    return text.encode()


def _excel(answer: PublicAnswer) -> bytes:
    return _binary(answer, "excel", lambda frame, file: frame.to_excel(file, index=False, engine="openpyxl"))


def _parquet(answer: PublicAnswer) -> bytes:
    return _binary(answer, "parquet", _write_parquet)


def _write_parquet(frame: Any, file: io.BytesIO) -> None:
    """Without what pandas adds of itself and its version."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(), file)


def _binary(answer: PublicAnswer, extra: str, write: Callable[[Any, io.BytesIO], Any]) -> bytes:
    file = io.BytesIO()
    try:
        write(answer.to_frame(), file)
    except ImportError:
        raise InputError(f"this service does not write {extra}: it needs fiberwalk[{extra}].") from None
    return file.getvalue()


FORMATS = {
    "json-stat2": Format("application/json", "json", _json_stat),
    "csv": Format("text/csv; charset=utf-8", "csv", _csv),
    "xlsx": Format("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", _excel),
    "parquet": Format("application/vnd.apache.parquet", "parquet", _parquet),
}
