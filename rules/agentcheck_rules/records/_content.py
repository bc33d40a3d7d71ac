"""Which values are what was said to a model, or what it said."""

from __future__ import annotations

from functools import lru_cache

from agentcheck.rule import AgentGraph, E, Fn, ModelCall, RunCall, argument, lazy_re, read_key, slot

_RESULTS = frozenset("final_output output content messages data text raw result response".split())
# Names for the text of a conversation, taken at their word in functions that ask a model.
_NAMES = lazy_re(
    r"^_?((\w+_)?prompts?|messages|(chat_|message_)?history|conversation|"
    r"user_(input|message|query|text)|(assistant|llm|model|ai|agent)_(reply|response|output|"
    r"answer|message|text)|completion)$"
)
_NO_TEXT = lazy_re(r"(_id|_count|_tokens|_path|_file|_name|_version|template)s?$")
_MODELS = lazy_re(r"\bllm\b|chat_completion|completions?\.create|openai|anthropic|litellm")


class Content:
    """Answers whether a value is content: by where it comes from, else by its name."""

    def __init__(self, graph: AgentGraph) -> None:
        self._graph = graph
        asked = [c for c in graph.model_calls if c.data.kind not in ("embedding", "poll")]
        self._asked: dict[int, ModelCall] = {id(c.site.expr): c for c in asked}
        self._runs: dict[int, RunCall] = {id(r.site.expr): r for r in graph.runs}
        self._sent: dict[Fn, set[str]] = {}
        for call in asked:
            for keyword in (call.data.messages_keyword, call.data.system_keyword):
                given = argument(call.call, keyword) if keyword else None
                name = slot(given) if given is not None else None
                if name is not None:
                    self._sent.setdefault(call.site.fn, set()).add(name)

    def is_traced(self, expr: E.Expr, fn: Fn) -> bool:
        """Whether it is what a call sends to a model here, or comes out of a reply."""
        if slot(expr) in self._sent.get(fn, ()):
            return True
        return any(
            o.kind == "call" and self._holds_text(id(o.expr), o.names)
            for o in self._graph.tracer.of(expr, fn, up=1)
        )

    def _holds_text(self, key: int, names: tuple[str, ...]) -> bool:
        plain = tuple(n for n in names if n != "json()")
        call = self._asked.get(key)
        if call is not None:
            held = {path.replace("[]", "") for path in call.data.content}
            parsed = "json()" in names
            return not plain or ".".join(plain) in held or (not parsed and plain[-1] == "content")
        return key in self._runs and (not plain or plain[-1] in _RESULTS)

    def is_named(self, expr: E.Expr, fn: Fn) -> bool:
        """Whether its name says so, in a function or a file that has to do with a model."""
        word = expr.id if isinstance(expr, E.Name) else read_key(expr) or ""
        if not _NAMES.match(word) or _NO_TEXT.search(word):
            return False
        return self._graph.drives.reaches(fn) or _mentions_model(fn.file.lines)


@lru_cache(maxsize=64)
def _mentions_model(lines: tuple[str, ...]) -> bool:
    return any(_MODELS.search(line.lower()) for line in lines)
