"""What this client does on its own: retries, streams that break, money, rows, closed loops and forks."""

import asyncio
import datetime
import json
import os
import pickle
import socket
import subprocess
import sys
from decimal import Decimal

import httpx
import pytest
from conftest import Both, Pieces

import model_comparison as mcs

KEY = "mcs_secret0123456789"
EVAL = {"eval_id": "eval_1", "results": []}

def answer(status, body, **headers):
    return lambda: httpx.Response(status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

def failure(status, code, **headers):
    return answer(status, {"error": {"code": code, "message": f"It is {code}."}}, **headers)

def frame(event, data):
    return f"id: 1\nevent: {event}\ndata: {json.dumps(data)}\n\n".encode()

def events(*pieces):
    return lambda: httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Pieces(pieces))

STARTED, DONE = frame("eval-started", {"eval_id": "eval_1", "models": ["m"]}), frame("eval", EVAL)
NO_CONNECTION = httpx.ConnectError("refused")
CUT = lambda: httpx.Response(200, stream=Pieces([b'{"eval_id"', httpx.ReadError("reset")]))

@pytest.mark.parametrize("broken", [
    NO_CONNECTION, CUT, httpx.ReadTimeout("slow"), failure(408, "timeout"), failure(429, "rate_limited"),
    failure(500, "internal_error"), lambda: httpx.Response(502, text="<html>"), failure(503, "unavailable")])
def test_is_sent_twice_again_with_the_same_idempotency_key(client_of, broken):
    client, service = client_of(broken, broken, answer(200, EVAL))
    assert client.done(lambda c: c.compare("p", ["m"])) == EVAL
    keys = {request.headers["idempotency-key"] for request in service.requests}
    assert len(service.requests) == 3 and len(keys) == 1 and len(keys.pop()) == 32
    bad, tries = client_of(broken)
    with pytest.raises(mcs.ApiError):
        bad.done(lambda c: c.compare("p", ["m"]))
    assert len(tries.requests) == 3 and 0.25 <= tries.waits[0] <= 0.5 <= tries.waits[1] <= 1

def test_waits_for_a_run_that_goes_on_longer_than_there_are_retries(client_of):
    running = failure(409, "idempotency_key_in_use", retry_after="1")
    client, service = client_of(NO_CONNECTION, running, running, running, running, answer(200, EVAL))
    assert client.done(lambda c: c.compare("p", ["m"])) == EVAL
    assert service.waits[1:] == [1.0] * 4
    lasting, service = client_of(running)
    with pytest.raises(mcs.InvalidRequestError):
        lasting.done(lambda c: c.compare("p", ["m"]))
    assert len(service.waits) == 180

def test_network_errors_have_codes_and_no_key(client_of):
    for broken, kind, code in [(NO_CONNECTION, mcs.ConnectionFailed, "connection_failed"),
                               (CUT, mcs.ConnectionFailed, "connection_lost"),
                               (httpx.ReadTimeout("x"), mcs.Timeout, "no_answer_in_time")]:
        client, _ = client_of(broken, max_retries=0, timeout=2)
        with pytest.raises(kind) as raised:
            client.done(lambda c: c.models())
        assert raised.value.code == code
        copy = pickle.loads(pickle.dumps(raised.value))
        assert [copy.code, str(copy)] == [code, str(raised.value)]

def test_one_try_ends_in_time_although_every_piece_does(client_of, monkeypatch):
    slow = lambda: httpx.Response(200, stream=Pieces([b" "] * 100))
    client, service = client_of(slow, max_retries=0, timeout=5)
    clock = iter(range(1000))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with pytest.raises(mcs.Timeout, match="No answer within 5 seconds."):
        client.done(lambda c: c.models())

def test_times_out_on_a_service_that_says_nothing(kind):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = Both(kind, f"http://127.0.0.1:{silent.getsockname()[1]}", KEY, timeout=0.2, max_retries=0)
        with pytest.raises(mcs.Timeout):
            client.done(lambda c: c.models())
        with pytest.raises(mcs.Timeout):
            client.done(lambda c: c.stream("p", ["m"]).eval())

@pytest.mark.parametrize("body,mime", [("<html>", "text/html"), ("{", "application/json")])
def test_says_that_an_answer_is_not_of_the_api(client_of, body, mime):
    client, _ = client_of(lambda: httpx.Response(200, text=body, headers={"content-type": mime}), max_retries=0)
    with pytest.raises(mcs.ServiceError, match="The answer does not come from the API") as raised:
        client.done(lambda c: c.models())
    assert raised.value.code == "unexpected_answer"
    with pytest.raises(mcs.ServiceError, match="The answer does not come from the API"):
        client.done(lambda c: c.stream("p", ["m"]).eval())

