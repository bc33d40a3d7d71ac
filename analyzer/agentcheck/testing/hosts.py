"""Which hosts are this machine, and which requests to it are none of the scripted model's."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel

# An object, the name of its attribute, and what makes the new value of the old.
Patch = tuple[Any, str, Callable[[Any], Any]]


def stays(model: ScriptedModel, url: str) -> bool:
    """Whether a request goes where it went before: to this machine, under no path of a model."""
    return is_here(urlsplit(url).hostname or "") and not model.answers(url)


def is_here(host: str) -> bool:
    """Whether a host is this machine by its loopback."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
