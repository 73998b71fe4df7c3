"""Errors of the client: each is an ApiError and has a code for programs to branch on."""
from __future__ import annotations

from typing import Any

class ApiError(Exception):
    """An error of the service or on the way to it. `code` is stable, `status` is None where no answer came, `param`
    names the field at fault, `request_id` the request in the log of the service; `retry_after` is in seconds."""

    def __init__(self, message: str, code: str = "unexpected_answer", status: int | None = None, *, details: Any = None,
                 param: str | None = None, request_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message, self.code, self.status, self.param = message, code, status, param
        self.details, self.request_id, self.retry_after = details, request_id, retry_after

class AuthenticationError(ApiError): """401 and 403: no valid key, or a key that may not do this."""
class PaymentError(ApiError): """402: no payment method, or a limit of the user, the key or the request."""
class InvalidRequestError(ApiError): """The other 4xx: the request itself is at fault."""
class RateLimitError(ApiError): """429 after the last try; `retry_after` says how long to wait."""
class ServiceError(ApiError): """5xx after the last try, the end of a run, and answers that are not the API's."""
class AllModelsFailedError(ServiceError): """Every model of a compare failed; nothing was stored or charged."""
class ConnectionFailed(ApiError): """No connection, or it broke, on the last try too."""
class Timeout(ConnectionFailed): """No answer in time, on the last try too."""

_CLASSES = {401: AuthenticationError, 403: AuthenticationError, 402: PaymentError, 429: RateLimitError}
# Of errors that end a run, which have no HTTP status.
_STATUS_OF = {
    **dict.fromkeys(("invalid_request", "unknown_model"), 400),
    **dict.fromkeys(("payment_required", "spend_limit_reached", "key_spend_limit_reached", "max_cost_exceeded"), 402),
    **dict.fromkeys(("unauthorized", "model_not_allowed", "insufficient_scope", "forbidden"), 403),
}

def error_from_body(body: Any, status: int | None = None, headers: Any = None) -> ApiError:
    """The error of a body of the API, wherever it came from."""
    error = body.get("error") if isinstance(body, dict) else None
    texts = {name: value for name, value in error.items() if isinstance(value, str)} if isinstance(error, dict) else {}
    code, seconds = texts.get("code", "unexpected_answer"), (headers or {}).get("retry-after", "")
    kind = _STATUS_OF.get(code, 500) if status is None else status
    kind_class = _CLASSES.get(kind, InvalidRequestError) if 400 <= kind < 500 else ServiceError
    return (AllModelsFailedError if code == "all_models_failed" else kind_class)(
        texts.get("message", f"The service answered {status or 'an error'} without an error message."), code, status,
        details=error.get("details") if isinstance(error, dict) else None, param=texts.get("param"),
        request_id=texts.get("request_id", (headers or {}).get("x-request-id")),
        retry_after=float(seconds) if seconds.isdecimal() else None)
