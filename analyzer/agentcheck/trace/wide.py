"""What a redactor takes out besides what proves something: wider forms than `shapes` has.

A report masks less: the address of a machine is evidence there, and a number of a person is rare.
"""

from __future__ import annotations

import re

from agentcheck.trace.machines import is_ipv4, is_ipv6, is_mac
from agentcheck.trace.national import NAMES, WRITTEN, is_named, is_written
from agentcheck.trace.shapes import LABEL, Shape

_NO_VERSION = "".join(
    f"(?<!{before})"
    for before in ("v", "V", "ersion ", "ersion: ", 'ersion": "', "ersion=", "elease ", "uild ")
)
WIDE: tuple[Shape, ...] = (
    Shape(
        "email",
        ("@", "%40"),
        re.compile(r"[\w.+-]{1,64}(?:@|%40)(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}"),
        within=600,
    ),
    Shape("national-id", (), re.compile(rf"(?<![\w.+/-])(?:{WRITTEN})(?![\w/-]|\.\w)"), is_written),
    Shape(
        "national-id",
        (),
        re.compile(
            rf"(?<![A-Za-z]){NAMES}(?:[ _-]?(?i:number|num|no|nr|code))?\.?"
            rf"(?:{LABEL}| is )([A-Z]?\d[\d ./-]{{6,18}}[\dA-Z]{{1,2}})(?![\w-])"
        ),
        is_named,
    ),
    Shape(
        "ip-address",
        (),
        re.compile(
            rf"(?<![\w.+-])(?<![=<>~!]=)(?<![A-Za-z]/){_NO_VERSION}"
            r"\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\w|-[A-Za-z])"
        ),
        is_ipv4,
    ),
    Shape(
        "ip-address",
        (),
        re.compile(r"(?<![\w:.])[23fF][0-9A-Fa-f]{3}:[0-9A-Fa-f:]{2,35}(?![\w:])"),
        is_ipv6,
    ),
    Shape(
        "mac-address",
        (),
        re.compile(
            r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})"
            r"|(?=[\d.]{0,13}[a-f])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\w:-]|\.\w)"
        ),
        is_mac,
    ),
)
"""What a redactor takes out besides: wider forms, numbers of people, and addresses of machines."""
