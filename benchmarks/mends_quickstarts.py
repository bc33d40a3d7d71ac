"""How faults of the loop in anthropics/anthropic-quickstarts, `agents`, can be mended."""

from __future__ import annotations

from edits import Edit

AGENT, TOOLS = "agent.py", "utils/tool_util.py"
LAST_PARAMETER = "message_params: dict[str, Any] | None = None,"
FIRST_FIELD = "self.verbose = verbose"
ASKED = "response = self.client.messages.create(**params)"

MENDS: dict[str, list[Edit]] = {
    "turns": [
        Edit(AGENT, LAST_PARAMETER, "after", "max_turns: int = 25,"),
        Edit(AGENT, FIRST_FIELD, "after", "self.max_turns = max_turns"),
        Edit(AGENT, "while True:", "before", "turns = 0"),
        Edit(
            AGENT,
            "while True:",
            "inside",
            "turns += 1\n"
            "if turns > self.max_turns:\n"
            '    raise RuntimeError(f"the limit of {self.max_turns} turns is reached")',
        ),
    ],
    "budget": [
        Edit(AGENT, LAST_PARAMETER, "after", "token_budget: int | None = None,"),
        Edit(AGENT, FIRST_FIELD, "after", "self.token_budget = token_budget\nself.spent = 0"),
        Edit(
            AGENT,
            ASKED,
            "after",
            """
            self.spent += response.usage.input_tokens + response.usage.output_tokens
            if self.token_budget is not None and self.spent > self.token_budget:
                raise RuntimeError(f"the budget of {self.token_budget} tokens is spent")
            """,
        ),
    ],
    "approval": [
        Edit(AGENT, LAST_PARAMETER, "after", "approve: Any = None,"),
        Edit(AGENT, FIRST_FIELD, "after", "self.approve = approve"),
        Edit(AGENT, "tool_dict,", "after", "approve=self.approve,"),
        Edit(
            TOOLS,
            "call: Any, tool_dict: dict[str, Any]",
            "swap",
            "dict[str, Any], approve: Any = None",
            old="dict[str, Any]",
        ),
        Edit(
            TOOLS,
            "tool_calls: list[Any], tool_dict: dict[str, Any], parallel: bool = True",
            "swap",
            "parallel: bool = True, approve: Any = None",
            old="parallel: bool = True",
        ),
        Edit(
            TOOLS,
            "*[_execute_single_tool(call, tool_dict) for call in tool_calls]",
            "swap",
            "(call, tool_dict, approve)",
            old="(call, tool_dict)",
        ),
        Edit(
            TOOLS,
            "# Execute the tool directly",
            "before",
            "if approve is not None and not approve(call.name, call.input):\n"
            '    raise PermissionError(f"{call.name} was denied")',
        ),
    ],
}
FAULTS = {
    "turns": "the loop has no limit",
    "budget": "nothing bounds what a run may spend",
    "approval": "files are written with nobody asked",
}
TOPICS = {
    "turns": "unbounded-loop",
    "budget": "no-budget",
    "approval": "unguarded-side-effect",
}
NEEDS = ("anthropic<1", "mcp", "pytest")
REPOSITORY = "anthropics/anthropic-quickstarts"
FOLDER = "agents"


def shows(fault: str, topic: str, file: str, text: str) -> bool:  # noqa: ARG001 - as all of these
    """Whether a test of that topic, at that line of that file, is about the fault."""
    return topic == TOPICS[fault]
