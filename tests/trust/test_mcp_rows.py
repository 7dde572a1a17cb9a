"""R5-MCP and R14-MCP at CI size."""

import pytest
from tests.trust.rows.r05_mcp import run_r5_mcp
from tests.trust.rows.r14_mcp import run_r14_mcp

pytestmark = pytest.mark.trust


def test_r5_mcp_many_servers_write_to_one_agent(seed: int) -> None:
    print(run_r5_mcp(4, seed, clients=3))


def test_r14_mcp_servers_end_with_their_clients(seed: int) -> None:
    print(run_r14_mcp(2, seed))
