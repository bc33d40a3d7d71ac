"""What can be done about findings: their fixes, and comments that accept them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lsprotocol.types import CodeAction, CodeActionKind, Diagnostic, TextEdit
from msgspec import Struct

from agentcheck.fix import Folder, OneFile, Plan, plan
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding
from agentcheck.server.buffers import Buffer
from agentcheck.server.diagnose import Shown, Sight
from agentcheck.server.edits import text_edits, workspace_edit
from agentcheck.server.ignoring import ignored
from agentcheck.source.decode import decode

FIX_ALL = f"{CodeActionKind.SourceFixAll.value}.agentcheck"
KINDS = (CodeActionKind.QuickFix.value, FIX_ALL)


class Bench(Struct, frozen=True):
    """What actions work on: the folder of the report, the open buffers, how places are told.

    `versioned` where the client takes edits of documents in a version.
    """

    root: Path
    buffers: Mapping[Path, Buffer]
    sight: Sight
    versioned: bool = False

    def read(self, name: str) -> bytes:
        """The bytes of a file as the editor has them. Raises Unfixable."""
        buffer = self.buffers.get(self.root / name)
        if buffer is not None:
            return OneFile(buffer.data).read(name)
        return Folder(self.root).read(name)

    def action(
        self,
        title: str,
        kind: str,
        changes: Mapping[Path, list[TextEdit]],
        mended: Sequence[Diagnostic] = (),
        *,
        preferred: bool = False,
    ) -> CodeAction:
        """An action that makes these edits."""
        made = workspace_edit(changes, self.buffers, self.sight.uri, versioned=self.versioned)
        return CodeAction(
            title=title,
            kind=kind,
            diagnostics=list(mended) or None,
            is_preferred=preferred or None,
            edit=made,
        )


def quick_fixes(chosen: Iterable[Shown], bench: Bench) -> Iterator[CodeAction]:
    """For each finding its fix, and then for each the comment that accepts it."""
    findings = [(one.finding, one.diagnostic) for one in chosen if one.finding is not None]
    for finding, diagnostic in findings:
        yield from _fix(finding, diagnostic, bench)
    for finding, diagnostic in findings:
        yield from _ignore(finding, diagnostic, bench)


def fix_all(shown: Iterable[Shown], bench: Bench) -> Iterator[CodeAction]:
    """Everything safe in one file, at once; fixes that share lines wait for the next time."""
    findings = [one.finding for one in shown if one.finding is not None]
    changes = _changes(plan(findings, bench.read, unsafe=False), bench)
    if changes:
        yield bench.action("Mend all that can be mended safely (agentcheck)", FIX_ALL, changes)


def _fix(finding: Finding, diagnostic: Diagnostic, bench: Bench) -> Iterator[CodeAction]:
    if finding.fix is None:
        return
    changes = _changes(plan([finding], bench.read, unsafe=True), bench)
    if not changes:
        return
    safe = finding.fix.applicability == "safe"
    title = finding.fix.what.rstrip(".") + (
        "" if safe else " (unsafe: may change how working programs behave)"
    )
    yield bench.action(title, CodeActionKind.QuickFix.value, changes, [diagnostic], preferred=safe)


def _changes(made: Plan, bench: Bench) -> dict[Path, list[TextEdit]]:
    codec = bench.sight.codec
    return {
        bench.root / one.file: text_edits(decode(one.before), decode(one.after), codec)
        for one in made.changed
    }


def _ignore(finding: Finding, diagnostic: Diagnostic, bench: Bench) -> Iterator[CodeAction]:
    place = finding.primary
    if not isinstance(place, CodeEvidence) or place.cell is not None:
        return
    path = bench.root / place.file
    text = bench.sight.texts[path]
    made = ignored(text, place, finding.rule)
    if made is not None:
        edits = {path: text_edits(text, made, bench.sight.codec)}
        title = f"Ignore {finding.rule} on this line"
        yield bench.action(title, CodeActionKind.QuickFix.value, edits, [diagnostic])
