"""What the clients of all languages send and read alike."""

import httpx
import pytest
from conftest import Both, Pieces, typed, vectors, with_amounts

import model_comparison as mcs
from model_comparison.errors import error_from_body
from model_comparison.transport import Retries
from model_comparison.values import read_json

def compare(client, method, call):
    given = {"include": call.get("include", ()), "idempotency_key": call.get("idempotencyKey")}
    return getattr(client, method)(**call["body"], **given)

CALLS = {
    "compare": lambda client, call: compare(client, "compare", call),
    "stream": lambda client, call: compare(client, "stream", call).eval(),
    "estimate": lambda client, call: compare(client, "estimate", call),
    "models": lambda client, call: client.models(details=call.get("details", False)),
    "usage": lambda client, call: client.usage(call["month"]),
    "evals.get": lambda client, call: client.evals.get(call["id"], include=call["include"]),
    "evals.list": lambda client, call: client.evals.list(**call["query"]),
    "datasets.list": lambda client, call: client.datasets.list(**call["query"]),
    "experiments.run": lambda client, call: client.experiments.run(
        **call["body"], wait=False, idempotency_key=call["idempotencyKey"]),
    "experiments.summary": lambda client, call: client.experiments.summary(call["id"], **call["query"]),
    "experiments.report": lambda client, call: client.experiments.report(call["id"], **call["query"]),
    "experiments.decide": lambda client, call: client.experiments.decide(call["id"], **call["body"]),
}

@pytest.mark.parametrize("vector", vectors("requests"), ids=lambda vector: vector["name"])
def test_sends(client_of, vector):
    client, service = client_of(httpx.Response(400, text="{}"), max_retries=0)
    with pytest.raises(mcs.ApiError):
        client.done(lambda each: CALLS[vector["call"]["of"]](each, vector["call"]))
    (request,) = service.requests
    assert [request.method, request.url.raw_path.split(b"?")[0].decode()] == [vector["method"], vector["path"]]
    assert dict(request.url.params) == vector["query"]
    assert {name: request.headers[name] for name in vector["headers"]} == vector["headers"]
    assert request.content == (vector["body"] or "").encode("utf-8", "backslashreplace")

@pytest.mark.parametrize("vector", vectors("answers"), ids=lambda vector: vector["text"][:60])
def test_reads(vector):
    assert typed(read_json(vector["text"])) == typed(with_amounts(vector["expected"]))

def members_of(error):
    names = {"request_id": "requestId", "retry_after": "retryAfter"}
    members = {names.get(name, name): value for name, value in vars(error).items() if value is not None}
    return {"kind": type(error).__name__, **members}

@pytest.mark.parametrize("vector", vectors("errors"), ids=lambda vector: vector["name"])
def test_errors(client_of, vector):
    if vector["status"] is None:
        error = error_from_body(read_json(vector["body"]))
    else:
        answer = lambda: httpx.Response(vector["status"], headers=vector["headers"], text=vector["body"])
        in_use = vector["expected"]["code"] == "idempotency_key_in_use"
        client, service = client_of(answer, max_retries=0)
        with pytest.raises(mcs.ApiError) as raised:
            client.done(lambda each: each.models())
        error = raised.value
        # A run that goes on is waited for, whatever the number of retries is.
        assert (len(service.requests) > 1) == in_use
    assert members_of(error) == with_amounts(vector["expected"])
    delay = Retries(2).next_delay(error)
    if vector["delay"] is None:
        assert delay is None
    else:
        least, most = map(float, vector["delay"])
        assert least <= delay <= most

@pytest.mark.parametrize("vector", vectors("streams"), ids=lambda vector: vector["name"])
def test_streams_cut_anywhere(kind, vector):
    text = vector["text"].encode()
    for pieces in [[bytes([byte]) for byte in text], *([text[:i], text[i:]] for i in range(1, len(text)))]:
        body = Pieces(pieces)
        headers = {"content-type": "text/event-stream"}
        answer = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, stream=body))
        client = Both(kind, "http://service.test", "mcs_key", transport=answer)
        run = client.client.stream("p", [])
        assert typed(client.done(lambda _: run)) == typed(with_amounts(vector["events"]))
        assert body.is_closed
        if "error" in vector:
            with pytest.raises(mcs.ApiError) as raised:
                client.done(lambda _: run.eval())
            assert members_of(raised.value) == vector["error"]
        else:
            assert typed(client.done(lambda _: run.eval())) == typed(with_amounts(vector["eval"]))
