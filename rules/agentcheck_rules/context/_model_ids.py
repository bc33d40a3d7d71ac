"""Model ids as providers write them, and those that are known to be retired."""

from __future__ import annotations

import re

from agentcheck.rule import lazy_re

# The names that hosted models go by, after any provider prefix ("openai/", "anthropic:").
_ID = lazy_re(
    r"^(?:[\w.-]+[/:])*(gpt-|o[1345](-|$)|chatgpt-|text-davinci|text-embedding|davinci|claude-"
    r"|gemini-|models/gemini|gemma|llama|meta-llama|mistral|mixtral|codestral|command-|deepseek"
    r"|qwen|grok-|sonar|kimi|phi-|nova-|amazon\.|anthropic\.|meta\.)[\w.:@/-]*$",
    re.IGNORECASE,
)
# Shut down by their providers, from the deprecation pages of OpenAI, Anthropic, Google and Groq.
_RETIRED = lazy_re(
    r"(^|[/:.])(text-davinci-00\d|code-davinci-00\d|text-curie-001|text-babbage-001|text-ada-001"
    r"|gpt-3\.5-turbo-(0301|0613|16k|16k-0613)|gpt-4-0314|gpt-4-32k(-0314|-0613)?"
    r"|gpt-4-vision-preview|gpt-4-1106-vision-preview|gpt-4\.5-preview[\w-]*|o1-preview[\w-]*"
    r"|o1-mini[\w-]*|claude-1[\w.-]*|claude-2[\w.-]*|claude-instant[\w.-]*"
    r"|claude-3-sonnet-\d{8}|claude-3-opus-(\d{8}|latest)|claude-3-5-sonnet-(\d{8}|latest)"
    r"|claude-3-7-sonnet-(\d{8}|latest)|claude-3-5-haiku-(\d{8}|latest)|gemini-1\.0-[\w-]+"
    r"|gemini-pro(-vision)?|gemini-1\.5-[\w-]+|mixtral-8x7b-32768|llama2-70b-4096"
    r"|llama3-(8|70)b-8192)$",
    re.IGNORECASE,
)


def is_model_id(text: str) -> bool:
    """Whether a string is the name of a hosted model."""
    return bool(_ID.match(text))


def is_retired(text: str) -> bool:
    """Whether a provider is known to have shut the model down."""
    return bool(_RETIRED.search(text))
