"""Both clients at a running service: MCS_URL and MCS_API_KEY name it, with the simulator and a payment method."""

import os
import statistics
import time
from decimal import Decimal

import httpx
import pytest
from conftest import Both

import model_comparison as mcs

pytestmark = pytest.mark.skipif(not os.environ.get("MCS_URL"), reason="MCS_URL and MCS_API_KEY name no service")
MODELS = ["sim-swift", "sim-quill"]

@pytest.fixture
def live(kind):
    return Both(kind)

def test_amounts_add_up_to_the_usage(live):
    before = live.done(lambda c: c.usage())
    done = live.done(lambda c: c.compare("Say {input}. [[sim:length=5]]", MODELS, input="hello", samples=2,
                                         max_cost_usd=Decimal("0.05"), include=["details", "checks", "statistics"],
                                         checks=[{"type": "length", "min": 1}]))
    assert [len(done["results"]), done["checks"]["by_model"][0]["passed"]] == [4, 2]
    costs = [result["cost_usd"] for result in done["results"]]
    assert done["meta"]["total_cost_usd"] == sum(costs) > 0
    assert all(type(cost) is Decimal for cost in [*costs, done["statistics"]["models"][0]["cost_usd"]["mean"]])
    after = live.done(lambda c: c.usage())
    assert after["total_charge_usd"] - before["total_charge_usd"] == done["details"]["charge_usd"] > 0
    assert live.done(lambda c: c.evals.get(done["eval_id"], include="details,checks,statistics")) == done

def test_a_cap_refuses_and_an_idempotency_key_replays(live):
    with pytest.raises(mcs.PaymentError) as raised:
        live.done(lambda c: c.compare("Say hello.", MODELS, max_cost_usd="0.0000001"))
    assert [raised.value.code, raised.value.param] == ["max_cost_exceeded", "options.max_cost_usd"]
    assert raised.value.details["max_cost_usd"] == Decimal("0.0000001") and raised.value.request_id.startswith("req_")
    least = live.done(lambda c: c.estimate("Say hello.", MODELS))["cost_usd"]
    assert 0 < least["least"] < least["most"]
    key = os.urandom(8).hex()
    first, again = (live.done(lambda c: c.compare("Say hello.", MODELS, idempotency_key=key)) for _ in range(2))
    assert first == again
    with pytest.raises(mcs.InvalidRequestError, match="different body"):
        live.done(lambda c: c.compare("Say goodbye.", MODELS, idempotency_key=key))

def test_a_stream_has_the_texts_of_its_eval(live):
    run = live.client.stream("Count. [[sim:length=30]]", MODELS)
    events = live.done(lambda _: run)
    done = live.done(lambda _: run.eval())
    assert events[0]["event"] == "eval-started" and events[-1]["data"] == done and run.eval_id == done["eval_id"]
    for result in done["results"]:
        texts = [e["data"]["text"] for e in events if e["event"] == "delta" and e["data"]["model"] == result["model"]]
        assert "".join(texts) == result["output"] != ""
    assert live.done(lambda c: c.evals.get(run.eval_id)) == done

def test_lists_go_over_all_pages(live):
    made = [live.done(lambda c: c.compare(f"List {i}. [[sim:length=1]]", ["sim-swift"]))["eval_id"] for i in range(3)]
    listed = live.done(lambda c: c.evals.list(limit=2))
    assert [each["eval_id"] for each in listed[:3]] == made[::-1]
    assert len({each["eval_id"] for each in listed}) == len(listed)
    prices = {each["id"]: each["input_per_1m"] for each in live.done(lambda c: c.models())}
    assert prices["sim-swift"] == Decimal("0.15")

def test_from_rows_to_a_decision(live, tmp_path, kind):
    path = tmp_path / f"{kind}.csv"
    path.write_text("input,expected\n" + "".join(f"{i} + {i},{2 * i}\n" for i in range(8)))
    from_file = live.done(lambda c: c.datasets.push(path))
    rows = [{"input": f"{i} + {i}", "expected": str(2 * i), "variables": {"sum": str(2 * i)}} for i in range(8)]
    dataset = live.done(lambda c: c.datasets.push(rows, name=f"{kind} rows"))
    assert [from_file["name"], from_file["rows"], dataset["rows"]] == [f"{kind}.csv", 8, 8]
    listed = live.done(lambda c: c.datasets.list(limit=1))
    assert {from_file["dataset_id"], dataset["dataset_id"]} <= {each["dataset_id"] for each in listed}
    states = []
    ended = live.done(lambda c: c.experiments.run(
        dataset, "What is {input}? [[sim-swift:say={sum}]] [[sim-quill:say=Who knows?]]", MODELS,
        checks=[{"type": "equals", "value": "{expected}"}], max_cost_usd=Decimal("0.5"),
        on_progress=lambda experiment: states.append(experiment["state"])))
    id = ended["experiment_id"]
    assert [ended["state"], states[-1], ended["rows"]["done"]] == ["finished", "finished", 8]
    assert len(live.done(lambda c: c.experiments.rows(id, limit=3))) == 8
    summary = live.done(lambda c: c.experiments.summary(id))
    by_model = {row["model"]: row for row in summary.rows()}
    assert [by_model[model]["passed_rate"] for model in MODELS] == [1, 0]
    assert ended["cost_usd"] == sum(row["cost_usd_total"] for row in by_model.values()) > 0
    decision = live.done(lambda c: c.experiments.decide(id, summary["recommendation"]["model"], reason="It counts."))
    assert [decision["model"], decision["reason"]] == ["sim-swift", "It counts."]
    report = live.done(lambda c: c.experiments.report(id, texts=False))
    assert report.startswith("# ") and "sim-swift" in report
    assert live.done(lambda c: c.experiments.get(id))["decision"] == decision

@pytest.mark.skipif(not os.environ.get("MCS_MEASURE"), reason="measures only where MCS_MEASURE has a number of runs")
def test_costs_little_time():
    client, bare = mcs.Client(), httpx.Client(headers={"authorization": f"Bearer {os.environ['MCS_API_KEY']}"})
    url, body = f"{os.environ['MCS_URL']}/api/v1/compare", {"prompt": "Hi [[sim:length=1]]", "models": ["sim-quill"]}
    key = lambda: {"idempotency-key": os.urandom(16).hex()}
    calls = (lambda: client.compare(**body), lambda: bare.post(url, json=body, headers=key()).json())
    times = ([], [])
    for _ in range(int(os.environ["MCS_MEASURE"])):
        for taken, call in zip(times, calls):
            begun = time.perf_counter()
            call()
            taken.append((time.perf_counter() - begun) * 1000)
    ours, theirs = map(statistics.median, times)
    print(f"client {ours:.2f} ms, bare httpx {theirs:.2f} ms, difference {ours - theirs:.2f} ms")
    assert ours - theirs <= 2
