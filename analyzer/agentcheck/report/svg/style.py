"""The style sheet of a picture. Every selector begins with the picture's own class."""

from __future__ import annotations

_LIGHT = {
    "page": "#ffffff", "box": "#ffffff", "ink": "#1f2937", "soft": "#5b6472", "line": "#6b7280",
    "agent": "#dbe8fd", "agent-line": "#1d4ed8", "group": "#ece7fb", "group-line": "#6d28d9",
    "entry": "#eef0f3", "step": "#eceffd", "step-line": "#4f46e5", "act": "#c2410c",
    "act-fill": "#ffedd5", "hand": "#15803d", "ask": "#0369a1", "yes": "#8a6100",
    "yes-fill": "#fef3c0",
}  # fmt: skip
_DARK = {
    "page": "#14171c", "box": "#1c2128", "ink": "#e6e9ee", "soft": "#a3adba", "line": "#8b95a3",
    "agent": "#1e3358", "agent-line": "#7fb0ff", "group": "#34265c", "group-line": "#b9a2ff",
    "entry": "#2a3038", "step": "#272b55", "step-line": "#9aa2ff", "act": "#ff9e64",
    "act-fill": "#4a2a17", "hand": "#63cf83", "ask": "#64bdf0", "yes": "#e5c04b",
    "yes-fill": "#46390f",
}  # fmt: skip

_RULES = """
P.graph{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
P.page{fill:V(page)}
P.h1{font-size:17px;font-weight:600;fill:V(ink)}
P.h2{font-size:12px;fill:V(soft)}
P.title{font-size:13px;font-weight:600;fill:V(ink)}
P.sub,P.note{font-size:10.5px;fill:V(soft)}
P.row{font-size:12px;fill:V(ink)}
P.body{fill:V(box);stroke:V(line);stroke-width:1.2}
P.band{fill:V(entry)}
P.agent P.body,P.loop P.body{stroke:V(agent-line);stroke-width:1.6}
P.agent P.band,P.loop P.band{fill:V(agent)}
P.group P.body,P.group P.outer{stroke:V(group-line)}
P.group P.band{fill:V(group)}
P.step P.body{stroke:V(step-line)}
P.step P.band{fill:V(step)}
P.outer{fill:none;stroke-width:1.2}
P.bars{stroke:V(line);stroke-width:1.2}
P.g{fill:none;stroke:V(soft);stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}
P.g-effect-tool{stroke:V(act);fill:V(act-fill)}
P.g-handoff-tool,P.g-branch{stroke:V(hand)}
P.g-model-call{stroke:V(ask)}
P.g-approval{stroke:V(yes);fill:V(yes-fill)}
P.r-effect-tool{fill:V(act);font-weight:600}
P.r-unresolved{font-style:italic}
P.edge{fill:none;stroke:V(line);stroke-width:1.5}
P.e-hands-to{stroke:V(hand);stroke-width:1.8}
P.e-member{stroke-dasharray:2 4}
P.e-runs{stroke:V(ink);stroke-dasharray:7 4}
P.e-next{stroke:V(step-line)}
P.m{fill:V(line)}P.m-hands-to{fill:V(hand)}P.m-runs{fill:V(ink)}P.m-next{fill:V(step-line)}
P.node:focus P.body{stroke-width:3}
"""


def css(prefix: str) -> str:
    """The rules, with values for light and dark; a page may set the variables itself."""
    own = f".{prefix}graph"
    rules = _RULES.strip().replace("}P.", "}\nP.").splitlines()
    light, dark = _values(_LIGHT), _values(_DARK)
    scheme = f"@media (prefers-color-scheme:dark){{{own}{{{dark}}}}}"
    return "\n".join([f"{own}{{{light}}}", scheme, *(_scoped(rule, prefix, own) for rule in rules)])


def _values(colors: dict[str, str]) -> str:
    return ";".join(f"--ac-{name}:{color}" for name, color in colors.items())


def _scoped(rule: str, prefix: str, own: str) -> str:
    """`P.x` as the picture's class of that name, `V(x)` as a variable."""
    selectors, brace, body = rule.partition("{")
    scoped = ",".join(
        one if one == own else f"{own} {one}"
        for one in (s.replace("P.", f".{prefix}") for s in selectors.split(","))
    )
    return scoped + brace + body.replace("V(", "var(--ac-")