def test_keys_and_addresses_are_not_repeated(monkeypatch):
    for key in ("mcs_a b", "mcs_a\nb", "mcs_é", "mcs_\0"):
        with pytest.raises(mcs.AuthenticationError) as raised:
            mcs.Client("http://service.test", key)
        assert raised.value.code == "invalid_api_key" and key not in repr(raised.value)
    for address in (KEY, f"http://{KEY}@host", f"http://host?{KEY}", "ftp://host", f"http://host#{KEY}", ""):
        with pytest.raises(mcs.ApiError) as raised:
            mcs.Client(address, KEY)
        assert raised.value.code == "invalid_base_url" and KEY not in repr(raised.value)
    monkeypatch.delenv("MCS_API_KEY", raising=False)
    with pytest.raises(mcs.AuthenticationError, match="set MCS_API_KEY"):
        mcs.Client("http://service.test")
    monkeypatch.setenv("MCS_API_KEY", KEY)
    monkeypatch.setenv("MCS_URL", "http://service.test/api/v1/")
    assert repr(mcs.Client()) == "Client('http://service.test')"

def test_a_float_is_no_money(client_of):
    client, service = client_of(answer(200, EVAL))
    for call in (lambda c: c.compare("p", ["m"], max_cost_usd=0.05),
                 lambda c: c.compare("p", ["m"], options={"max_cost_usd": 0.05}),
                 lambda c: c.stream("p", ["m"], checks=[{"type": "cost", "max_usd": 0.1}]),
                 lambda c: c.estimate("p", ["m"], max_cost_usd=1.0),
                 lambda c: c.experiments.run("ds_1", "p", ["m"], max_cost_usd=0.05)):
        with pytest.raises(TypeError, match=r'is an amount of money: write Decimal\("0.05"\) or "0.05", not a float.'):
            client.done(call)
    assert service.requests == []
    for amount, written in [(1, b"1"), (Decimal("1E-7"), b"0.0000001"), ("0.10", b"0.10"), (Decimal("0.1"), b"0.1")]:
        client.done(lambda c: c.compare("p", ["m"], max_cost_usd=amount, temperature=0.5))
        assert b'"options":{"max_cost_usd":%s,"temperature":0.5}' % written in service.requests[-1].content
    with pytest.raises(ValueError, match="finite"):
        client.done(lambda c: c.compare("p", ["m"], max_cost_usd=Decimal("NaN")))

def test_a_stream_is_sent_again_before_its_first_event(client_of):
    client, service = client_of(events(), NO_CONNECTION, events(STARTED, DONE))
    assert client.done(lambda c: c.stream("p", ["m"]).eval()) == EVAL
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1

@pytest.mark.parametrize("end", [[], [httpx.ReadError("reset")], [b"event: delta\ndata: {\n\n"]])
def test_a_stream_that_breaks_later_is_never_sent_again(client_of, end):
    client, service = client_of(events(STARTED, *end), failure(404, "not_found"), NO_CONNECTION, NO_CONNECTION,
                                NO_CONNECTION, failure(503, "unavailable"), answer(200, EVAL))
    run = client.client.stream("p", ["m"])
    with pytest.raises(mcs.ConnectionFailed) as raised:
        client.done(lambda _: run)
    assert [raised.value.code, run.eval_id] == ["connection_lost", "eval_1"]
    assert client.done(lambda _: run.eval()) == EVAL
    assert [request.method for request in service.requests] == ["POST"] + ["GET"] * 6

def test_a_stream_whose_eval_is_not_stored(client_of):
    client, service = client_of(events(STARTED), failure(404, "not_found"))
    with pytest.raises(mcs.ServiceError, match="has not stored the eval eval_1") as raised:
        client.done(lambda c: c.stream("p", ["m"]).eval())
    assert raised.value.code == "eval_not_stored" and sum(service.waits) > 95
    client, service = client_of(events(STARTED))
    with pytest.raises(mcs.ServiceError, match="keeps no copy"):
        client.done(lambda c: c.stream("p", ["m"], store=False).eval())
    assert len(service.requests) == 1
    client, service = client_of(events(STARTED), failure(503, "unavailable"))
    with pytest.raises(mcs.ServiceError, match="It is unavailable."):
        client.done(lambda c: c.stream("p", ["m"]).eval())

