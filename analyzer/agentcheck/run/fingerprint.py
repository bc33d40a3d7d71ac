"""A name for a finding that survives edits around it: no line number goes into it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

LENGTH = 20

Identity: TypeAlias = tuple[str, str, str, str]


def fingerprints(identities: Iterable[Identity]) -> Iterator[str]:
    """One hex name of LENGTH digits each for (rule, file, subject, text of the primary line).

    White space in the text counts once and not at its ends. Equal identities are told apart by
    their order.
    """
    seen: Counter[Identity] = Counter()
    for rule, file, subject, text in identities:
        identity = (rule, file, subject, " ".join(text.split()))
        whole = "\x1f".join((*identity, str(seen[identity])))
        seen[identity] += 1
        yield hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
