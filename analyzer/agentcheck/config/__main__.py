"""`python -m agentcheck.config` prints the JSON schema of the configuration."""

import sys

from agentcheck.config.reference import schema_text
from agentcheck.rule import load_rules

if __name__ == "__main__":
    sys.stdout.write(schema_text(load_rules()))
