"""JSON whose amounts of money are exact decimals, never floats, and the rows of data sets and summaries."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from . import api_types as t

_AMOUNT_NAME = re.compile(r"_usd$|_per_1m$|^(?:least|most)$")
_TYPES = {".csv": "text/csv", ".tsv": "text/csv", ".json": "application/json"}
# Members whose structure is part of a row; elsewhere a list or an object becomes a text.
_STRUCTURED = {"checks", "history", "variables"}

def read_json(text: str, mend: bool = True) -> Any:
    """Reads JSON with every amount as a Decimal. Halves of characters become U+FFFD, so that texts can be printed."""
    return _exact(json.loads(text, parse_float=Decimal), False, mend)

def mended(text: str) -> str:
    """A text whose halves of characters are joined, or replaced where the other half is missing."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

def _exact(value: Any, is_amount: bool, mend: bool) -> Any:
    if isinstance(value, dict):
        # Within an amount that has several, such as `cost_usd: {mean, max}`, each number is one.
        return {k: _exact(v, is_amount or _AMOUNT_NAME.search(k) is not None, mend) for k, v in value.items()}
    if isinstance(value, list):
        return [_exact(each, False, mend) for each in value]
    if type(value) not in (int, Decimal):
        return mended(value) if mend and isinstance(value, str) else value
    return Decimal(value) if is_amount else float(value) if isinstance(value, Decimal) else value

def write_json(value: Any, name: str = "") -> str:
    """Writes JSON with every digit of a Decimal. Raises TypeError for an amount of money that is a float."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{write_json(str(k))}:{write_json(v, str(k))}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(write_json, value)) + "]"
    is_amount = _AMOUNT_NAME.search(name) is not None
    if is_amount and isinstance(value, float):
        raise TypeError(f'{name} is an amount of money: write Decimal("0.05") or "0.05", not a float.')
    if isinstance(value, Decimal) or (is_amount and isinstance(value, str)):
        if not Decimal(value).is_finite():
            raise ValueError(f"{name or 'A number'} must be finite.")
        return format(Decimal(value), "f")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

class CompareArguments(t.CompareOptions, total=False):
    """What a compare takes beside prompt and models: also any option by its name."""
    input: str
    options: t.CompareOptions
    checks: Sequence[t.Check]
    include: str | Sequence[str]
    idempotency_key: str

def given(**members: Any) -> dict[str, Any]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}

def compare_body(prompt: str, models: Sequence[str], *, input: str | None = None, checks: Any = None, options: Any = None,
                 include: Any = None, idempotency_key: str | None = None, **more: Any) -> dict[str, Any]:
    """The body of a compare, without what is no part of it. Raises TypeError for an amount of money that is a float."""
    options = {**(options or {}), **more} or None
    body = given(prompt=prompt, models=list(models), input=input, options=options, checks=checks)
    write_json(body)
    return body

class File:
    """A file that is read while it is sent, each time anew."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        with open(self._path, "rb") as file:
            while chunk := file.read(256 * 1024):
                yield chunk

def content_of(source: Any) -> tuple[Any, dict[str, str], str | None]:
    """The content of a data set with its headers, and a name if it is a file."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        kind = _TYPES.get(os.path.splitext(path)[1].lower(), "application/x-ndjson")
        return File(path), {"content-type": kind, "content-length": str(os.path.getsize(path))}, os.path.basename(path)
    records = source.to_dict("records") if hasattr(source, "to_dict") else source
    return "\n".join(map(_line, records)).encode("utf-8", "backslashreplace"), {"content-type": "application/x-ndjson"}, None

def _line(row: Any) -> str:
    if not isinstance(row, Mapping):
        raise TypeError(f"A row must be a dict, not {type(row).__name__}.")
    return json.dumps({name: json.dumps(value, ensure_ascii=False)
                       if isinstance(value, (list, dict)) and name not in _STRUCTURED else value
                       for name, value in _plain(row).items()}, ensure_ascii=False, allow_nan=False)

def _plain(value: Any) -> Any:
    """A value as JSON has it; None for what is missing, such as NaN."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {str(name): plain for name, each in value.items() if (plain := _plain(each)) is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    # NaN and NaT differ from themselves; what pandas.NA does is not known.
    if value is None or type(value).__name__ == "NAType" or value != value:
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value) if isinstance(value, Decimal) else value

class Summary(dict[str, Any]):
    """The figures of an experiment, as ExperimentSummary has them."""

    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each model, as a data frame takes it: `passed_rate`, `passed_ci_low`, `cost_usd_mean` …"""
        return [_flat("", model) for model in self["models"]]

def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        value = {each["name"] if isinstance(each, dict) else ("low", "high")[i]: each for i, each in enumerate(value)}
    if not isinstance(value, dict):
        return {name: value}
    return {k: v for key, each in value.items() for k, v in _flat(f"{name}_{key}" if name else key, each).items()}
