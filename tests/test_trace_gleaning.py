"""What is told of runs on the way counts only where nothing of them came afterwards."""

from __future__ import annotations

from agentcheck.trace.readers.gleaning import HELD, QUIET, TRIED, Gleaning


def add(gleaning: Gleaning[int, int], key: str, *things: int | list[int]) -> None:
    for thing in things:
        gleaning.room(key).append(thing)


def summing() -> Gleaning[int, int]:
    return Gleaning(lambda _, things: sum(things) or None)


def test_a_run_is_told_when_nothing_of_it_came_for_a_while() -> None:
    gleaning = summing()
    add(gleaning, "a", 1, [2, 3])
    gleaning.turn(2)
    assert gleaning.of("a", 2) is None
    gleaning.turn(2)
    assert gleaning.of("a", 2) == 6


def test_a_run_that_goes_on_is_not_told_before_its_end() -> None:
    gleaning = summing()
    for thing in range(1, 5):
        add(gleaning, "a", thing)
        gleaning.turn(1)
    gleaning.finish()
    assert gleaning.of("a", 4) == 10


def test_a_run_that_has_records_elsewhere_is_not_told() -> None:
    gleaning = summing()
    add(gleaning, "a", 1)
    gleaning.finish()
    assert gleaning.of("a", 2) is None
    assert gleaning.of("b", 1) is None


def test_what_was_told_does_not_count_when_more_comes_and_patience_grows() -> None:
    gleaning = summing()
    add(gleaning, "a", 1)
    gleaning.turn(1)
    gleaning.turn(1)
    assert gleaning.left == QUIET
    add(gleaning, "a", 2)
    gleaning.turn(1)
    gleaning.finish()
    assert gleaning.of("a", 1) is None
    assert gleaning.of("a", 2) is None
    assert gleaning.left == 2 * QUIET


def test_runs_are_let_go_when_they_take_too_much_room() -> None:
    gleaning = summing()
    per_turn = QUIET * 2 // HELD + 1
    for turn in range(2 * HELD // QUIET):
        add(gleaning, "a", *[1] * per_turn)
        gleaning.turn(per_turn)
        assert turn < HELD // QUIET or gleaning.of("a", per_turn * turn) is None
    gleaning.finish()
    assert gleaning.of("a", 2 * HELD // QUIET * per_turn) is None


def test_where_most_runs_are_not_told_it_is_not_worth_the_effort() -> None:
    gleaning = summing()
    for number in range(2 * TRIED):
        add(gleaning, f"{number}", number % 3 // 2)
    gleaning.finish()
    assert not gleaning.worth
