"""The trust rows of the index at CI size."""

import pytest
from tests.trust.rows.r09 import run_r9
from tests.trust.rows.r09_kill import run_r9_kill
from tests.trust.rows.r10 import run_r10

pytestmark = pytest.mark.trust


def test_r9_a_damaged_index_is_made_again_and_serves_no_wrong_row(seed: int) -> None:
    print(run_r9(30, seed))


def test_r9_a_process_killed_in_an_index_run_leaves_nothing_wrong(seed: int) -> None:
    print(run_r9_kill(12, seed))


def test_r10_an_index_that_followed_its_files_equals_one_made_at_once(seed: int) -> None:
    print(run_r10(50, seed))
