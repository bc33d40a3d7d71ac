"""The language server: an audit of the workspace at every change, over stdin and stdout.

buffers --(what differs from disk)--> look: the same run as a scan --> diagnostics
                                        |
                                        +--> actions (fixes, ignore comments), hover (rule pages)

It needs the extra `lsp`; everything that knows the protocol is in here.
"""

from agentcheck.server.look import Options

__all__ = ["Options"]
