"""Code and runs -> a policy to start from; a policy and cases -> how they come out."""

from __future__ import annotations

from agentcheck import __version__
from agentcheck.config import Settings
from agentcheck.model.policy_check import PolicyCheck
from agentcheck.model.report import Tool
from agentcheck.run.code import read_code
from agentcheck.run.request import Request, Tell, silent
from agentcheck.run.traces import each_run, reading_of, require_traces


def drafted(
    request: Request, settings: Settings, tell: Tell = silent, *, strict: bool = False
) -> str:
    """The text of a policy for the tools of the code and of the runs that the request names.

    Raises UsageError for what does not exist, and where nothing could be read.
    """
    from agentcheck.whatif.policy.draft import Seen, draft_from_code, together
    from agentcheck.whatif.policy.write import policy_text

    require_traces(request.traces)
    code = read_code(request, settings, tell)
    known = draft_from_code(code.graph, careful=True) if code.graph is not None else []
    targets = code.graph.handoff_targets() if code.graph is not None else {}
    seen, reading = Seen(), reading_of(request, settings)
    if request.traces:
        for run in each_run(request.traces, code.root, tell, reading, targets, []):
            seen.add(run)
    parts = [code.root.resolve().name or "the code"] if code.graph is not None else []
    parts += [f"{seen.runs:,} recorded runs"] if seen.runs else []
    parts += [f"; {seen.lost:,} calls of further tools are left out"] if seen.lost else []
    return policy_text(together(known, seen.tools()), " and ".join(parts), strict=strict)


def checked(policy: str, cases: str) -> PolicyCheck:
    """How the golden cases of a file come out under the policy of another.

    Raises UsageError for a file that is not as it should be.
    """
    from agentcheck.whatif.policy.check import check_policy_cases

    made = tuple(check_policy_cases(policy, cases))
    return PolicyCheck(tool=Tool("agentcheck", __version__), policy=policy, file=cases, cases=made)
