"""Write the generated pages of this folder, or with --check say which are stale (exit 1)."""

from __future__ import annotations

import sys
from pathlib import Path

from agentcheck.config.page import config_page
from agentcheck.config.reference import schema_text
from agentcheck.report.rule_page import rule_index, rule_page
from agentcheck.rule import load_rules
from agentcheck.rule.examples import examples_of

HERE = Path(__file__).parent


def pages() -> dict[str, str]:
    """The text of every generated page by its path below this folder."""
    rules = load_rules()
    made = {f"rules/{rule.name}.md": rule_page(rule, examples_of(rule)) for rule in rules}
    made |= {"configuration.md": config_page(rules), "agentcheck.schema.json": schema_text(rules)}
    return made | {"rules.md": rule_index(rules)}


def stale(made: dict[str, str]) -> list[str]:
    """Paths whose file differs from what would be written, is missing, or should not be there."""
    kept = {path: (HERE / path) for path in made}
    wrong = [p for p, at in kept.items() if not at.exists() or at.read_text("utf-8") != made[p]]
    extra = {f"rules/{at.name}" for at in (HERE / "rules").glob("*.md")} - made.keys()
    return sorted({*wrong, *extra})


def main() -> int:
    """Write what is stale; with --check only name it."""
    made = pages()
    wrong = stale(made)
    for path in wrong:
        if "--check" in sys.argv[1:]:
            sys.stderr.write(f"docs/{path} is stale: run `python docs/build.py`\n")
        elif path in made:
            (HERE / path).parent.mkdir(parents=True, exist_ok=True)
            (HERE / path).write_text(made[path], "utf-8")
        else:
            (HERE / path).unlink()
    return int(bool(wrong) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