def test_a_key_that_may_not_read_evals_gets_its_own(client_of):
    client, service = client_of(events(STARTED), failure(403, "insufficient_scope"), answer(200, EVAL))
    assert client.done(lambda c: c.stream("p", ["m"]).eval()) == EVAL
    first, _, last = service.requests
    assert last.headers["idempotency-key"] == first.headers["idempotency-key"] and last.content == first.content

def test_an_error_before_the_stream_is_that_of_its_eval(client_of):
    client, _ = client_of(failure(402, "payment_required"))
    run = client.client.stream("p", ["m"])
    for call in (lambda _: run, lambda _: run.eval()):
        with pytest.raises(mcs.PaymentError):
            client.done(call)

def test_a_reader_may_leave(client_of, kind):
    client, service = client_of(events(STARTED, DONE), answer(200, EVAL), events(STARTED, DONE))
    run = client.client.stream("p", ["m"])

    async def leave(_):
        async with run:
            async for _ in run:
                break

    if kind == "async":
        client.done(leave)
    else:
        with run:
            next(iter(run))
    assert client.done(lambda _: run.eval()) == EVAL
    assert [request.method for request in service.requests] == ["POST", "GET"]
    unread = client.client.stream("p", ["m"])
    assert client.done(lambda _: unread.eval()) == EVAL

def test_halves_of_characters_are_joined_or_replaced(client_of):
    texts = ["a\ud83d", "\ude00b", "\ud83d", "x", "\ude00"]
    deltas = [frame("delta", {"model": "m", "text": text}) for text in texts]
    client, _ = client_of(events(STARTED, *deltas, frame("eval", {**EVAL, "prompt": "\ud83d"})))
    seen = client.done(lambda c: c.stream("p", ["m"]))
    joined = "".join(event["data"]["text"] for event in seen if event["event"] == "delta")
    assert joined == "a😀b\ufffdx\ufffd" and seen[-1]["data"]["prompt"] == "\ufffd"

def test_lists_read_all_pages_and_send_the_key_nowhere_else(client_of):
    link = '<http://evil.test/api/v1/evals?cursor=c%2F1&limit=1>; rel="next"'
    page = lambda id: {"evals": [{"eval_id": id, "meta": {"total_cost_usd": 0.1}}]}
    client, service = client_of(answer(200, page("eval_1"), link=link), answer(200, page("eval_2")))
    evals = client.done(lambda c: c.evals.list(limit=1))
    assert [each["eval_id"] for each in evals] == ["eval_1", "eval_2"]
    assert evals[0]["meta"]["total_cost_usd"] == Decimal("0.1")
    assert [str(each.url) for each in service.requests] == [
        "http://service.test/api/v1/evals?limit=1", "http://service.test/api/v1/evals?cursor=c%2F1&limit=1"]

def test_an_experiment_is_waited_for(client_of):
    of = lambda state: {"experiment_id": "exp_1", "state": state}
    client, service = client_of(answer(202, of("running")), answer(200, of("running"), etag='"1"'),
                                lambda: httpx.Response(304, headers={"etag": '"1"'}), answer(200, of("paused")))
    seen = []
    ended = client.done(lambda c: c.experiments.run({"dataset_id": "ds_1"}, "p", ["m"], max_cost_usd="0.1",
                                                    limit=2, on_progress=seen.append))
    assert ended == of("paused") and seen == [of("running"), of("paused")]
    assert json.loads(service.requests[0].content)["dataset"] == "ds_1"
    assert [service.requests[i].headers.get("if-none-match") for i in (1, 2, 3)] == [None, '"1"', '"1"']
    assert service.requests[2].headers["prefer"] == "wait=20"

