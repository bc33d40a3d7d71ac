"""Which provider a request is meant for, by its path: base URLs differ, the ends of paths do not.

Paths as the packages openai, anthropic and google-genai write them; other providers that speak the
first format (Azure, Groq, Mistral, vLLM, Ollama) end them in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentcheck.testing.request import estimate
from agentcheck.testing.wire import (
    chat,
    chat_read,
    gemini,
    gemini_read,
    messages,
    messages_read,
    responses,
    responses_read,
)
from agentcheck.testing.wire.common import Provider, as_list

CHAT = Provider("openai-chat", chat_read.read, chat.whole, chat.events, chat.error)
RESPONSES = Provider(
    "openai-responses", responses_read.read, responses.whole, responses.events, responses.error
)
ANTHROPIC = Provider(
    "anthropic", messages_read.read, messages.whole, messages.events, messages.error
)
GEMINI = Provider("gemini", gemini_read.read, gemini.whole, gemini.events, gemini.error)
ROUTES = (
    (re.compile(r"/chat/completions$"), CHAT),
    (re.compile(r"/responses$"), RESPONSES),
    (re.compile(r"/messages$"), ANTHROPIC),
    (re.compile(r":(generateContent|streamGenerateContent)$"), GEMINI),
)


def provider_of(path: str) -> Provider | None:
    """The provider whose model is asked under the path; None for other paths."""
    return next((provider for route, provider in ROUTES if route.search(path)), None)


def beside(path: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to what code asks beside the model: counts, embeddings, moderation; else None."""
    tokens = estimate(str(dict(body)))
    if path.endswith(("/count_tokens", "/input_tokens")):
        return {"object": "response.input_tokens", "input_tokens": tokens}
    if path.endswith(":countTokens"):
        return {"totalTokens": tokens}
    if path.endswith("/moderations"):
        return _moderation(body)
    return _embeddings(body, tokens) if path.endswith("/embeddings") else None


def _moderation(body: Mapping[str, Any]) -> dict[str, Any]:
    verdict: dict[str, Any] = {"flagged": False, "categories": {}, "category_scores": {}}
    return {"id": "modr-scripted", "model": str(body.get("model")), "results": [verdict]}


DIMENSIONS = 8


def _embeddings(body: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The same vector for every text: nothing here says what texts mean."""
    texts = as_list(body.get("input")) or [body.get("input")]
    wanted = body.get("dimensions")
    vector: Any = [1.0] + [0.0] * ((wanted if isinstance(wanted, int) else DIMENSIONS) - 1)
    if body.get("encoding_format") == "base64":
        vector = _base64(vector)
    data = [{"object": "embedding", "index": i, "embedding": vector} for i in range(len(texts))]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": str(body.get("model")), "usage": usage}


def _base64(vector: list[float]) -> str:
    import base64
    import struct

    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
