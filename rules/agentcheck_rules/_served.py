"""Functions that serve many people in one process: handlers of requests, of chats, of bots."""

from __future__ import annotations

from agentcheck.rule import AgentGraph, E, Fn, Function, Site, last_name

_SERVERS = frozenset(
    "fastapi flask quart sanic starlette aiohttp django rest_framework litestar falcon tornado "
    "bottle robyn chainlit discord nextcord disnake telegram aiogram telebot pyrogram slack_bolt "
    "slack_sdk botbuilder twilio gradio channels socketio flask_socketio pywebio nicegui".split()
)
_DECORATORS = frozenset(
    "get post put patch delete route websocket websocket_route api_route api_view message_handler "
    "on_message message event command action slash_command callback_query_handler on "
    "action_callback mention".split()
)
_TAKERS = frozenset(
    "MessageHandler CommandHandler CallbackQueryHandler ChatInterface Interface add_url_rule "
    "add_route add_api_route add_api_websocket_route add_handler add_post click submit "
    "register_message_handler".split()
)
_BASES = frozenset(
    "RequestHandler WebSocketHandler APIView View MethodView Resource HTTPEndpoint "
    "WebSocketEndpoint AsyncWebsocketConsumer WebsocketConsumer AsyncJsonWebsocketConsumer Client "
    "Bot AutoShardedBot Cog ActivityHandler".split()
)
_METHODS = frozenset(
    "get post put patch on_message on_receive receive receive_json on_message_activity open".split()
)
DEPTH = 3


def serves(fn: Fn) -> bool:
    """Whether a file imports a package whose programs serve several people at once."""
    return any(i.module.partition(".")[0] in _SERVERS for i in fn.file.imports if not i.level)


def handler_of(graph: AgentGraph, fn: Fn, depth: int = DEPTH) -> Fn | None:
    """The handler that a function is or is called from; None where no such handler is seen."""
    seen, frontier = {fn}, [fn]
    for _ in range(depth + 1):
        found = next((f for f in frontier if _is_handler(graph, f)), None)
        if found is not None:
            return found
        above = [site.fn for f in frontier for site in graph.calls.callers(f)[:12]]
        frontier = [f for f in dict.fromkeys(above) if f not in seen and f.index != 0]
        seen.update(frontier)
    return None


def _is_handler(graph: AgentGraph, fn: Fn) -> bool:
    if fn.index == 0 or not (serves(fn) or _mounted(graph, fn)):
        return False
    return any(map(_is_route, fn.facts.decorators)) or _is_method(graph, fn) or _mounted(graph, fn)


def _is_route(decorator: E.Expr) -> bool:
    func = decorator.func if isinstance(decorator, E.Call) else decorator
    routed = isinstance(func, E.Attr) and func.attr in _DECORATORS
    return routed or last_name(func) == "api_view"


def _is_method(graph: AgentGraph, fn: Fn) -> bool:
    klass = graph.program.owner(fn)
    if klass is None or fn.name not in _METHODS:
        return False
    return any(last_name(base.value) in _BASES for base in klass.facts.bases)


def _mounted(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function is given to something that calls it for each request."""
    return any(
        fn in _given(graph, site)
        for name in _TAKERS
        for site in graph.program.call_index.get(name, ())
        if serves(site.fn)
    )


def _given(graph: AgentGraph, site: Site) -> list[Fn]:
    named = [a.value for a in site.call.args if isinstance(a.value, (E.Name, E.Attr))]
    return [
        symbol.fn
        for value in named
        for symbol in graph.resolver.of(value, site.fn)
        if isinstance(symbol, Function)
    ]