def test_rows_of_a_data_frame(client_of):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "input": ["a", "é\ud83d", "c"], "expected": ["x", None, float("nan")], "n": [1, 2, 3], "f": [1.5, float("nan"), 3],
        "when": [pandas.Timestamp("2026-11-29T10:00"), pandas.NaT, datetime.date(2026, 1, 2)], "ok": [True, False, True],
        "checks": [[{"type": "contains", "values": ["x"], "weight": float("nan")}], None, []],
        "tags": [["a", 1], {"b": None}, None], "price": [Decimal("0.10"), None, pandas.NA]})
    client, service = client_of(answer(201, {}))
    client.done(lambda c: c.datasets.push(frame, name="n", skip="f"))
    (request,) = service.requests
    assert [dict(request.url.params), request.headers["content-type"]] == [
        {"name": "n", "skip": "f"}, "application/x-ndjson"]
    assert [json.loads(line) for line in request.content.decode().split("\n")] == [
        {"input": "a", "expected": "x", "n": 1, "f": 1.5, "when": "2026-11-29T10:00:00", "ok": True,
         "checks": [{"type": "contains", "values": ["x"]}], "tags": '["a", 1]', "price": "0.10"},
        {"input": "é\ud83d", "n": 2, "ok": False, "tags": "{}"},
        {"input": "c", "f": 3.0, "n": 3, "when": "2026-01-02T00:00:00", "ok": True, "checks": []}]
    client.done(lambda c: c.datasets.push([{"day": datetime.date(2026, 1, 2), "variables": {"a": [1, None]}}]))
    assert service.requests[-1].content == b'{"day": "2026-01-02", "variables": {"a": [1, null]}}'
    with pytest.raises(TypeError, match="A row must be a dict, not str."):
        client.done(lambda c: c.datasets.push(["text"]))
    with pytest.raises(ValueError):
        client.done(lambda c: c.datasets.push([{"input": float("inf")}]))

@pytest.mark.parametrize("ending,mime", [("csv", "text/csv"), ("JSONL", "application/x-ndjson"), ("json", "application/json")])
def test_a_file_is_sent_as_it_is_and_again(client_of, tmp_path, ending, mime):
    path, content = tmp_path / f"rows.{ending}", b"input\n" + b"x" * 600_000
    path.write_bytes(content)
    client, service = client_of(failure(503, "unavailable"), answer(201, {}))
    client.done(lambda c: c.datasets.push(path))
    assert [request.content for request in service.requests] == [content] * 2
    assert service.requests[0].headers["content-length"] == str(len(content))
    assert [service.requests[0].headers["content-type"], dict(service.requests[0].url.params)] == [
        mime, {"name": f"rows.{ending}"}]

def test_a_summary_has_flat_rows():
    rate = {"rate": 0.5, "ci": [0.1, 0.9], "method": "wilson"}
    model = {"model": "m", "passed": rate, "score": None, "cost_usd": {"mean": Decimal("0.1"), "ci": None},
             "checks": [{"name": "equals-1", **rate}]}
    assert mcs.Summary(models=[model]).rows() == [
        {"model": "m", "passed_rate": 0.5, "passed_ci_low": 0.1, "passed_ci_high": 0.9, "passed_method": "wilson",
         "score": None, "cost_usd_mean": Decimal("0.1"), "cost_usd_ci": None, "checks_equals-1_rate": 0.5,
         "checks_equals-1_ci_low": 0.1, "checks_equals-1_ci_high": 0.9, "checks_equals-1_method": "wilson",
         "checks_equals-1_name": "equals-1"}]

def test_a_closed_client_says_so(client_of, kind):
    client, _ = client_of(answer(200, {"models": []}))
    client.done(lambda c: c.models())
    client.done(lambda c: c.close() if kind == "sync" else c.aclose())
    with pytest.raises(RuntimeError, match="This client is closed: make a new one."):
        client.done(lambda c: c.models())

@pytest.fixture
def server(tmp_path):
    """A small service in another process, whose connections stay open."""
    code = ("import http.server, sys\nclass H(http.server.BaseHTTPRequestHandler):\n protocol_version='HTTP/1.1'\n"
            " def do_GET(self):\n  self.send_response(200); self.send_header('content-length','13'); self.end_headers()\n"
            "  self.wfile.write(b'{\"models\":[]}')\n def log_message(self,*a): pass\n"
            "s=http.server.ThreadingHTTPServer(('127.0.0.1',0),H); print(s.server_port, flush=True); s.serve_forever()")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()

def test_works_in_another_event_loop_after_the_first_is_closed(server):
    client = mcs.AsyncClient(server, KEY, max_retries=0)
    assert [asyncio.run(client.models()) for _ in range(3)] == [[]] * 3

def test_works_in_a_forked_process(server):
    client = mcs.Client(server, KEY, max_retries=0)
    assert client.models() == []
    before = client._connections()
    child = os.fork()
    if child == 0:
        os._exit(0 if client.models() == [] and client._connections() is not before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert client.models() == [] and client._connections() is before
