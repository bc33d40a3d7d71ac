"""Code whose facts several tests read."""

from __future__ import annotations

NESTED = '''"""Module."""
import a
def outer(p: int = 1, *, k) -> str:
    """Outer
      doc."""
    def inner(): yield 1
    class Local:
        def method(self): pass
    return lambda: (yield)
@deco(1)
class Top(Base, metaclass=Meta):
    """Top."""
    field: int = 3
    @property
    async def prop(self):
        await x
        return [i async for i in y]
    if cond:
        def extra(self): pass
    class Nested: pass
'''
