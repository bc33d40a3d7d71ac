"""What a rule is. Rule modules import this package alone.

A rule is a module that defines `CARD` and at least one witness: `check(graph)` over code,
`check_run(run, settings)` over one recorded run; both yield assessments. With a class `Options`
(a `RuleOptions`) it has options, which both take as their last argument. With `usual_run(outline,
settings)` it tells from a run's outline what `check_run` would answer to a usual run. Its file name
with hyphens is its name, its folder its family, its docstring its manual page.
"""

from agentcheck.graph.agents import AgentGraph, AgentLoop
from agentcheck.graph.bounds import Bound
from agentcheck.graph.containers import elements
from agentcheck.graph.dispatch import Dispatch, find_dispatches, reached
from agentcheck.graph.effect_words import acts as acts_by_name
from agentcheck.graph.effect_words import acts_anew as acts_anew_by_name
from agentcheck.graph.effect_words import is_amount
from agentcheck.graph.effects import Effect, effects_of
from agentcheck.graph.gate_tests import Gate, gates_in
from agentcheck.graph.gates import gates_of
from agentcheck.graph.guards import Protection, catches_all, protection
from agentcheck.graph.handles import Ctx, Fn, Klass, Located, Site
from agentcheck.graph.limits import Limit, default_of, params_of, worth_of
from agentcheck.graph.models import ModelCall, RunCall
from agentcheck.graph.parses import (
    argument_parses,
    argument_reads,
    parser_calls,
    tested_first,
)
from agentcheck.graph.people import function_asks
from agentcheck.graph.polls import Poll, find_polls
from agentcheck.graph.promptparts import Piece, Pieces
from agentcheck.graph.prompts import Prompt, system_prompts
from agentcheck.graph.repeats import Repeat, find_repeats
from agentcheck.graph.replies import Reply, find_replies
from agentcheck.graph.reply_paths import About
from agentcheck.graph.resolve import ClassRef, External, Function, Instance
from agentcheck.graph.results import refused_results
from agentcheck.graph.retries import first_reply_ends
from agentcheck.graph.roster import Agent
from agentcheck.graph.runs import InForce, limit_at, limits_in_force
from agentcheck.graph.slots import slot
from agentcheck.graph.stategraph import StateGraph
from agentcheck.graph.text import (
    argument,
    dotted,
    has_spread,
    last_name,
    read_key,
    spoken,
    string,
)
from agentcheck.graph.toolcalls import (
    answers_each,
    mentions_calls,
    near_calls,
    part,
    tool_call_loops,
)
from agentcheck.graph.toolset import Tool
from agentcheck.graph.walk import blocks, descend, own_exprs, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.assessment import (
    Assessment,
    Challenge,
    CodeEvidence,
    Evidence,
    Hit,
    TraceEvidence,
    Verdict,
)
from agentcheck.model.card import Card, Confidence, Persona, Severity
from agentcheck.model.event import (
    Approval,
    Compaction,
    Event,
    FieldGroup,
    Guardrail,
    Handoff,
    Message,
    Run,
    RunEnd,
    RunStart,
    Source,
    ToolCall,
    ToolResult,
)
from agentcheck.model.event import (
    ModelCall as ModelCallEvent,
)
from agentcheck.model.facts import Import
from agentcheck.model.fix import Edit, Fix
from agentcheck.model.kind import code_kind
from agentcheck.model.location import Place, Span
from agentcheck.model.pattern import lazy_re
from agentcheck.rule.fixing import (
    edit_before,
    edit_guard,
    edit_handler,
    edit_keyword,
    edit_rename,
    edit_replace,
    source_of,
)
from agentcheck.rule.loading import (
    CodeCheck,
    Rule,
    RuleError,
    RunCheck,
    UsualRun,
    load_rules,
    read_rule,
    rule_modules,
)
from agentcheck.rule.options import RuleOptions
from agentcheck.rule.shape import fine, primary, related
from agentcheck.trace.arguments import canonical
from agentcheck.trace.cite import (
    cite,
    cite_all,
    run_cannot_tell,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
    voiced,
)
from agentcheck.trace.done import denials, is_done, same_call
from agentcheck.trace.mask import find_secrets, mask
from agentcheck.trace.outline import Outline, Usual
from agentcheck.trace.outlined import outline_of
from agentcheck.trace.prices import cost_of, input_tokens, is_cached, model_name, window_of
from agentcheck.trace.screen import Screen, screen
from agentcheck.trace.secret_screen import secret_screen
from agentcheck.trace.settings import TraceSettings

__all__ = [
    "About",
    "Agent",
    "AgentGraph",
    "AgentLoop",
    "Approval",
    "Assessment",
    "Bound",
    "Card",
    "Challenge",
    "ClassRef",
    "CodeCheck",
    "CodeEvidence",
    "Compaction",
    "Confidence",
    "Ctx",
    "Dispatch",
    "E",
    "Edit",
    "Effect",
    "Event",
    "Evidence",
    "External",
    "FieldGroup",
    "Fix",
    "Fn",
    "Function",
    "Gate",
    "Guardrail",
    "Handoff",
    "Hit",
    "Import",
    "InForce",
    "Instance",
    "Klass",
    "Limit",
    "Located",
    "Message",
    "ModelCall",
    "ModelCallEvent",
    "Outline",
    "Persona",
    "Piece",
    "Pieces",
    "Place",
    "Poll",
    "Prompt",
    "Protection",
    "Repeat",
    "Reply",
    "Rule",
    "RuleError",
    "RuleOptions",
    "Run",
    "RunCall",
    "RunCheck",
    "RunEnd",
    "RunStart",
    "S",
    "Screen",
    "Severity",
    "Site",
    "Source",
    "Span",
    "StateGraph",
    "Tool",
    "ToolCall",
    "ToolResult",
    "TraceEvidence",
    "TraceSettings",
    "Usual",
    "UsualRun",
    "Verdict",
    "acts_anew_by_name",
    "acts_by_name",
    "answers_each",
    "argument",
    "argument_parses",
    "argument_reads",
    "blocks",
    "canonical",
    "catches_all",
    "cite",
    "cite_all",
    "code_kind",
    "cost_of",
    "default_of",
    "denials",
    "descend",
    "dotted",
    "edit_before",
    "edit_guard",
    "edit_handler",
    "edit_keyword",
    "edit_rename",
    "edit_replace",
    "effects_of",
    "elements",
    "find_dispatches",
    "find_polls",
    "find_repeats",
    "find_replies",
    "find_secrets",
    "fine",
    "first_reply_ends",
    "function_asks",
    "gates_in",
    "gates_of",
    "has_spread",
    "input_tokens",
    "is_amount",
    "is_cached",
    "is_done",
    "last_name",
    "lazy_re",
    "limit_at",
    "limits_in_force",
    "load_rules",
    "mask",
    "mentions_calls",
    "model_name",
    "near_calls",
    "outline_of",
    "own_exprs",
    "params_of",
    "parser_calls",
    "part",
    "primary",
    "protection",
    "reached",
    "read_key",
    "read_rule",
    "refused_results",
    "related",
    "rule_modules",
    "run_cannot_tell",
    "run_hit",
    "run_lacks",
    "run_met",
    "run_not_applicable",
    "same_call",
    "screen",
    "secret_screen",
    "slot",
    "source_of",
    "spoken",
    "statements_below",
    "string",
    "system_prompts",
    "tested_first",
    "tool_call_loops",
    "voiced",
    "window_of",
    "worth_of",
]
