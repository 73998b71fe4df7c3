"""The synchronous client. Generated from _async.py by `npm run openapi:generate`: do not edit."""
from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Callable, Mapping, Sequence
from typing import Any, TypeVar, Unpack

import httpx

from . import api_types as t
from .errors import ApiError, ConnectionFailed, ServiceError, error_from_body
from .transport import (Call, EventParser, Retries, build_request, check_time, failure_of, json_in, next_query, path_of, settings_of,
                        unexpected_answer)
from .values import CompareArguments, File, Summary, compare_body, content_of, given, mended

T = TypeVar("T")
Names = str | Sequence[str] | None
Progress = Callable[[t.Experiment], object]

class Client:
    """Reads MCS_URL and MCS_API_KEY where no address or key is given. `timeout` is in seconds, for one try. Further
    arguments are those of the client of httpx."""

    def __init__(self, base_url: str | None = None, api_key: str | None = None, *, timeout: float = 180.0,
                 max_retries: int = 2, headers: Mapping[str, str] = {}, **http: Any) -> None:
        self._settings = settings_of(base_url, api_key, headers, timeout, max_retries)
        self._options, self._is_closed = {"follow_redirects": True, **http}, False
        self._http: tuple[Any, httpx.Client | None] = None, None
        self.evals, self.datasets, self.experiments = Evals(self), Datasets(self), Experiments(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.base_url!r})"

    def compare(self, prompt: str, models: Sequence[str], **more: Unpack[CompareArguments]) -> t.Eval:
        """Compares models on one prompt and returns the stored eval. A model that failed has an `error`."""
        return self._json(*_compare("application/json", prompt, models, more))

    def stream(self, prompt: str, models: Sequence[str], **more: Unpack[CompareArguments]) -> Stream:
        """The same compare to watch. Nothing is sent before its events or its eval are asked for."""
        return Stream(self, _compare("text/event-stream", prompt, models, more))

    def estimate(self, prompt: str, models: Sequence[str], **more: Unpack[CompareArguments]) -> t.Estimate:
        """The least and the most that a compare can cost. Calls no vendor and charges nothing."""
        return self._json("POST", "/api/v1/compare/estimate", {}, compare_body(prompt, models, **more))

    def models(self, *, details: bool = False) -> list[t.Model]:
        """The models that can be called now, with their prices; with details also limits and price history."""
        return (self._json("GET", "/api/v1/models", given(include="details" if details else None)))["models"]

    def usage(self, month: str | None = None) -> t.Usage:
        """Evals, charge and remaining free evals of a month (YYYY-MM), by default the current one."""
        return self._json("GET", "/api/v1/usage", given(month=month))

    def close(self) -> None:
        """Closes the connections for good."""
        if self._http[1] is not None and self._http[0] == (os.getpid(), None):
            self._http[1].close()
        self._is_closed = True

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connections(self) -> httpx.Client:
        if self._is_closed:
            raise RuntimeError("This client is closed: make a new one.")
        # Those of another process or event loop cannot be used.
        place, (made_in, http) = (os.getpid(), None), self._http
        if http is None or made_in != place:
            self._http = place, (http := httpx.Client(**self._options))
        return http

    def _json(self, *call: Any) -> Any:
        return self._send(Call(*call), _read)

    def _send(self, call: Call, read: Callable[[httpx.Response, float], T]) -> T:
        """Sends a call and reads the answer, both again after a temporary failure. Raises ApiError."""
        retries = Retries(self._settings.max_retries if call.max_retries is None else call.max_retries)
        request = build_request(call, self._settings)
        while True:
            try:
                return self._try(request, read)
            except ApiError as error:
                if (wait := retries.next_delay(error)) is None:
                    raise
            time.sleep(wait)

    def _try(self, request: dict[str, Any], read: Callable[[httpx.Response, float], T]) -> T:
        deadline, response, http = time.monotonic() + self._settings.timeout, None, self._connections()
        content = _pieces(request["content"]) if isinstance(request["content"], File) else request["content"]
        try:
            response = http.send(http.build_request(**{**request, "content": content}), stream=True)
            if response.is_success or response.status_code == 304:
                return read(response, deadline)
            body = json_in(_text(response, deadline))
            raise error_from_body(body, response.status_code, response.headers)
        except BaseException as error:
            if response is not None:
                response.close()
            if isinstance(error, httpx.RequestError):
                raise failure_of(error, self._settings, response is not None) from error
            raise

    def _pages(self, path: str, query: dict[str, Any] | None, member: str) -> Iterator[Any]:
        while query is not None:
            page, headers = self._send(Call("GET", path, query), _read_with_headers)
            query = next_query(headers.get("link", ""))
            for element in page[member]:
                yield element

class _Group:
    def __init__(self, client: Client) -> None:
        self._client = client

