"""The parts of a call without input and output: its request, its answer, its events, and when it is sent again."""
from __future__ import annotations

import codecs
import os
import random
import re
import time
from collections import namedtuple
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import httpx

from .errors import ApiError, AuthenticationError, ConnectionFailed, ServiceError, Timeout, error_from_body
from .values import read_json, write_json

VERSION = "1.0.0"
# In seconds. A stream says something at least every 10 seconds.
MAX_SILENCE, MAX_RETRY_AFTER, BACKOFF, MAX_BACKOFF, MAX_WAIT_FOR_RUN = 45.0, 60.0, 0.5, 8.0, 180.0

# A request to the API. It may be repeated although the first may have arrived. The query has no member that is None.
Call = namedtuple("Call", "method path query body headers content max_retries", defaults=[{}, None, {}, None, None])
Settings = namedtuple("Settings", "base_url headers timeout max_retries")

def settings_of(base_url: str | None, api_key: str | None, headers: Mapping[str, str], timeout: float, retries: int) -> Settings:
    """Where the service is, and how to speak to it. Raises ApiError invalid_base_url, invalid_api_key."""
    # No sentence repeats what was passed: address and key may have been mixed up.
    address = (os.environ.get("MCS_URL", "") if base_url is None else base_url).strip()
    key = os.environ.get("MCS_API_KEY", "").strip() if api_key is None else api_key
    if re.fullmatch(r"(?i)https?://[^/?#@\s]+(?:/[^?#@\s]*)?", address) is None:
        form = "must begin with http:// or https://, and have no user, query or fragment"
        raise ApiError(f"The address of the service {form if address else 'is missing: pass base_url, or set MCS_URL'}."
                       " An example is http://127.0.0.1:3000.", "invalid_base_url")
    if re.fullmatch(r"[\x21-\x7e]+", key) is None:
        form = "contains characters that no key has, such as white space"
        raise AuthenticationError(f"The API key {form if key else 'is missing: pass api_key, or set MCS_API_KEY'}.",
                                  "invalid_api_key")
    given = {"user-agent": f"model-comparison-python/{VERSION}", **{name.lower(): headers[name] for name in headers}}
    own = {"accept": "application/json", "authorization": f"Bearer {key}"}
    return Settings(re.sub("(?:/+api/v1)?/*$", "", address), {**given, **own}, timeout, retries)

def path_of(folder: str, id: str, rest: str = "") -> str:
    """The path of a thing, whatever its id contains."""
    return f"/api/v1/{folder}/{quote(id, safe='')}{rest}"

def build_request(call: Call, settings: Settings) -> dict[str, Any]:
    """The arguments of httpx for a call. Raises TypeError for an amount of money that is a float."""
    query = urlencode({name: str(value).lower() if isinstance(value, bool) else value for name, value in call.query.items()})
    headers = {**settings.headers, **({} if call.body is None else {"content-type": "application/json"}), **call.headers}
    silence = MAX_SILENCE if headers["accept"] == "text/event-stream" else settings.timeout
    # Halves of characters become the escapes of JSON.
    content = call.content if call.body is None else write_json(call.body).encode("utf-8", "backslashreplace")
    return {"method": call.method, "url": f"{settings.base_url}{call.path}{'?' if query else ''}{query}",
            "headers": headers, "content": content,
            "timeout": httpx.Timeout(settings.timeout, read=min(settings.timeout, silence))}

def check_time(deadline: float) -> None:
    """Raises httpx.ReadTimeout after the deadline: the timeout of httpx begins anew with each piece."""
    if time.monotonic() > deadline:
        raise httpx.ReadTimeout("")

def json_in(text: str) -> Any:
    """The JSON of a body; None where it is none."""
    try:
        return read_json(text)
    except ValueError:
        return None

def unexpected_answer(response: httpx.Response) -> ServiceError:
    """The answer is not the API's: most often another server is at that address."""
    kind = f"{response.status_code}, {response.headers.get('content-type', 'no content type')}"
    text = f"The answer does not come from the API ({kind}). Is the address correct?"
    return ServiceError(text, "unexpected_answer", response.status_code)

def failure_of(error: httpx.RequestError, settings: Settings, is_head_read: bool) -> ConnectionFailed:
    """What broke a call on its way."""
    if isinstance(error, httpx.TimeoutException):
        return Timeout(f"No answer within {settings.timeout:g} seconds.", "no_answer_in_time")
    if is_head_read:
        return ConnectionFailed("The connection broke before the end of the answer.", "connection_lost")
    return ConnectionFailed(f"No connection to {settings.base_url}.", "connection_failed")

def next_query(link: str) -> dict[str, str] | None:
    """The query of `<…>; rel="next"`. Only the query counts, so that no header can send the key to another address."""
    target = re.search(r'<([^>]*)>\s*;[^,]*\brel="?next\b', link)
    return None if target is None else dict(parse_qsl(urlsplit(target[1]).query))

class Retries:
    """Decides, for one call, whether and when it is sent again."""

    def __init__(self, most: int) -> None:
        self._most, self._failures, self._waited_for_run = most, 0, 0.0

    def next_delay(self, error: ApiError) -> float | None:
        """Seconds until the next try, or None when there is none."""
        after = error.retry_after
        if error.code == "idempotency_key_in_use" and self._waited_for_run < MAX_WAIT_FOR_RUN:
            # The same compare runs still, sent by this call before its connection broke: waited for, and not counted.
            self._waited_for_run += (delay := min(1.0 if after is None else after, MAX_RETRY_AFTER))
            return delay
        is_temporary = isinstance(error, ConnectionFailed) or error.status in (408, 429) or (error.status or 0) >= 500
        # The service has tried each model several times already.
        is_tried = error.code == "all_models_failed" or self._failures >= self._most
        if not is_temporary or is_tried or (after or 0) > MAX_RETRY_AFTER:
            return None
        self._failures += 1
        backoff = min(MAX_BACKOFF, BACKOFF * 2 ** (self._failures - 1)) * (0.5 + random.random() / 2)
        return backoff if after is None else after + backoff / 10

class EventParser:
    """Reads server-sent events from pieces of bytes, wherever they were cut."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line, self._carry, self._fields = list[str](), "", dict[str, str]()

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The events that end in these bytes. Raises ValueError for data that are not JSON."""
        text = self._carry + self._utf8.decode(chunk)
        # It may be the first half of a line end.
        self._carry = "\r" if text.endswith("\r") else ""
        first, *others = re.split("\r\n|\n|\r", text.removesuffix(self._carry))
        self._line.append(first)
        for beginning in others:
            line, self._line = "".join(self._line), [beginning]
            name, _, value = line.partition(":")
            if name == "data" and "data" in self._fields:
                self._fields["data"] += f"\n{value.removeprefix(' ')}"
            elif line:
                self._fields[name] = value.removeprefix(" ")
            else:
                fields, self._fields = self._fields, {}
                if "event" in fields and "data" in fields:
                    data = read_json(fields["data"], mend=fields["event"] != "delta")
                    yield {"id": fields.get("id", ""), "event": fields["event"], "data": data}
