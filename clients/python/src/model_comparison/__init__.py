"""Client of the Model Comparison Service: one prompt, several models, what each answers and what it costs."""
from . import api_types
from ._async import AsyncClient
from ._sync import Client
from .errors import (AllModelsFailedError, ApiError, AuthenticationError, ConnectionFailed, InvalidRequestError,
                     PaymentError, RateLimitError, ServiceError, Timeout)
from .transport import VERSION as __version__
from .values import Summary

__all__ = ["AllModelsFailedError", "ApiError", "AsyncClient", "AuthenticationError", "Client", "ConnectionFailed",
           "InvalidRequestError", "PaymentError", "RateLimitError", "ServiceError", "Summary", "Timeout", "api_types"]
