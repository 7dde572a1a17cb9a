"""How long a new user waits is measured in a terminal, with the longest silence."""

import os
from pathlib import Path

import pytest
from tools.first_prompt import PROMPT, watch


@pytest.mark.slow
def test_the_wait_and_the_longest_silence_are_seen(tmp_path: Path) -> None:
    script = f"echo one; sleep 1; printf '{PROMPT.decode()} '; sleep 60"
    seen = watch(["sh", "-c", script], tmp_path, dict(os.environ), PROMPT)
    assert seen.seconds is not None
    assert seen.seconds >= seen.silence >= 1
    assert b"one" in seen.said


def test_a_command_that_ends_without_a_prompt_is_no_wait(tmp_path: Path) -> None:
    assert watch(["true"], tmp_path, dict(os.environ), PROMPT).seconds is None
