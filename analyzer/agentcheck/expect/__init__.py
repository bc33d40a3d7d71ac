"""Golden cases: what recorded runs are expected to show, and whether they do."""

from agentcheck.expect.judge import Judge
from agentcheck.expect.load import load_cases

__all__ = ["Judge", "load_cases"]
