"""The Markdown templates, with what escapes every expression in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from agentcheck.model.assessment import CodeEvidence, Evidence
from agentcheck.report import words
from agentcheck.report.markdown_text import brief, cell, code_span, code_spans, fence, prose
from agentcheck.report.options import Options
from agentcheck.report.overview import known_by, runs_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@lru_cache(maxsize=2)
def environment(options: Options) -> Environment:
    """Templates whose every expression is escaped as prose unless a filter escapes it otherwise."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("agentcheck_templates", ""),
        autoescape=True,
        finalize=lambda value: Markup(_default(value)),  # noqa: S704 it is escaped for Markdown
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Callable[..., str]] = {
        "brief": brief,
        "cell": cell,
        "code": code_span,
        "codes": code_spans,
        "fence": fence,
        "place": partial(_place, options),
        "celled": partial(_celled, options),
    }
    made.filters |= {name: _marked(function) for name, function in filters.items()}
    made.globals |= {
        "files_of": words.files_of,
        "plural": words.plural,
        "answered": words.answered,
        "owned": words.owned,
        "fix_option": words.fix_option,
        "noted": words.noted,
        "runs_of": runs_of,
        "known_by": known_by,
        "ran_of": words.ran,
    }
    return made


def _marked(function: Callable[..., str]) -> Callable[..., Markup]:
    from markupsafe import Markup

    return lambda *given: Markup(function(*given))  # noqa: S704 it is escaped for Markdown


def _default(value: Any) -> str:
    return str(value) if hasattr(value, "__html__") else prose(str(value))


def _place(options: Options, item: Evidence) -> str:
    """`file:line`, a link where it is known what to link to."""
    if not isinstance(item, CodeEvidence):
        return code_span(words.place(item))
    cell_of = "" if item.cell is None else f"cell {item.cell}:"
    shown = code_span(f"{item.file}:{cell_of}{item.line}")
    if not options.link_base or item.cell is not None:
        return shown
    return f"[{shown}]({_address(options, item)})"


def _celled(options: Options, item: Evidence) -> str:
    """A place within a table, where a bar would end the cell even in a code span."""
    shown = _place(options, item)
    return cell(words.place(item)) if "|" in shown else shown


def _address(options: Options, item: CodeEvidence) -> str:
    """The lines as GitHub links to them, `#L4-L6`, or as GitLab does, `#L4-6`."""
    base = options.link_base.rstrip("/")
    last = "-" if "/-/" in base else "-L"
    to = "" if item.end_line == item.line else f"{last}{item.end_line}"
    return f"{base}/{quote(words.rooted(options.prefix, item.file))}#L{item.line}{to}"
