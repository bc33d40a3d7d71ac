"""The picture before it is drawn: boxes with rows, and arrows between them.

An agent's tools, model calls, approvals and ways to hand over are rows in its box, so that thirty
tools are thirty lines of text and not thirty arrows. What stays an arrow leads from one box to
another.
"""

from __future__ import annotations

from agentcheck.report.scene.parts import Line, Panel, Row, RowKind, Scene
from agentcheck.report.scene.stage import stage

__all__ = ["Line", "Panel", "Row", "RowKind", "Scene", "stage"]
