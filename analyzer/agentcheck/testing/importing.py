"""What an import error is about."""

from __future__ import annotations


def is_about(error: ImportError, wanted: str) -> bool:
    """Whether an error says that a dotted name, or the module that it stands in, is not there.

    That a whole package is missing where the tests run says nothing of what the package holds.
    The folder that was scanned may itself be a package, so that the error's names begin higher.
    """
    named = error.name or ""
    parts = wanted.split(".")
    if isinstance(error, ModuleNotFoundError):
        inner = [".".join(parts[:count]) for count in range(2, len(parts) + 1)]
        return any(_ends(named, one) for one in [*inner, wanted])
    module, _, last = wanted.rpartition(".")
    return bool(last) and f"import name {last!r} from" in str(error) and _ends(named, module)


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith(f".{end}")
