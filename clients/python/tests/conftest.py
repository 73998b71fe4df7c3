"""Both clients as one, and the vectors that the TypeScript client reads too."""

import asyncio
import inspect
import json
import pathlib
from decimal import Decimal

import httpx
import pytest

import model_comparison
from model_comparison import _async, _sync

VECTORS = pathlib.Path(__file__).parents[3] / "test/fixtures/client-vectors"

def vectors(name):
    """The entries of a file, with every number that has a point as a Decimal."""
    return json.loads((VECTORS / f"{name}.json").read_text(), parse_float=Decimal)

def with_amounts(value):
    """Expected values as this client gives them."""
    if isinstance(value, list):
        return [with_amounts(each) for each in value]
    if isinstance(value, dict):
        if list(value) == ["amount"]:
            return Decimal(value["amount"])
        return {name: with_amounts(each) for name, each in value.items()}
    return float(value) if isinstance(value, Decimal) else value

def typed(value):
    """A value with its types: 1 is not 1.0, and neither is Decimal(1)."""
    if isinstance(value, list):
        return [typed(each) for each in value]
    if isinstance(value, dict):
        return {name: typed(each) for name, each in value.items()}
    return type(value).__name__, str(value)

class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes in these pieces; an exception among them breaks it."""

    def __init__(self, pieces):
        self.pieces, self.is_closed = pieces, False

    def __iter__(self):
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def __aiter__(self):
        for piece in self:
            yield piece

    def close(self):
        self.is_closed = True

    async def aclose(self):
        self.is_closed = True

class Service:
    """Answers one after the other; the last one stays. Waiting takes no time and is written down."""

    def __init__(self, *answers):
        self.answers, self.requests, self.waits = answers, [], []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        answer = answer() if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer

class Both:
    """A client of either kind whose methods can be called without `await`."""

    def __init__(self, kind, *args, **kwargs):
        self.kind, self.loop = kind, asyncio.new_event_loop()
        self.client = (model_comparison.Client if kind == "sync" else model_comparison.AsyncClient)(*args, **kwargs)

    def done(self, call):
        """The result of a call: `lambda client: client.models()`. A list of what it iterates over."""

        async def run():
            result = call(self.client)
            if hasattr(result, "__aiter__"):
                return [each async for each in result]
            return await result if inspect.isawaitable(result) else result

        result = self.loop.run_until_complete(run()) if self.kind == "async" else call(self.client)
        return list(result) if hasattr(result, "__next__") or isinstance(result, _sync.Stream) else result

@pytest.fixture(params=["sync", "async"])
def kind(request):
    return request.param

@pytest.fixture
def client_of(kind, monkeypatch):
    """Makes a client whose requests meet these answers."""

    def make(*answers, **options):
        service = Service(*answers)
        monkeypatch.setattr(_sync.time, "sleep", service.waits.append)

        async def sleep(seconds):
            service.waits.append(seconds)

        monkeypatch.setattr(_async.asyncio, "sleep", sleep)
        return Both(kind, "http://service.test/", "mcs_key", transport=httpx.MockTransport(service), **options), service

    return make
