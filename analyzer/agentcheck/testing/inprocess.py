"""Answering what this process asks: the transports of HTTP clients are replaced for a while.

Whatever its base URL, a request under whose path a model is asked is answered by the script. Other
requests to this machine go where they went before; to any other machine they get status 404 (and
are among `strays`), so that nothing leaves. The network of the SDKs is httpx2 (openai 3.57,
anthropic 2.14, google-genai 3.6), httpx before that, and aiohttp or requests for some.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from agentcheck.testing.environment import dummy_keys
from agentcheck.testing.hosts import Patch

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel


@contextmanager
def installed(model: ScriptedModel) -> Iterator[None]:
    """Answer the requests of this process until the block ends; the innermost model answers."""
    from agentcheck.testing.clients import aio, httpx_like, over_requests

    with ExitStack() as stack:
        stack.enter_context(dummy_keys())
        for name in ("httpx", "httpx2"):
            stack.enter_context(_patched(name, lambda module: httpx_like.patches(module, model)))
        stack.enter_context(_patched("requests", lambda m: over_requests.patches(m, model)))
        aiohttp = importlib.util.find_spec("aiohttp")
        if aiohttp is not None:
            bridge = stack.enter_context(aio.bridge(model))
            stack.enter_context(_patched("aiohttp", lambda m: aio.patches(m, model, bridge)))
        yield


@contextmanager
def _patched(name: str, patches: Callable[[Any], list[Patch]]) -> Iterator[None]:
    """Replace attributes of a module's classes, each by what is made of the old one."""
    if importlib.util.find_spec(name) is None:
        yield
        return
    with ExitStack() as stack:
        for owner, attribute, make in patches(importlib.import_module(name)):
            old = getattr(owner, attribute)
            setattr(owner, attribute, make(old))
            stack.callback(setattr, owner, attribute, old)
        yield
