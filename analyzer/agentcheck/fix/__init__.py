"""Carrying out fixes: a rule's plain edits become changes of LibCST trees, files and diffs.

Whatever an edit does not touch stays byte for byte as it is: formatting, comments, line ends, the
encoding with its mark.
"""

from agentcheck.fix.diff import diff_of
from agentcheck.fix.errors import Unfixable
from agentcheck.fix.files import Folder, OneFile
from agentcheck.fix.plan import Left, Plan, plan

__all__ = ["Folder", "Left", "OneFile", "Plan", "Unfixable", "diff_of", "plan"]
