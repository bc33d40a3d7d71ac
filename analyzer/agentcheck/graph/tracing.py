"""Whether somebody else sees every reply: clients of tracing packages, process-wide hooks.

Such a tracer records what each model call cost without a line of the target that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Site
from agentcheck.graph.text import dotted
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.models import ModelCall

# Packages that record model calls. Their clients answer with the objects of the SDK inside.
WATCHERS = frozenset(
    "agentops arize athina braintrust ddtrace deepeval galileo helicone honeyhive judgeval "
    "keywordsai langfuse langsmith langtrace_python_sdk langwatch laminar literalai lmnr logfire "
    "lunary mlflow openinference openlit opik parea patronus phoenix portkey_ai posthog "
    "promptlayer scorecard sentry_sdk traceloop wandb weave".split()
)
# What switches such recording on for a whole process.
SWITCHES = frozenset(
    "init initialize setup instrument autolog auto_instrument configure register monitor "
    "patch_all instrument_openai instrument_anthropic instrument_litellm instrument_google_genai "
    "get_openai_callback get_usage_metadata_callback".split()
)
HOOKS = ("success_callback", "callbacks", "failure_callback", "_async_success_callback")
COUNTERS = ("get_openai_callback", "get_usage_metadata_callback")


class Tracing:
    """Answers which model calls of the target a tracer sees."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._switched: set[str] | None = None

    def sees(self, call: ModelCall) -> bool:
        """Whether the client is a tracer's, or its process has one switched on."""
        site = call.site
        if any(name.partition(".")[0] in WATCHERS for name in self._calls.external(site)):
            return True
        if any(a.name == "callbacks" for a in call.call.args):
            return True
        return site.fn.file.path in self._processes()

    def _processes(self) -> set[str]:
        """The files that run in one process with a place that switches a tracer on."""
        if self._switched is None:
            places = {site.fn.file.path for site in self._switches()}
            together = self._calls.program.modules.together
            self._switched = {f for path in places for f in together(path)} | places
        return self._switched

    def _switches(self) -> Iterator[Site]:
        program = self._calls.program
        for last in SWITCHES:
            for site in program.call_index.get(last, []):
                if self._is_switch(site, last):
                    yield site
        for fn in program.every_function():
            for at in program.statements(fn):
                if isinstance(at.stmt, S.Assign) and any(_is_hook(t) for t in at.stmt.targets):
                    yield Site(at.stmt.targets[0], at)

    def _is_switch(self, site: Site, last: str) -> bool:
        names = self._calls.external(site)
        if last in COUNTERS:
            return bool(names)
        return any(_watches(name) for name in names)


def _watches(name: str) -> bool:
    """A tracer's own function, or the instrumentor of an OpenTelemetry package."""
    root, _, rest = name.partition(".")
    return root in WATCHERS or (root == "opentelemetry" and rest.startswith("instrumentation."))


def _is_hook(target: E.Expr) -> bool:
    name = dotted(target) or ""
    return name.startswith("litellm.") and name.removeprefix("litellm.") in HOOKS
