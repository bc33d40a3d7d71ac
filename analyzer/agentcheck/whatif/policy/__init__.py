"""Policies over tool calls: read, draft, decide, replay over recorded runs, and check by cases."""
