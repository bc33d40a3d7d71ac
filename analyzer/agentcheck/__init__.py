"""agentcheck: a static and trace-audit analyzer for agent codebases."""

__version__ = "0.1.0"
