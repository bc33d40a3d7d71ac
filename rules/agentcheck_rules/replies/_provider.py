"""The errors that the clients of model providers raise, as a handler may name them."""

from __future__ import annotations

# Read off openai 1.x to 3.x, anthropic 0.3 and later, google-genai, mistralai, httpx, requests.
PROVIDER_ERRORS = (
    "APIError",
    "OpenAIError",
    "AnthropicError",
    "APIStatusError",
    "APIConnectionError",
    "APITimeoutError",
    "RateLimitError",
    "InternalServerError",
    "ServiceUnavailableError",
    "ServerError",
    "ClientError",
    "SDKError",
    "HTTPError",
    "HTTPStatusError",
    "RequestException",
    "ConnectionError",
    "TimeoutError",
    "ResponseError",
    "ModelHTTPError",
    "AgentRunError",
    "AgentsException",
)
