"""What a framework's data file may say. One file describes one SDK over all its versions.

Dotted names are those under which user code may import a thing: "agents.Agent" also covers
`from agents import Agent` and `import agents`. A method is the class's name and the method's:
"agents.Runner.run". Every entry may carry `versions`, a PEP 440 specifier of the releases it
holds for (empty: all), and `source`, the release and module in which the fact was read.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Names = tuple[str, ...]
LimitUnit = Literal[
    "model-calls",
    "messages",
    "supersteps",
    "turns",
    "steps",
    "tool-calls",
    "tokens",
    "usd",
    "seconds",
]
HandoffPolicy = Literal["last-wins", "first-wins", "refused", "all", "n/a"]
CallKind = Literal["chat", "responses", "messages", "completion", "poll", "embedding"]
CallForm = Literal["reply", "raw", "stream", "manager", "poll"]


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every entry carries."""

    versions: str = ""
    source: str = ""


class AgentKind(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A class or function that makes an agent.

    `keywords` are all that its constructor accepts, `positional` those that may also come by
    position, in order (the first is position 0). `unknown` says what an unaccepted keyword
    does: "error" raises TypeError, "dropped" vanishes without a word, "accepted" is kept.
    An empty `keywords` means that they were not recorded, whatever `unknown` says.
    `parallel_keyword` may be a dotted path into an argument: "model_settings.parallel_tool_calls"
    is `model_settings=ModelSettings(parallel_tool_calls=...)`. `is_group` marks teams, crews and
    workflows, which hold agents instead of calling a model themselves; `members_keywords` name
    the arguments that hold them. `makes` is the class of what a function returns, if the run
    entries are written for that: the loader adds the function's name to theirs, so that
    "create_react_agent.invoke" is `create_react_agent(...).invoke`. `tool_errors` overrides the
    tools' own `error_policy`, where the agent decides. `runs_code` marks agents that execute the
    code which the model writes, without a tool of that kind.
    """

    names: Names
    keywords: Names = ()
    unknown: Literal["error", "dropped", "accepted"] = "error"
    positional: Names = ()
    name_keyword: str | None = None
    instructions_keywords: Names = ()
    tools_keywords: Names = ()
    handoffs_keywords: Names = ()
    model_keyword: str | None = None
    parallel_keyword: str | None = None
    parallel_default: Literal["true", "false", "unset"] = "unset"
    is_group: bool = False
    members_keywords: Names = ()
    limit: Limit | None = None
    makes: str | None = None
    tool_errors: Literal["returned", "raises"] | None = None
    runs_code: bool = False


class Slot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a call takes something: an argument, or with `receiver` the object before the dot."""

    position: int | None = None
    keyword: str | None = None
    receiver: bool = False


class ToolKind(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to make a tool.

    `decorators` turn the function below them into a tool, except for methods of classes derived
    from one in `not_in`, which something else calls; `constructors` are functions or classes
    whose result is one, from the function in `function` if that is set, else hosted or built in;
    `bases` are classes whose subclasses are tools, with the tool's body in the method `body`.
    `effect` is what the tool can do by itself: change the world, only read, or not known (then
    its function tells). `asks` marks tools that ask a person by themselves before they act.
    `registers` marks `constructors` whose call hands the function over by itself, as a method of
    a server does, so that their result need not stand among an agent's tools. `error_policy` says
    where an exception of the tool goes: "returned" to the model as a message, or "raises" out of
    the run.
    """

    decorators: Names = ()
    not_in: Names = ()
    constructors: Names = ()
    bases: Names = ()
    body: str | None = None
    function: Slot | None = None
    name_keyword: str | None = None
    description_keyword: str | None = None
    approval_keyword: str | None = None
    effect: Literal["effect", "read", "unknown"] = "unknown"
    asks: bool = False
    registers: bool = False
    error_policy: Literal["returned", "raises"] | None = None


class Limit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bound on a run.

    `keyword` is an argument or a dotted path into one: "config.recursion_limit" is the key of a
    dict or the field of an object passed as `config`. `where` says whose argument: the run call,
    the constructor of its receiver, or that of each agent in it. `default` is the number in
    force when nothing is passed, "inf" or "none" where that means no bound. `infinite` lists the
    values that switch the bound off, as source text; "inf" stands for every way to spell
    infinity, `float("inf")` and `math.inf` among them. Where the argument is no number but a
    condition, any other value is a bound.
    """

    keyword: str
    unit: LimitUnit
    default: str
    position: int | None = None
    infinite: Names = ()
    where: Literal["call", "receiver", "agent"] = "call"


class HandoffKind(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one agent hands over to another.

    `constructors` are functions or classes whose result goes among an agent's handoffs or tools
    and whose target stands at `agent`. Where handing over is a tool's answer, `returned` are the
    classes whose instances do it when a tool returns one, `agent` the argument of that class that
    holds the target (unset: the instance is the target).
    """

    constructors: Names = ()
    returned: Names = ()
    agent: Slot | None = None


class RunEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function or method that runs an agent's loop.

    Where the receiver is unknown one of `suffixes` identifies it in a file that imports the SDK.
    A name that ends in `__call__` stands for calling the object itself. `also` holds further
    limits; any one that is finite bounds the run. `handoff_policy` is what happens to several
    handoffs in one reply. `errors` are raised when a limit is reached; empty where the run then
    ends without one. `streaming` entries return the events as they come.
    `interactive` entries ask a person for each turn themselves.
    """

    names: Names
    suffixes: Names = ()
    agent: Slot | None = None
    limit: Limit | None = None
    also: tuple[Limit, ...] = ()
    handoff_policy: HandoffPolicy = "n/a"
    errors: Names = ()
    streaming: bool = False
    stream_keyword: str | None = None
    interactive: bool = False


class ClientKind(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A class or function whose result talks to a provider.

    `timeout_default` is in seconds, `retries_default` a count of further attempts; "none" where
    nothing bounds it, None where that was not recorded.
    """

    names: Names
    timeout_keyword: str | None = None
    timeout_default: str | None = None
    retries_keyword: str | None = None
    retries_default: str | None = None


class ModelCall(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that asks a model.

    It is one of `methods` on what a class or function in `client` gives, or one of the plain
    `functions`. `derived` are methods of a client that give another such client: the loader adds
    "openai.OpenAI.with_options" to the clients for it.
    Where the receiver is unknown one of `suffixes` identifies it, with `needs_import` only in a
    file that imports the SDK, with `telling_keywords` only if one of these (or a `**`) is passed;
    `excludes` are longer suffixes that are something else. `form` says what comes back: the
    reply, a "raw" response whose `unwrap` gives the reply, an iterator of events ("stream"), a
    context manager over one ("manager"), or a job to poll.

    Paths start at the reply: "choices[].message.content". `tool_name`, `tool_arguments` and
    `tool_id` start at one tool call; `arguments_form` is "json" for a string to parse, "object"
    for one that is parsed. `truncated` and `blocked` are the values at `finish` that mean the
    reply was cut at a token limit, or held back by a filter or a refusal; `refusal` are the paths
    to a refusal's text. `inside` entries hold also for what the target itself defines.
    """

    client: Names = ()
    derived: Names = ()
    methods: Names = ()
    functions: Names = ()
    suffixes: Names = ()
    needs_import: bool = False
    telling_keywords: Names = ()
    excludes: Names = ()
    kind: CallKind = "chat"
    form: CallForm = "reply"
    unwrap: str | None = None
    finish: Names = ()
    truncated: Names = ()
    blocked: Names = ()
    refusal: Names = ()
    usage: Names = ()
    content: Names = ()
    tool_calls: Names = ()
    tool_name: str | None = None
    tool_arguments: str | None = None
    tool_id: str | None = None
    arguments_form: Literal["json", "object"] = "json"
    messages_keyword: str | None = None
    system_keyword: str | None = None
    tools_keyword: str | None = None
    model_keyword: str | None = None
    stream_keyword: str | None = None
    limit_keywords: Names = ()
    timeout_keyword: str | None = None
    usage_stream_option: str | None = None
    parallel_keyword: str | None = None
    inside: bool = False


class Approval(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a person or policy is asked before a tool acts.

    `names` are functions, methods and classes that ask or answer, `keywords` the arguments of
    tools, agents or runs that demand it, `mechanisms` the attributes of results and states
    through which it goes on: "interruptions", "state.approve".
    """

    names: Names = ()
    keywords: Names = ()
    mechanisms: Names = ()


class GraphKind(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A class or function that makes a graph of nodes over a shared state.

    `answers` are the ready-made routers with the names of the nodes that each leads to.
    """

    names: Names
    answers: dict[str, Names] = {}


class Removed(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A keyword that `owner` (a dotted name) stopped accepting in release `since`."""

    owner: str
    keyword: str
    since: str
    instead: str = ""


class Moved(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A module or dotted name that is gone since a release; `instead` is where it went, if so."""

    module: str
    since: str
    instead: str = ""


class Framework(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One SDK. `modules` are its import roots, `latest` the newest release checked against.

    `submodules` are all its importable modules, given only for packages small enough to list.
    `own_tools` are the names of tools that it offers to a model of its own accord.
    """

    name: str
    title: str
    distributions: Names
    modules: Names
    latest: str
    submodules: Names = ()
    own_tools: Names = ()
    agent: tuple[AgentKind, ...] = ()
    tool: tuple[ToolKind, ...] = ()
    handoff: tuple[HandoffKind, ...] = ()
    run: tuple[RunEntry, ...] = ()
    client: tuple[ClientKind, ...] = ()
    model_call: tuple[ModelCall, ...] = ()
    approval: tuple[Approval, ...] = ()
    graph: tuple[GraphKind, ...] = ()
    removed: tuple[Removed, ...] = ()
    moved: tuple[Moved, ...] = ()