class Evals(_Group):
    """Past evals of the key's user."""

    def get(self, eval_id: str, *, include: Names = None) -> t.Eval:
        """One eval with its results. Raises InvalidRequestError not_found."""
        return self._client._json("GET", path_of("evals", eval_id), _include(include))

    def list(self, *, include: Names = None, **query: Any) -> Iterator[t.EvalSummary]:
        """Newest first, over all pages; `q` is a part of the prompt, `limit` the size of a page."""
        return self._client._pages("/api/v1/evals", {**given(**query), **_include(include)}, "evals")

class Datasets(_Group):
    """Rows of inputs for experiments."""

    def push(self, source: Any, *, name: str | None = None, **columns: str) -> t.CreatedDataset:
        """Stores all rows or none, of a file (CSV, JSONL, JSON), dicts or a data frame. `input`, `expected`, `group`, `id`
        and `skip` name columns. The same name and content give the existing data set."""
        content, headers, file_name = content_of(source)
        query = given(name=name or file_name, **columns)
        return self._client._json("POST", "/api/v1/datasets", query, None, headers, content)

    def list(self, **query: Any) -> Iterator[t.Dataset]:
        """Newest first, over all pages."""
        return self._client._pages("/api/v1/datasets", given(**query), "datasets")

class Experiments(_Group):
    """Experiments: one prompt for the rows of a data set on several models, under a cap of cost."""

    def run(self, dataset: str | t.CreatedDataset, prompt: str, models: Sequence[str], *,
                  max_cost_usd: t.Decimal | int | str, wait: bool = True, idempotency_key: str | None = None,
                  on_progress: Progress | None = None, **more: Any) -> t.Experiment:
        """Starts an experiment, once, which never costs more than the cap, and waits until it no longer runs: see `state`.
        Takes `name`, `checks`, `options`, `limit` and `parallel` as the API does."""
        body = {"dataset": dataset if isinstance(dataset, str) else dataset["dataset_id"], "prompt": prompt,
                "models": list(models), "max_cost_usd": max_cost_usd, **more}
        key = {"idempotency-key": idempotency_key or secrets.token_hex(16)}
        started = self._client._json("POST", "/api/v1/experiments", {}, body, key)
        return self.wait(started["experiment_id"], on_progress=on_progress) if wait else started

    def wait(self, experiment_id: str, *, on_progress: Progress | None = None) -> t.Experiment:
        """Waits until an experiment no longer runs; `on_progress` is called with each state."""
        pause, headers = 0.25, dict[str, str]()
        while True:
            # A wait of hours outlasts a restart of the service.
            call = Call("GET", path_of("experiments", experiment_id), {}, None, headers, None, 10)
            latest, answered = self._client._send(call, _read_with_headers)
            # The service answers earlier if anything changes.
            headers = {"if-none-match": answered.get("etag", ""), "prefer": "wait=20"}
            if latest is not None and on_progress is not None:
                on_progress(latest)
            if latest is not None and latest["state"] != "running":
                return latest
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    def get(self, experiment_id: str) -> t.Experiment:
        """How far an experiment is. Raises InvalidRequestError not_found."""
        return self._client._json("GET", path_of("experiments", experiment_id))

    def rows(self, experiment_id: str, **query: Any) -> Iterator[t.ExperimentRow]:
        """Its rows with the answers, in the drawn order, over all pages."""
        return self._client._pages(path_of("experiments", experiment_id, "/rows"), given(**query), "rows")

    def summary(self, experiment_id: str, *, tolerance: float | None = None) -> Summary:
        """The figures of each model and pair, and the model to take at that tolerance, 0.02 by default."""
        path = path_of("experiments", experiment_id, "/summary")
        return Summary(self._client._json("GET", path, given(tolerance=tolerance)))

    def report(self, experiment_id: str, **query: Any) -> str:
        """The report in Markdown; `tolerance`, `rows` and `texts` as in the API."""
        path = path_of("experiments", experiment_id, "/report")
        return self._client._send(Call("GET", path, query, None, {"accept": "text/markdown"}), _text)

    def decide(self, experiment_id: str, model: str, **more: Any) -> t.ExperimentDecision:
        """Keeps what is decided: a model or "none", with `reason` and `tolerance`. Raises InvalidRequestError conflict."""
        path = path_of("experiments", experiment_id, "/decision")
        return self._client._json("PUT", path, {}, {"model": model, **more})

