"""Reading a policy from its file."""

from __future__ import annotations

from agentcheck.expect.load import read_data
from agentcheck.model.errors import UsageError
from agentcheck.whatif.policy.decide import Policy


def load_policy(path: str, tenant: str | None = None) -> Policy:
    """The policy of a file, compiled. Raises UsageError: what is wrong, where, how to mend it;
    also for a tenant that it does not name."""
    from agentcheck.config.nearest import suggestion
    from agentcheck.whatif.policy.form import check_policy

    policy = Policy(check_policy(read_data(path, "policies"), path), path)
    if tenant is not None and tenant not in policy.form.tenants:
        known = policy.form.tenants
        hint = suggestion(tenant, known) if known else "it names none; add tenants"
        raise UsageError(f'{path}: no tenant "{tenant}"; {hint}')
    return policy
