"""The configuration that `agentcheck init` writes: every key, at its default or as a comment."""

STARTING_TEXT = """\
# Settings of agentcheck. The same keys may stand in pyproject.toml under [tool.agentcheck].

# Rules: codes ("AC101"), prefixes ("AC1"), names ("unbounded-loop"), families ("limits"), "ALL".
select = ["ALL"]
extend-select = []
ignore = []

# Paths to leave out, as in .gitignore.
exclude = []

# What to show: severity high, medium, low, info; confidence high, medium, low;
# persona regular, pedantic, auditor.
min-severity = "info"
min-confidence = "low"
persona = "regular"

# The lowest severity that makes the exit code 1.
fail-on = "info"

# Findings known here are counted, not shown. Written by `agentcheck baseline`.
# baseline = "agentcheck-baseline.json"

# Rules that are not reported in some files.
[per-file-ignores]
# "examples/**" = ["no-timeout"]

# What kind of agent code this is, where the inferred answer is wrong.
[profile]
# side-effects = "real"         # real, reversible, none
# interaction = "unattended"    # interactive, unattended, both, unknown
# form = "app"                  # library, app, example, mixed
# tenancy = "many"              # single, many

# What the checks of recorded runs are told.
[trace]
# side-effecting-tools = ["send_mail", "issue_refund"]
max-turns = 25
min-repeats = 3
"""