class Stream:
    """A compare to watch. Iterating over it gives its events, once; `eval()` gives its eval. A reader that leaves, or whose
    connection breaks, does not end the run: it goes on, is stored and charged, and `eval()` finds it."""

    def __init__(self, client: Client, call: Call) -> None:
        self._client, self._call = client, call
        self._events: Any = self._read()
        self.eval_id: str | None = None
        self._outcome: Any = None
        self._failure: ApiError = ConnectionFailed("The stream was closed before its end.", "connection_lost")
        self._halves: dict[Any, str] = {}

    def __iter__(self) -> Iterator[t.CompareEvent]:
        return self._events

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._events.close()

    def eval(self) -> t.Eval:
        """The eval when the run has ended. Reads the rest of the events. After a broken connection it looks for the stored
        eval for up to 100 seconds. Raises what ended the run, or ServiceError eval_not_stored."""
        try:
            for _ in self._events:
                pass
        except ApiError:
            pass
        if self._outcome is not None:
            return self._outcome
        if self.eval_id is None or not isinstance(self._failure, ConnectionFailed):
            raise self._failure
        if self._call.body.get("options", {}).get("store") is False:
            raise ServiceError("The connection ended before the eval was received, and with store: false the service "
                               "keeps no copy. Completed calls are charged.", "eval_not_stored")
        return self._find(self.eval_id)

    def _find(self, eval_id: str) -> t.Eval:
        waited, wait = 0.0, 0.25
        while True:
            try:
                return self._client._json("GET", path_of("evals", eval_id), self._call.query)
            except ApiError as error:
                # A key that may compare but not read evals still receives its own by its Idempotency-Key.
                if error.status == 403:
                    headers = {**self._call.headers, "accept": "application/json"}
                    return self._client._json(*self._call._replace(headers=headers))
                may_come = isinstance(error, (ConnectionFailed, ServiceError)) or error.status in (404, 429)
                if not may_come or (waited > 100 and error.status != 404):
                    raise
                if waited > 100:
                    raise ServiceError(f"The service has not stored the eval {eval_id}: every model failed, or it could not "
                                       "be stored. An eval that is not stored is not charged.", "eval_not_stored") from error
            time.sleep(wait)
            waited, wait = waited + wait, min(wait * 2, 4.0)

    def _read(self) -> Iterator[Any]:
        try:
            response, chunks, parser, ready = self._client._send(self._call, _open)
            try:
                while ready:
                    for event in filter(self._note, ready):
                        yield event
                        if self._outcome is not None:
                            return
                    ready = _next_events(chunks, parser)
            finally:
                chunks.close()
                response.close()
            if isinstance(self._failure, ConnectionFailed):
                raise ConnectionFailed("The stream ended before the run ended.", "connection_lost")
        except (httpx.RequestError, ValueError) as error:
            raise ConnectionFailed("The connection broke before the end of the run.", "connection_lost") from error
        except ApiError as error:
            self._failure = error
            raise

    def _note(self, event: dict[str, Any]) -> bool:
        """Notes what an event says. False for an event of a newer service."""
        name, data = event["event"], event["data"]
        if name in ("eval-started", "eval"):
            self.eval_id, self._outcome = data["eval_id"], data if name == "eval" else None
        elif name == "error":
            self._failure = error_from_body(data)
        elif name == "delta":
            # Half of a character at the end belongs to the next text of that answer.
            part = data["model"], data.get("sample")
            text = self._halves.pop(part, "") + data["text"]
            if "\ud800" <= text[-1:] <= "\udbff":
                text, self._halves[part] = text[:-1], text[-1]
            data["text"] = mended(text)
        return name in ("eval-started", "delta", "result", "eval", "error")

def _pieces(file: File) -> Iterator[bytes]:
    for piece in file:
        yield piece

def _text(response: httpx.Response, deadline: float) -> str:
    body = bytearray()
    for chunk in response.iter_bytes():
        check_time(deadline)
        body += chunk
    return body.decode("utf-8", "replace")

def _read(response: httpx.Response, deadline: float) -> Any:
    answer = json_in(_text(response, deadline))
    if answer is None and response.status_code not in (204, 304):
        raise unexpected_answer(response)
    return answer

def _read_with_headers(response: httpx.Response, deadline: float) -> Any:
    return _read(response, deadline), response.headers

def _open(response: httpx.Response, deadline: float) -> Any:
    # Whatever fails before the first event can be sent again.
    if "text/event-stream" not in response.headers.get("content-type", ""):
        raise unexpected_answer(response)
    chunks, parser = response.iter_bytes(), EventParser()
    if not (ready := _next_events(chunks, parser, deadline)):
        raise ConnectionFailed("The stream ended before its first event.", "connection_lost")
    return response, chunks, parser, ready

def _next_events(chunks: Iterator[bytes], parser: EventParser, deadline: float = float("inf")) -> list[Any]:
    for chunk in chunks:
        check_time(deadline)
        if ready := list(parser.feed(chunk)):
            return ready
    return []

def _compare(accept: str, prompt: str, models: Sequence[str], more: Any) -> Call:
    headers = {"accept": accept, "idempotency-key": more.get("idempotency_key") or secrets.token_hex(16)}
    return Call("POST", "/api/v1/compare", _include(more.get("include")), compare_body(prompt, models, **more), headers)

def _include(names: Names) -> dict[str, Any]:
    return given(include=names if isinstance(names, str) else ",".join(names or ()) or None)
