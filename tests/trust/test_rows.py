"""The rows on a simulated disk, the clock, the modes and the secrets at CI size (R3, R4, R6, R12, S3, S10), and whether they notice.

S1 and S2 are in test_paths_rows.py.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, date

import click
import pytest
from tests.trust.rows import r04_full, r12, s03, s10
from tests.trust.rows.r03 import run_r3
from tests.trust.rows.r04 import CI_OPERATIONS, run_r4, run_r4_disk
from tests.trust.rows.r06 import run_r6
from tests.trust.small_disk import NotPermitted

from everself.clock import Clock
from everself.interfaces.cli.root import everself
from everself.text.redaction import Redacted

pytestmark = [pytest.mark.trust, pytest.mark.timeout(3600)]


def test_r3_a_power_cut_at_any_call_loses_and_tears_nothing(seed: int) -> None:
    print(run_r3(2_000, seed))


def test_r4_a_call_that_fails_leaves_the_old_bytes_and_never_claims_success(seed: int) -> None:
    print(run_r4(CI_OPERATIONS, seed))


def test_r4_a_real_disk_that_is_full_leaves_the_old_bytes_and_never_claims_success(seed: int) -> None:
    try:
        print(f"R4 {run_r4_disk(CI_OPERATIONS, seed)}, seed {seed}")
    except NotPermitted as reason:
        pytest.skip(f"no small disk can be mounted here: {reason}")


def test_r4_full_every_command_keeps_its_word_on_a_disk_that_fills_and_frees(seed: int) -> None:
    try:
        print(r04_full.run_r4_full(r04_full.CI_ROUNDS, seed, r04_full.CI_VERBS))
    except NotPermitted as reason:
        pytest.skip(f"no small disk can be mounted here: {reason}")


def test_r4_full_knows_every_command() -> None:
    names: set[str] = set()

    def walk(command: click.Command, path: str) -> None:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                walk(inner, f"{path} {name}".strip())
        else:
            names.add(path)

    walk(everself, "")
    assert names == {*r04_full.VERBS, *r04_full.ELSEWHERE}
    assert not set(r04_full.VERBS) & r04_full.ELSEWHERE


def test_r6_what_a_person_saves_meanwhile_is_kept(seed: int) -> None:
    print(run_r6(50, seed))


def test_r12_every_entry_stands_in_the_humans_day(seed: int) -> None:
    print(r12.run_r12(60, seed))


def test_s3_nothing_is_open_to_others_at_any_moment(seed: int) -> None:
    print(s03.run_s3(1, seed))


def test_s10_secrets_are_redacted_and_ordinary_text_is_not(seed: int) -> None:
    print(s10.run_s10(200, seed))


@pytest.fixture
def _own_zone() -> Iterator[None]:
    """The C library's zone is the whole process's; it is put back."""
    before = os.environ.get("TZ")
    yield
    os.environ.pop("TZ", None)
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("_own_zone")
def test_r12_notices_a_day_that_is_taken_from_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    def today(clock: Clock) -> date:
        return clock.now().astimezone(UTC).date()

    r12.live_through("Etc/GMT+12", r12.Tally())
    monkeypatch.setattr(Clock, "today", today)
    with pytest.raises(AssertionError, match="Etc/GMT"):
        r12.live_through("Etc/GMT+12", r12.Tally())


@pytest.mark.usefixtures("_own_zone")
def test_r12_sees_both_changes_of_a_year_and_the_midnights_beside_them() -> None:
    r12.judge_by("Australia/Lord_Howe")
    transitions = list(r12.find_steps(r12.FIRST, r12.LAST, r12.TRANSITION_STEP, "offset"))
    assert len(transitions) == 10
    days = {r12.judged(moment)[0] for moment in r12.moments_of(transitions[:1])}
    assert date(2024, 4, 6) in days
    assert date(2024, 4, 8) in days


def test_r12_judges_every_zone_once_and_the_telling_ones_first() -> None:
    zones = r12.chosen_zones(7)
    assert sorted(zones) == sorted(r12.zone_names())
    assert set(r12.ALWAYS) <= set(zones[:60])
    assert zones != r12.chosen_zones(8)


def test_s3_notices_what_others_may_read_and_what_nobody_registered() -> None:
    whole = {
        ".everself": {0o40700},
        ".everself/secrets.json": {0o100600, 0o100644},
        ".everself/agents/main/notes.txt": {0o100600},
    }
    faults = "\n".join(s03.find_faults(whole))
    assert ".everself/secrets.json was 100644" in faults
    assert ".everself/agents/main/notes.txt is in no place" in faults
    assert "nobody saw key" in faults
    assert ".everself was" not in faults


def test_s10_notices_a_redactor_that_leaves_most_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s10, "redact", lambda text: Redacted(text, ()))
    with pytest.raises(AssertionError, match="redacted"):
        s10.run_s10(200, 1)
    assert s10.survives("ABCDEFGHIJKLMNOPQRST", "key [redacted] IJKLMNOPQRST")
    assert not s10.survives("ABCDEFGHIJKLMNOPQRST", "key [redacted] JKLMNOPQRST")
    assert not s10.survives("short-one", "short-on")


def test_s10_says_nothing_of_what_is_held_out() -> None:
    names = {one.id for one in s10.load("secrets.jsonl", held_out=True)}
    names -= {one.id for one in s10.load("secrets.jsonl", held_out=False)}
    assert names
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(s10, "redact", lambda text: Redacted(text, ()))
        with pytest.raises(AssertionError) as raised:
            s10.run_s10(200, 1, held_out=True)
    assert not any(name in str(raised.value) for name in names)
