"""The trust row of backups at CI size."""

import pytest
from tests.trust.rows.r16 import run_r16


@pytest.mark.trust
def test_r16_a_backup_under_load_is_one_moment_and_a_flipped_bit_is_found(seed: int) -> None:
    print(run_r16(5, seed))
