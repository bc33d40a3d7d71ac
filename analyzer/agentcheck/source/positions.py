"""Where LibCST nodes stand, equal to LibCST's `PositionProvider` at about a fifth of its cost.

A LibCST node holds no position: its place follows from generating the code in front of it.
`PositionProvider` keeps line, column and a `CodeRange` for every node. Here the same generation
only counts characters; lines and columns are worked out for the nodes that are asked for.
"""

from __future__ import annotations

from bisect import bisect_right

import libcst as cst
from libcst._nodes.internal import CodegenState

from agentcheck.model.location import Span, Where, packed, span_of
from agentcheck.model.pattern import lazy_re
from agentcheck.source.decode import starts_of

_NOTHING = lazy_re(r"(?:\s|#[^\r\n]*)*")


class Positions:
    """Spans of the nodes in the header and body of one parsed module.

    `text` is what the module was parsed from. Where that is a piece of a file, `starts` are the
    offsets of the file's lines and `shift` is how far the piece is from the file's start. Raises
    ValueError when the tree does not generate that text, for then no position could be trusted.
    """

    def __init__(
        self, module: cst.Module, text: str, starts: list[int] | None = None, shift: int = 0
    ) -> None:
        self._module = module  # keeps the nodes alive, so that their ids stay theirs
        self._text = text
        self._shift = shift
        self._starts = starts or starts_of(text)
        if not module.has_trailing_newline:  # LibCST generates one all the same
            self._starts.append(len(text) + len(module.default_newline))
        self._offsets = _measure(module, text)

    def span(self, node: cst.CSTNode) -> Span:
        """The span of a node of this module: without its parentheses and surrounding space."""
        return span_of(self.where(node))

    def where(self, node: cst.CSTNode) -> Where:
        """Its span in few bytes."""
        start, end = self._offsets[id(node)]
        return self._where(start, end)

    def between(self, first: cst.CSTNode, last: cst.CSTNode) -> Where:
        """From the start of one node to the end of another."""
        return self._where(self._offsets[id(first)][0], self._offsets[id(last)][1])

    def text(self, node: cst.CSTNode) -> str:
        """The source of a node."""
        start, end = self._offsets[id(node)]
        return self._text[start:end]

    def _where(self, start: int, end: int) -> Where:
        starts, start, end = self._starts, start + self._shift, end + self._shift
        line = bisect_right(starts, start)
        end_line = bisect_right(starts, end)
        return packed(line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)


def _measure(module: cst.Module, text: str) -> dict[int, tuple[int, int]]:
    state = _Measure(module.default_indent, module.default_newline)
    for part in (*module.header, *module.body):
        part._codegen(state)
    # LibCST 1.9 loses lines of the footer when the last one holds spaces, and may add a line end.
    if state.offset < len(text) and not _NOTHING.fullmatch(text, state.offset):
        raise ValueError("the tree does not generate the text it was parsed from")
    if state.offset > len(text) + len(module.default_newline):
        raise ValueError("the tree does not generate the text it was parsed from")
    return state.offsets


class _Measure(CodegenState):
    """Counts characters instead of keeping tokens; `offsets` maps a node's id to its range."""

    def __init__(self, indent: str, newline: str) -> None:
        super().__init__(indent, newline)
        self.offset = 0
        self.offsets: dict[int, tuple[int, int]] = {}
        self._begun: list[int] = []
        self._recording: list[tuple[cst.CSTNode, cst.CSTNode | None, cst.CSTNode | None, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.offset += len(token)

    def add_token(self, value: str) -> None:
        self.offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002 - fixed by LibCST
        self._begun.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        begun = self._begun.pop()
        self.offsets.setdefault(id(node), (begun, self.offset))

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Measure:
        self._recording.append((node, start_node, end_node, self.offset))
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        node, first, last, begun = self._recording.pop()
        if kind is not None:
            return
        offsets = self.offsets
        start = begun if first is None else offsets[id(first)][0]
        end = self.offset if last is None else offsets[id(last)][1]
        offsets[id(node)] = (start, end)
