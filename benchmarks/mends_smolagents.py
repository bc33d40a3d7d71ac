"""How faults of an example of huggingface/smolagents can be mended: an agent with seven tools."""

from __future__ import annotations

from edits import Edit

FILE = "multiple_tools.py"
# The tools in the order in which they stand in the file; each asks the network once.
TOOLS = (
    "get_weather",
    "convert_currency",
    "get_news_headlines",
    "get_joke",
    "get_time_in_timezone",
    "get_random_fact",
    "search_wikipedia",
)
MENDS: dict[str, list[Edit]] = {
    tool: [
        Edit(FILE, "response = requests.get(url)", "swap", "get(url, timeout=10)", nth, "get(url)")
    ]
    for nth, tool in enumerate(TOOLS, 1)
}
FAULTS = {tool: f"{tool} waits for its service for ever" for tool in TOOLS}
NEEDS = ("smolagents", "requests", "pytest")
REPOSITORY = "huggingface/smolagents"
FOLDER = "examples"


def shows(fault: str, topic: str, file: str, text: str) -> bool:
    """Whether a test of that topic, at that line of that file, is about the fault."""
    return topic == "no-timeout" and file.startswith(FILE) and fault in text
