"""How each fault of openai/swarm can be mended: one group of edits a fault.

The groups stand alone: any of them can be left out, which puts its fault back.
"""

from __future__ import annotations

from edits import Edit

CORE, TYPES, UTIL, REPL = "swarm/core.py", "swarm/types.py", "swarm/util.py", "swarm/repl/repl.py"
OPEN_LIMIT = 'max_turns: int = float("inf"),'
STREAM_LOOP = "while len(history) - init_len < max_turns:"
PLAIN_LOOP = "while len(history) - init_len < max_turns and active_agent:"
RESULT = "messages=history[init_len:],"  # first in the stream's result, then in the plain one
CALL = "raw_result = function_map[name](**args)"
PARSE = "args = json.loads(tool_call.function.arguments)"
CREATE = "return self.client.chat.completions.create(**create_params)"
TOLD = "context_variables: dict = {}"  # in Response first, then in Result
PLAIN_MESSAGE = "message = completion.choices[0].message"
INIT = "def __init__(self, client=None):"
CHUNK = "for chunk in completion:"


def _answer(words: str) -> str:
    return (
        "partial_response.messages.append(\n"
        '    {"role": "tool", "tool_call_id": tool_call.id, "tool_name": name,\n'
        f'     "content": {words}}}\n'
        ")\n"
    )


def _both(line: str, do: str, text: str, old: str = "") -> list[Edit]:
    """The same edit of a line that the streaming and the plain method both have."""
    return [Edit(CORE, line, do, text, nth, old) for nth in (1, 2)]  # type: ignore[arg-type]


TURNS = [
    *_both(OPEN_LIMIT, "swap", "25", 'float("inf")'),
    Edit(CORE, STREAM_LOOP, "before", "turns = 0"),
    Edit(CORE, STREAM_LOOP, "swap", "turns", old="len(history) - init_len"),
    Edit(CORE, STREAM_LOOP, "inside", "turns += 1"),
    Edit(CORE, PLAIN_LOOP, "before", "turns = 0"),
    Edit(CORE, PLAIN_LOOP, "swap", "turns", old="len(history) - init_len"),
    Edit(CORE, PLAIN_LOOP, "inside", "turns += 1"),
]
SPENT = """
    if token_budget is not None and usage["total_tokens"] > token_budget:
        over_budget = True
        break
"""
BUDGET = [
    Edit(TYPES, TOLD, "after", "usage: dict = {}\nover_budget: bool = False"),
    *_both(OPEN_LIMIT, "after", "token_budget: int = None,"),
    Edit(CORE, "max_turns=max_turns,", "after", "token_budget=token_budget,"),
    Edit(
        CORE,
        '"stream": stream,',
        "after",
        '"stream_options": {"include_usage": True} if stream else None,',
    ),
    *_both("init_len = len(messages)", "after", "usage = defaultdict(int)\nover_budget = False"),
    Edit(CORE, STREAM_LOOP, "inside", SPENT),
    Edit(CORE, PLAIN_LOOP, "inside", SPENT),
    Edit(
        CORE,
        CHUNK,
        "inside",
        "count_usage(usage, chunk.usage)\nif not chunk.choices:\n    continue",
    ),
    Edit(CORE, PLAIN_MESSAGE, "before", "count_usage(usage, completion.usage)"),
    *_both(RESULT, "after", "usage=dict(usage),\nover_budget=over_budget,"),
    Edit(
        CORE,
        '__CTX_VARS_NAME__ = "context_variables"',
        "after",
        """


        def count_usage(total, usage):
            for name in ("prompt_tokens", "completion_tokens", "total_tokens") if usage else ():
                total[name] += getattr(usage, name)
        """,
    ),
]
FINISH = [
    Edit(TYPES, TOLD, "after", "finish_reason: Optional[str] = None"),
    *_both("init_len = len(messages)", "after", "finish_reason = None"),
    Edit(
        CORE,
        "delta = json.loads(chunk.choices[0].delta.json())",
        "before",
        "finish_reason = chunk.choices[0].finish_reason or finish_reason",
    ),
    Edit(CORE, PLAIN_MESSAGE, "after", "finish_reason = completion.choices[0].finish_reason"),
    *_both(RESULT, "after", "finish_reason=finish_reason,"),
]
TOOL_ERRORS = [
    Edit(
        CORE,
        PARSE,
        "wrap",
        "try:",
        tail="except ValueError as error:\n"
        + "".join(
            f"    {line}\n"
            for line in _answer('f"Error: the arguments are no JSON: {error}"').splitlines()
        )
        + "    continue",
    ),
    Edit(
        CORE,
        CALL,
        "wrap",
        "try:",
        tail='except Exception as error:\n    raw_result = f"Error: {name} failed: {error}"',
    ),
]
APPROVAL = [
    Edit(CORE, INIT, "swap", ", approve=None):", old="):"),
    Edit(CORE, "self.client = client", "after", "self.approve = approve"),
    Edit(
        CORE,
        "func = function_map[name]",
        "before",
        "if self.approve is not None and not self.approve(name, args):\n"
        + "".join(
            f"    {line}\n" for line in _answer('f"Denied: nobody approved {name}."').splitlines()
        )
        + "    continue",
    ),
]
TOOL_ERRORS.append(
    Edit(
        CORE,
        "except Exception as e:",
        "inside",
        'return Result(value=f"Error: the result cannot be told: {e}")',
    )
)
HANDOFFS = [
    Edit(
        CORE,
        "result: Result = self.handle_function_result(raw_result, debug)",
        "after",
        "if result.agent and partial_response.agent:\n"
        '    result = Result(value=f"Not taken: handing over to {partial_response.agent.name}.")',
    ),
]
SENDER = [Edit(CORE, '"sender": agent.name,', "swap", "active_agent", old="agent")]
PROVIDER = [
    Edit(
        CORE,
        "class Swarm:",
        "before",
        """
        class RunFailed(Exception):
            def __init__(self, error, messages):
                super().__init__(f"the model could not be asked: {error}")
                self.messages = messages


        """,
    ),
    Edit(
        CORE,
        CREATE,
        "wrap",
        "try:",
        tail="except OpenAIError as error:\n    raise RunFailed(error, history) from error",
    ),
    Edit(CORE, "from openai import OpenAI", "swap", "OpenAI, OpenAIError", old="OpenAI"),
    Edit(REPL, "from swarm import Swarm", "after", "from swarm.core import RunFailed"),
    Edit(
        REPL,
        "response = client.run(",
        "wrap",
        "try:",
        until="agent = response.agent",
        tail="except RunFailed as failed:\n    print(failed)\n    messages = failed.messages",
    ),
]
SCHEMA = [
    Edit(
        UTIL,
        'parameters[param.name] = {"type": param_type}',
        "before",
        'if param.annotation is inspect.Parameter.empty and param.name != "context_variables":\n'
        '    warnings.warn(f"{func.__name__}: its parameter {param.name} has no type")',
    ),
    Edit(UTIL, "import inspect", "after", "import warnings"),
    Edit(
        CORE,
        "tools = [function_to_json(f) for f in agent.functions]",
        "before",
        "names = [f.__name__ for f in agent.functions]\n"
        "if len(set(names)) < len(names):\n"
        '    raise ValueError(f"two tools have the same name: {sorted(names)}")',
    ),
]
TIMEOUT = [
    Edit(CORE, INIT, "swap", ", tool_timeout=60):", old="):"),
    Edit(CORE, "self.client = client", "after", "self.tool_timeout = tool_timeout"),
    Edit(
        CORE,
        CALL,
        "swap",
        "within(self.tool_timeout, function_map[name], args)",
        old="function_map[name](**args)",
    ),
    Edit(
        CORE,
        "class Swarm:",
        "before",
        """
        def within(seconds, function, args):
            answers = queue.Queue()

            def work():
                try:
                    answers.put((function(**args), None))
                except BaseException as error:
                    answers.put((None, error))

            threading.Thread(target=work, daemon=True).start()
            try:
                value, error = answers.get(timeout=seconds)
            except queue.Empty:
                return f"Error: {function.__name__} took more than {seconds} s."
            if error is not None:
                raise error
            return value


        """,
    ),
    Edit(CORE, "import copy", "after", "import queue\nimport threading"),
]
OVERRIDE = [
    Edit(
        CORE,
        '"model": model_override or agent.model,',
        "swap",
        "agent.model if model_override is None else model_override",
        old="model_override or agent.model",
    ),
]

