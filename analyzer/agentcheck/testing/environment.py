"""The environment variables that lead SDKs to the scripted model, and keys that open nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

KEY = "scripted"
# Names as the packages read them: openai, anthropic, google-genai, groq, mistralai, cohere, litellm
# and langchain's integrations.
KEYS = (
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "XAI_API_KEY",
)
# Where a second name of the same key would lead to a warning, or to a real key.
ABSENT = ("GEMINI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
PATHS = {
    "OPENAI_BASE_URL": "/v1",
    "OPENAI_API_BASE": "/v1",
    "ANTHROPIC_BASE_URL": "",
    "ANTHROPIC_API_BASE": "",
    "GOOGLE_GEMINI_BASE_URL": "",
    "GEMINI_API_BASE": "",
    "GOOGLE_VERTEX_BASE_URL": "",
    "GROQ_BASE_URL": "",
    "GROQ_API_BASE": "/openai/v1",
    "MISTRAL_API_BASE": "/v1",
    "DEEPSEEK_API_BASE": "/v1",
    "OPENROUTER_API_BASE": "/v1",
    "AZURE_OPENAI_ENDPOINT": "",
}
NO_PROXY = "127.0.0.1,localhost,::1"


def towards(url: str) -> dict[str, str]:
    """The variables for code in another process that is to ask the model at the URL."""
    places = {name: url + path for name, path in PATHS.items()}
    return {**places, **dict.fromkeys(KEYS, KEY), "NO_PROXY": NO_PROXY, "no_proxy": NO_PROXY}


@contextmanager
def dummy_keys() -> Iterator[None]:
    """Keys that open nothing in the place of real ones, until the block ends."""
    with changed(dict.fromkeys(KEYS, KEY)):
        yield


@contextmanager
def changed(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables and drop those of ABSENT, until the block ends."""
    before = {name: os.environ.get(name) for name in [*values, *ABSENT]}
    for name in ABSENT:
        os.environ.pop(name, None)
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
