"""`agentcheck policy`: draft a policy, replay it over recorded runs, check it by cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.output import PairedOutputs, outputs_of, say, write_file
from agentcheck.cli.what_if import Look, Runs, answered
from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.whatif.policy.replay import Decided

policy = typer.Typer(
    help="Draft a policy for tool calls, replay it over recorded runs, check it by cases.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Sources = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH...]", help="Files and folders of code; with --from-trace, runs."),
]
FromTrace = Annotated[
    bool, typer.Option("--from-trace", help="Draft from the tools of recorded runs instead.")
]
CodeToo = Annotated[
    list[str] | None,
    typer.Option("--code", metavar="PATH", help="With --from-trace, the code that ran as well."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Ask about every effect, wherever its arguments come from.")
]
DraftFile = Annotated[
    str | None,
    typer.Option("--output-file", "-o", metavar="FILE", help="Where it goes; default: stdout."),
]
PolicyFile = Annotated[
    str, typer.Argument(metavar="POLICY", help="The policy, YAML, JSON or TOML.")
]
Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Decide as for this tenant.")
]
Decisions = Annotated[
    str | None,
    typer.Option("--decisions", metavar="FILE", help="Write every decision, one JSON a line."),
]
CaseFormat = Annotated[
    list[str] | None,
    typer.Option("--output-format", metavar="FORMAT", help="full, json, markdown, html or junit."),
]
Junit = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE", help="Write how the cases came out, as JUnit, too."),
]


@policy.command("draft")
def draft(
    paths: Sources = None,
    *,
    from_trace: FromTrace = False,
    code: CodeToo = None,
    strict: Strict = False,
    output_file: DraftFile = None,
    exclude: o.Exclude = None,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    quiet: o.Quiet = False,
) -> int:
    """Write a policy to start from: default deny, each known tool named, effects asked about."""
    from agentcheck.cli.progress import progress
    from agentcheck.run import Request
    from agentcheck.run.policy import drafted

    if code and not from_trace:
        raise UsageError("--code goes with --from-trace; else name the code as PATH")
    if from_trace and not paths:
        raise UsageError("--from-trace needs recorded runs; name their files")
    read = tuple(code or ()) if from_trace else tuple(paths or (".",))
    runs = tuple(paths or ()) if from_trace else ()
    start = o.start_of(list(read)) if read else Path()
    settings = o.settings_from(start, config=config, isolated=isolated, exclude=exclude)
    with progress(quiet=quiet) as tell:
        text = drafted(Request(paths=read, traces=runs, jobs=jobs), settings, tell, strict=strict)
    if output_file is None:
        say(text)
    else:
        write_file(text, output_file)
    return 0


@policy.command("replay", cls=PairedOutputs)
def replay(
    ctx: typer.Context,
    path: PolicyFile,
    runs: Runs,
    *,
    tenant: Tenant = None,
    decisions: Decisions = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show for every recorded call what the policy would have decided."""
    from agentcheck.whatif.policy.load import load_policy
    from agentcheck.whatif.policy.replay import Replay

    loaded = load_policy(path, tenant)
    look = Look(outputs_of(ctx), color, quiet, verbose)
    with _lines_to(decisions) as file:
        each = _writer(file) if file is not None else None
        answered(runs, lambda: [Replay(loaded, Path(path).name, tenant, each)], look)
    return 0


@policy.command("check", cls=PairedOutputs)
def check(
    ctx: typer.Context,
    path: PolicyFile,
    cases: Annotated[str, typer.Argument(metavar="CASES", help="Golden cases for it.")],
    *,
    output_format: CaseFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    junit: Junit = None,
    color: o.Color = "auto",
) -> int:
    """Run golden cases against the policy; exit with 1 where one fails."""
    from agentcheck.cli.output import DEFAULT, Output, check_color, check_formats
    from agentcheck.report.policy_cases import FORMATS, render_cases
    from agentcheck.run.policy import checked

    outputs = outputs_of(ctx) or [Output(DEFAULT, None)]
    outputs += [Output("junit", junit)] if junit is not None else []
    check_color(color)
    check_formats(outputs, FORMATS)
    outcome = checked(path, cases)
    for output in outputs:
        if output.path is None:
            say(render_cases(outcome, output.form, color=color))
        else:
            write_file(render_cases(outcome, output.form, color="never"), output.path)
    return int(outcome.failed > 0)


@contextmanager
def _lines_to(path: str | None) -> Iterator[IO[str] | None]:
    """A file to write lines to. Raises UsageError where that is not possible."""
    if path is None:
        yield None
        return
    try:
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace") as file:
            yield file
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"--decisions {path}: cannot be written: {why}") from None


def _writer(file: IO[str]) -> Callable[[Decided], None]:
    from agentcheck.whatif.policy.lines import line_of

    def write(one: Decided) -> None:
        file.write(line_of(one))

    return write
