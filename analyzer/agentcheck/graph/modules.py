"""Which file an import means, from any of the folders that Python may have been started in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from agentcheck.graph.components import Groups
from agentcheck.graph.layout import Importing, Layout
from agentcheck.model.facts import Import


class Modules:
    """The files of the target as modules, resolved from the importing file outwards.

    `files` may be some of those in the `layout`, as long as none of them imports another.
    """

    def __init__(self, files: Iterable[Importing], layout: Layout) -> None:
        self.files = {f.path: f for f in files}
        self.paths = layout.paths
        self._unread = layout.unread
        self._roots: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._closures: dict[str, set[str]] = {}
        self._together: dict[str, set[str]] = {}
        self._imported: dict[str, list[str]] | None = None
        self._dotted: dict[str, str] = {}
        self._imports: dict[str, list[str]] = {}
        self._components: dict[str, str] = {}
        self.folders = layout.folders

    def _at(self, base: str) -> str | None:
        """The module at a slash path without suffix: its file, or a folder's `__init__.py`."""
        for candidate in (f"{base}/__init__.py", f"{base}.py", f"{base}.ipynb"):
            if candidate in self.paths:
                return candidate
        return None

    def roots(self, importer: str) -> list[str]:
        """Folders that may be on the path for a file: its own and each above, nearest first.

        A `src` folder beside any of them counts too: the usual layout of installed projects.
        """
        folder = importer.rpartition("/")[0]
        if folder not in self._roots:
            above = [folder, *_above(folder)] if folder else ["."]
            found = [r for p in above for r in (p, _join(p, "src")) if r in self.folders]
            self._roots[folder] = found
        return self._roots[folder]

    def find(self, dotted: str, importer: str) -> str | None:
        """The file of an absolute module name as seen from a file, or None if not in the target."""
        key = (dotted, importer)
        if key not in self._found:
            self._found[key] = self._find(dotted.replace(".", "/"), importer)
        return self._found[key]

    def _find(self, tail: str, importer: str) -> str | None:
        for root in self.roots(importer):
            found = self._at(_join(root, tail))
            # A script `openai.py` that imports openai means the package.
            if found and (found != importer or "/" in tail):
                return found
        return None

    def from_top(self, package: str, importer: str) -> bool:
        """Whether a package is found from a folder that is not itself inside a package."""
        for root in self.roots(importer):
            if self._at(_join(root, package)):
                return f"{root}/__init__.py" not in self.paths
        return False

    def is_folder(self, dotted: str, importer: str) -> bool:
        """Whether a dotted name is a folder of the target that holds code (a namespace package)."""
        tail = dotted.replace(".", "/")
        return any(_join(root, tail) in self.folders for root in self.roots(importer))

    def relative_base(self, imported: Import, importer: str) -> str | None:
        """The slash path that a relative import starts at; None above the scanned root."""
        folder = PurePosixPath(importer).parent
        for _ in range(imported.level - 1):
            if str(folder) == ".":
                return None
            folder = folder.parent
        return (
            _join(str(folder), imported.module.replace(".", "/"))
            if imported.module
            else str(folder)
        )

    def of_import(self, imported: Import, importer: str) -> str | None:
        """The file of the module an import statement names."""
        if not imported.level:
            return self.find(imported.module, importer)
        base = self.relative_base(imported, importer)
        return None if base is None else self._at(base)

    def submodule(self, package_file: str, name: str) -> str | None:
        """The file of a module inside the package whose `__init__.py` is given."""
        if not package_file.endswith("__init__.py"):
            return None
        return self._at(_join(str(PurePosixPath(package_file).parent), name))

    def imported_by(self, path: str) -> set[str]:
        """The files of the target that a file imports, itself or through others; it included."""
        if path not in self._closures:
            self._closures[path] = _reached([path], self._direct)
        return self._closures[path]

    def _direct(self, path: str) -> list[str]:
        if path not in self._imports:
            found = []
            for imported in self.files[path].imports:
                module = self.of_import(imported, path)
                found += [module] if module else []
                if module and imported.name:
                    sub = self.submodule(module, imported.name)
                    found += [sub] if sub else []
            self._imports[path] = found
        return self._imports[path]

    def component(self, path: str) -> str:
        """The program that a file belongs to, by the first of its files: those that import one
        another, however indirectly and in whichever direction."""
        if not self._components:
            groups = Groups(self.files)
            for file in self.files:
                groups.join(file, *self.leading_to(file))
            self._components = {file: groups.first(file) for file in self.files}
        return self._components[path]

    def leading_to(self, path: str) -> list[str]:
        """The files that the imports of a file lead to, the packages on their way included."""
        found = list(self._direct(path))
        for imported in self.files[path].imports:
            if not imported.level and (
                imported.name is None or not self.find(imported.module, path)
            ):
                above = imported.module.rpartition(".")[0]
                while above:
                    module = self.find(above, path)
                    found += [module] if module else []
                    above = above.rpartition(".")[0]
        return found

    def together(self, path: str) -> set[str]:
        """The files that run in one process with a file: what it and its importers import."""
        if path not in self._together:
            importers = _reached([path], self._importers)
            self._together[path] = _reached(importers, self._direct)
        return self._together[path]

    def _importers(self, path: str) -> list[str]:
        """The files that import a file themselves."""
        if self._imported is None:
            self._imported = {}
            for file in self.files:
                for following in self._direct(file):
                    self._imported.setdefault(following, []).append(file)
        return self._imported.get(path, [])

    def unread(self, package_file: str, name: str) -> bool:
        """Whether a module of a package is there but was left out or could not be read.

        So are the folders that discovery passes over: vendored, built and underscore ones.
        """
        if name.startswith("_") or name in _PASSED_OVER:
            return True
        folder = str(PurePosixPath(package_file).parent)
        return any(
            path in self._unread
            for path in (_join(folder, f"{name}.py"), _join(folder, f"{name}/__init__.py"))
        )

    def dotted_name(self, path: str) -> str:
        """The import name of a file, from the outermost folder that is a package on its way.

        Folders without an `__init__.py` end the name, so "lib/src/pkg/mod.py" is "pkg.mod".
        """
        if path not in self._dotted:
            self._dotted[path] = self._dotted_name(path)
        return self._dotted[path]

    def _dotted_name(self, path: str) -> str:
        pure = PurePosixPath(path)
        parts = [] if pure.stem == "__init__" else [pure.stem]
        folder = pure.parent
        while str(folder) != "." and f"{folder}/__init__.py" in self.paths:
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts)) or pure.stem


_PASSED_OVER = frozenset({"vendor", "third_party", "build", "dist", "generated", "node_modules"})


def _reached(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """What can be reached from files by following, those files included."""
    seen = set(start)
    queue = list(seen)
    while queue:
        new = set(following(queue.pop())) - seen
        seen |= new
        queue += new
    return seen


def _above(folder: str) -> Iterator[str]:
    """The folders above one, "." the last."""
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder or "."


def _join(folder: str, tail: str) -> str:
    return tail if folder == "." else f"{folder}/{tail}"
