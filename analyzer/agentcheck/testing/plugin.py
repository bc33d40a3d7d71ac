"""The pytest plugin: `scripted_model`, `scripted_server` and `effects`, and a guard on sockets."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel
    from agentcheck.testing.recorders import Recorder
    from agentcheck.testing.script import Part

ALLOWED = "AGENTCHECK_ALLOW_EFFECTS"
FIXTURES = frozenset({"scripted_model", "scripted_server", "effects"})
CHECKS = pytest.StashKey["list[Callable[[], None]]"]()  # what a test that passed must still pass


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the ini values of the plugin."""
    group = parser.getgroup("agentcheck", "agents under test")
    group.addoption(
        "--allow-effect",
        action="append",
        default=[],
        metavar="MODULE:FUNCTION",
        help="let this function with side effects run, which tests would replace by a recorder",
    )
    parser.addini(
        "agentcheck_guard",
        "which tests may not reach other machines: 'scripted', those with a fixture of the plugin"
        " (the default), 'all' or 'none'",
        default="scripted",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known; refuse an unknown value of the ini."""
    config.addinivalue_line("markers", "network(*hosts): hosts that the test may reach")
    config.addinivalue_line("markers", "finding(fingerprint): the finding that the test shows")
    if config.getini("agentcheck_guard") not in ("scripted", "all", "none"):
        raise pytest.UsageError("agentcheck_guard must be one of scripted, all, none")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """After a test that passed: fail it for requests or sockets that were not to be."""
    yield
    for check in item.stash.get(CHECKS, []):
        check()


@pytest.fixture(autouse=True)
def _agentcheck_guard(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuse other machines to a test that is to be guarded, and fail it for trying."""
    from agentcheck.testing.sockets import guarded

    setting = request.config.getini("agentcheck_guard")
    scripted = not FIXTURES.isdisjoint(request.fixturenames)
    if setting == "none" or (setting == "scripted" and not scripted):
        yield
        return
    marker = request.node.get_closest_marker("network")
    with guarded(marker.args if marker else ()) as refused:
        _later(request, lambda: _nothing(refused))
        yield


@pytest.fixture
def scripted_model(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """Call it with a script: a `ScriptedModel` that answers this process until the test ends.

    Keywords are those of `ScriptedModel`. A test that passed fails if a request was one that the
    provider refuses; with `verify=False` it does not.
    """
    yield from _started(request, "install")


@pytest.fixture
def scripted_server(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """As `scripted_model`, served on the loopback at `.url`, for code in other processes."""
    yield from _started(request, "serve")


@pytest.fixture
def effects(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Call it with names, `module:function`: they are replaced by recorders until the test ends.

    Gives one `Recorder` for one name, a list for more; `returns` is what they return. A function
    that the user allows (`--allow-effect`, AGENTCHECK_ALLOW_EFFECTS) is let run: its recorder gets
    no calls, and its `allowed` is true.
    """
    from agentcheck.testing.recorders import ABSENT

    allowed = allowed_effects(request.config.getoption("--allow-effect"))
    with ExitStack() as stack:

        def record(*names: str, returns: Any = ABSENT) -> Any:
            made = [_recorder(name, stack, returns, allowed) for name in names]
            return made[0] if len(made) == 1 else made

        yield record


def allowed_effects(options: Collection[str]) -> frozenset[str]:
    """The functions that the user lets run, by option or environment."""
    named = os.environ.get(ALLOWED, "").split(",")
    return frozenset(name.strip() for name in [*named, *options] if name.strip())


def _recorder(name: str, stack: ExitStack, returns: Any, allowed: Collection[str]) -> Recorder:
    from agentcheck.testing.recorders import Recorder, replace

    if name not in allowed:
        return replace(name, stack, returns)
    recorder = Recorder(name, returns)
    recorder.allowed = True
    return recorder


def _later(request: pytest.FixtureRequest, check: Callable[[], None]) -> None:
    request.node.stash.setdefault(CHECKS, []).append(check)


def _nothing(refused: Collection[str]) -> None:
    if refused:
        pytest.fail(f"the test reached for {', '.join(sorted(set(refused)))}", pytrace=False)


def _started(request: pytest.FixtureRequest, way: str) -> Iterator[Callable[..., ScriptedModel]]:
    from agentcheck.testing.model import ScriptedModel

    with ExitStack() as stack:

        def start(
            script: Part | None = None, *, verify: bool = True, **options: Any
        ) -> ScriptedModel:
            model = ScriptedModel(script, **options)
            stack.enter_context(getattr(model, way)())
            if verify:
                _later(request, model.verify)
            return model

        yield start
