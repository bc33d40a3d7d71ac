"""Imports whose failure is provided for, and facts as a whole."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from tests.facts_samples import NESTED

from agentcheck.facts.read import read_facts
from agentcheck.model.facts import FileFacts
from agentcheck.model.location import Span
from agentcheck.source.errors import Unreadable


def read(text: str) -> FileFacts:
    return read_facts("a.py", text.encode())


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("try:\n  import a\nexcept ImportError:\n  import b\n", [True, True]),
        ("try:\n  import a\nexcept (ValueError, ModuleNotFoundError): pass\n", [True]),
        ("try:\n  import a\nexcept builtins.Exception: pass\n", [True]),
        ("try:\n  import a\nexcept: pass\n", [True]),
        ("try:\n  import a\nexcept ValueError: pass\n", [False]),
        ("try:\n  pass\nexcept ImportError: pass\nfinally:\n  import a\n", [False]),
        ("if x:\n  try:\n    if y:\n      import a\n  except ImportError: pass\n", [True]),
        ("try:\n  def f():\n    import a\nexcept ImportError: pass\n", [False]),
        ("if TYPE_CHECKING:\n  import a\nelse:\n  import b\n", [True, False]),
        ("if t.TYPE_CHECKING and x:\n  class K:\n    import a\n", [True]),
        ("if not TYPE_CHECKING:\n  import a\n", [False]),
        ("with contextlib.suppress(ImportError):\n  import a\n", [True]),
        ("with suppress(KeyError):\n  import a\n", [False]),
    ],
)
def test_imports_know_whether_their_failure_is_provided_for(text: str, guarded: list[bool]) -> None:
    assert [found.guarded for found in read(text).imports] == guarded


def test_imports_know_their_function() -> None:
    facts = read("import a\ndef f():\n  import b\n  class K:\n    import c\n")
    assert [found.function for found in facts.imports] == [0, 1, 1]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"# only a comment", b"\x0c"])
def test_files_without_code_have_facts(data: bytes) -> None:
    facts = read_facts("a.py", data)
    assert facts.digest == hashlib.sha256(data).hexdigest()
    assert (facts.kind, len(facts.functions), facts.functions[0].body) == ("python", 1, ())


def test_the_module_spans_its_lines() -> None:
    assert read("a\nbcd").functions[0].span == Span(1, 1, 2, 4)
    assert read("a\nbcd\n").functions[0].span == Span(1, 1, 2, 4)
    assert read("").functions[0].span == Span(1, 1, 1, 1)


def test_a_syntax_error_is_named_with_its_line() -> None:
    with pytest.raises(Unreadable, match="line 2 is not valid Python"):
        read("x = 1\nprint 'hello'\n")


def test_facts_survive_being_packed() -> None:
    facts = read(NESTED)
    packed = msgspec.msgpack.encode(facts)
    assert msgspec.msgpack.decode(packed, type=FileFacts) == facts
