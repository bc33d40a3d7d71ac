"""The configuration that `agentcheck init` writes: every key, at its default or as a comment."""

STARTING_TEXT = """\
# Settings of agentcheck. The same keys may stand in pyproject.toml under [tool.agentcheck].

# Rules: codes ("AC101"), prefixes ("AC1"), names ("unbounded-loop"), families ("limits"), "ALL".
select = ["ALL"]
extend-select = []
ignore = []

# Paths to leave out, as in .gitignore.
exclude = []

# What you want to know about; those findings come first. Rules, topics, families or free words.
focus = []

# What to show: severity high, medium, low, info; confidence high, medium, low;
# persona regular, pedantic, auditor.
min-severity = "info"
min-confidence = "low"
persona = "regular"

# The lowest severity that makes the exit code 1.
fail-on = "info"

# Findings known here are counted, not shown. Written by `agentcheck baseline`.
# baseline = "agentcheck-baseline.json"

# Where facts of files and reports are kept for the next run; by default the user's cache folder.
# cache-dir = ".agentcheck_cache"

# Rules that are not reported in some files.
[per-file-ignores]
# "examples/**" = ["no-timeout"]

# The severity of a rule's findings, in place of what the rule says: high, medium, low, info.
[severity]
# no-timeout = "low"

# Options of rules; `agentcheck config rules.NAME` lists those of one.
[rules]
# no-timeout.most-seconds = 120
# hardcoded-model.allowed = ["gpt-4o-mini"]
# unguarded-side-effect.harmless-tools = ["save_draft"]

# SDKs and wrappers of your own, in the form of the data that ships; see docs/configuration.md.
[frameworks]
# acme.model_call = [{ functions = ["acme.llm.ask"], content = ["text"] }]

# What kind of agent code this is, where the inferred answer is wrong.
[profile]
# side-effects = "real"         # real, reversible, none
# interaction = "unattended"    # interactive, unattended, both, unknown
# form = "app"                  # library, app, example, mixed
# tenancy = "many"              # single, many
# horizon = "lasting"           # run, session, lasting, unknown

# What the checks of recorded runs are told.
[trace]
# side-effecting-tools = ["send_mail", "issue_refund"]
max-turns = 25
min-repeats = 3
# Budgets of one run each. Prices come from the package genai-prices, offline.
# max-tokens = 200_000
# max-cost-usd = 0.50
# max-seconds = 300
# max-tool-calls = 50
# The tokens that the model takes, where its name does not tell.
# context-window = 128_000

# Logs of your own form: JSON pointers to what stands in a record; see docs/traces.md.
[trace.formats]
# deskbot = { steps = "/trace", text = "/thought", tool = "/tool", arguments = "/input" }
# What `agentcheck what-if` computes with.
[what-if]
# model = "gpt-4o"              # of calls that name none
search = "words"                # words, embeddings

[what-if.routing]
small-below = 200
large-above = 1000
reasoning-words = 5
short-words = 50
classify = "middle"             # all, middle, none
classify-input = 200
classify-output = 40

# The models of the tiers; without them routing is not priced.
[what-if.routing.models]
# small = "gpt-4o-mini"
# medium = "gpt-4o"
# large = "o3"

[what-if.compaction]
keep-last = 10
summary-tokens = 200
# summary-model = "gpt-4o-mini"
cached-from = 1024

[what-if.cache]
thresholds = [0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.95, 0.98, 1.0]
same-answer = 0.8
wrong-at-most = 0.05
# scope-keys = ["user_id", "tenant_id"]
"""
