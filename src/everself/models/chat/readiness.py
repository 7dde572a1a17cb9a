"""Checks whether a model can be called: its key is set and its package is installed. Sends nothing."""

from everself.models.chat.vendors import ModelAccount, build


def check_ready(account: ModelAccount) -> None:
    """Raises ModelFailed with what is missing and how to get it."""
    import httpx2

    # a client that was never used holds no connection, so there is nothing to close
    build(account, httpx2.AsyncClient())