# The faults by the names under which a review of swarm listed them.
MENDS: dict[str, list[Edit]] = {
    "F1": TURNS,
    "F2": BUDGET,
    "F3": FINISH,
    "F4": TOOL_ERRORS,
    "F5": APPROVAL,
    "F8": HANDOFFS,
    "F11": SENDER,
    "F15": PROVIDER,
    "F18": [*SCHEMA, *TIMEOUT],
    "F19": OVERRIDE,
}
FAULTS = {
    "F1": "runs without end, by default and in the interactive loop",
    "F2": "no budget, and token counts that are dropped",
    "F3": "a reply that was cut off looks like a finished one",
    "F4": "broken arguments, or a tool that raises, end the run",
    "F5": "nobody can say no to a tool",
    "F8": "of two handoffs in one reply the last wins in silence",
    "F11": "the streamed history names the wrong agent",
    "F15": "a failure of the provider loses the conversation",
    "F18": "tools lose their types, their namesakes and hang for ever",
    "F19": "an empty model override is ignored",
}
TOPICS = {
    "F1": ("unbounded-loop",),
    "F2": ("no-budget", "usage-unread"),
    "F3": ("finish-reason-unchecked",),
    "F4": ("tool-args-unguarded", "tool-error-ends-run"),
    "F5": ("unguarded-side-effect",),
    "F8": ("handoff-race",),
    "F11": ("streaming-drift",),
    "F15": ("provider-error-unhandled",),
    "F18": ("lossy-tool-schema", "no-timeout"),
    "F19": ("falsy-override-ignored",),
}
NEEDS = ("openai>=1.33", "numpy", "requests", "tqdm", "pytest")
REPOSITORY = "openai/swarm"
FOLDER = "."


def shows(fault: str, topic: str, file: str, text: str) -> bool:  # noqa: ARG001 - as all of these
    """Whether a test of that topic, at that line of that file, is about the fault."""
    return topic in TOPICS[fault] and file.startswith("swarm/")  # not the examples
