"""The rules that ship with agentcheck, one module a rule, one folder a family."""
