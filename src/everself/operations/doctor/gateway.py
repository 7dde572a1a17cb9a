"""Checks the gateway: a leftover socket, and tokens that are old, unused or unreadable."""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta

from everself.errors import EverselfError
from everself.operations.doctor.case import Case
from everself.operations.doctor.privacy import OTHERS
from everself.operations.doctor.words import bad, command, failed, warning
from everself.operations.gateway import SOCKET, folder_of, is_running
from everself.operations.token_file import Token, TokenFile
from everself.values import Finding

OLD = timedelta(days=365)


def check_socket(case: Case) -> Iterator[Finding]:
    path = os.path.join(folder_of(case.places), SOCKET)
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if mode & OTHERS:
        words = f"Others on this machine may connect to the gateway's socket ({mode & 0o777:04o})."
        yield bad("gateway-socket-open", words, "everself gateway restart", path)
    if not is_running(case.places):
        words = "The gateway was killed and left its socket; programs that use it are not answered."
        yield warning("gateway-socket-left", words, "everself gateway start", path)


def check_tokens(case: Case) -> Iterator[Finding]:
    file = TokenFile(folder_of(case.places))
    try:
        tokens = file.tokens()
    except EverselfError as error:
        yield failed("tokens-unreadable", error, file.path)
        return
    known = {one.id for one in case.loaded.config.agents}
    for token in tokens:
        if token.agent not in known:
            words = f"The token {token.name} opens the agent {token.agent}, which is not listed."
            yield warning(
                "token-without-agent", words, command("everself", "gateway", "token", "rm", token.name), file.path
            )
        elif (days := _age(token, case.now)) > OLD:
            words = f"The token {token.name} is {days.days} days old."
            yield warning("token-old", words, command("everself", "gateway", "token", "rotate", token.name), file.path)


def _age(token: Token, now: datetime) -> timedelta:
    try:
        return now - datetime.fromisoformat(token.since)
    except (ValueError, TypeError):
        # an unreadable time counts as very old
        return timedelta.max
