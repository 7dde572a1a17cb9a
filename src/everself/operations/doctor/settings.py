"""Checks the settings: CONFIG.md, the integrity key, the time zone, and prompt budgets."""

import os
from collections.abc import Iterator

from everself.clock import find_zone, host_zone
from everself.errors import BadConfig
from everself.identity.time_zone import find_place, named_zone
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import bad, command, counted, note, shown, warning
from everself.storage.host_files import KEY_FILE, find_key
from everself.values import Finding
from everself.workspace.layout import place

# time zones of machines where none was set
_NO_ZONE = ("UTC", "Etc/UTC", "Etc/UCT", "GMT", "Etc/GMT", "local")
_ALWAYS = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "USER.md", "TOOLS.md", "MEMORY.md")
_CHARS = "agents.defaults.bootstrapMaxChars"
_TOTAL = "agents.defaults.bootstrapTotalMaxChars"


def check_tunables(case: Case) -> Iterator[Finding]:
    yield from case.tuned.tunables.findings


def check_key(case: Case) -> Iterator[Finding]:
    folder = case.places.key_folder
    path = f"{folder}/{KEY_FILE}"
    if find_key(folder) is None and os.path.exists(case.database):
        words = (
            f"The integrity key {shown(path)} is gone: the ledger cannot be checked. Change nothing until it is back."
        )
        mend = "Put the key from a backup in its place, or set EVERSELF_KEYS to the folder that holds it."
        yield bad("key-missing", words, mend, path)
    if f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(case.agent.workspace)}/"):
        words = (
            "The integrity key is inside the workspace, so everybody who can change the files can also vouch for them."
        )
        mend = f"{command('mv', folder, 'FOLDER')}, then set EVERSELF_KEYS to that folder."
        yield bad("key-inside", words, mend, path)


def check_zone(case: Case) -> Iterator[Finding]:
    if case.agent.time_zone:
        find_zone(case.agent.time_zone)
    elif written := named_zone(case.documents.read.get("USER.md", b"")):
        try:
            find_place(written)
        except BadConfig:
            words = f"USER.md names the time zone “{shown(written[:60])}”, which is not an IANA name; the machine's is used."
            yield note("zone-unknown", words, "Write one such as Europe/Berlin or Asia/Seoul.", "USER.md")
    elif (machine := str(host_zone())) in _NO_ZONE:
        words = f"Your time zone is not known, and this machine's is {machine}; your days begin and end by that clock."
        yield note("zone-unset", words, "everself config set agents.defaults.userTimezone Europe/Berlin")


def check_budgets(case: Case) -> Iterator[Finding]:
    """Token budgets. Tokens are estimated, and counted exactly only near a limit."""
    limits, read = case.tuned.config.tunables, case.documents.read
    if over := _over(read.get("SOUL.md", b""), limits.context_budget_tokens):
        words = f"SOUL.md has {over}, more than the whole context of {limits.context_budget_tokens:,}: it cannot be carried."
        yield bad("soul-too-large", words, "Shorten SOUL.md, or raise context_budget_tokens in CONFIG.md.", "SOUL.md")
    elif over := _over(read.get("SOUL.md", b""), limits.soul_max_tokens):
        words = f"SOUL.md has {over}, above soul_max_tokens ({limits.soul_max_tokens:,}): it takes room from memory."
        yield warning("soul-large", words, "Shorten SOUL.md, or raise soul_max_tokens in CONFIG.md.", "SOUL.md")
    memory = "MEMORY.md" if "MEMORY.md" in read else "memory.md"
    for name, setting, limit, rest in (
        ("USER.md", "user_profile_tokens", limits.user_profile_tokens, "sections beyond may be left out"),
        (memory, "longterm_memory_tokens", limits.longterm_memory_tokens, "the rest may be found by search only"),
    ):
        data = read.get(name, b"")
        if len(data) > limit and (over := _over(_without_comments(data), limit)):
            words = f"{name} has {over}; {limit:,} are sure of a place in every prompt, {rest}."
            yield warning("over-budget", words, f"Move details to memory/, or raise {setting} in CONFIG.md.", name)


def _without_comments(data: bytes) -> bytes:
    """No prompt holds them, and each entry has one that is about as long as its words."""
    import re2

    return bytes(re2.sub(rb"(?s)<!--.*?-->", b"", data))


def check_limits(case: Case) -> Iterator[Finding]:
    """Character limits of the files that are part of every prompt."""
    limits = case.agent.context
    total = 0
    for path, data in case.documents.read.items():
        if "/" in path or not place(path).injected:
            continue
        length = len(data.decode("utf-8", "replace"))
        total += length if path in _ALWAYS else 0
        if length > limits.file_chars:
            words = f"{path} has {counted(length, 'character')}; the last {length - limits.file_chars:,} are left out of prompts."
            yield warning("over-limit", words, f"Shorten it, or: everself config set {_CHARS} {length}", path)
    if total > limits.total_chars:
        words = (
            f"The files of every prompt have {total:,} characters; {total - limits.total_chars:,} of them are left out."
        )
        yield warning("over-total", words, f"Shorten the longest, or: everself config set {_TOTAL} {total}")


def _over(data: bytes, limit: int) -> str:
    """The number of tokens in words if it exceeds the limit; empty otherwise."""
    # a text has at most as many tokens as bytes
    if len(data) <= limit:
        return ""
    from everself.text.tokens import ESTIMATE_ERROR, count, estimate

    text = data.decode("utf-8", "replace")
    guess = estimate(text)
    if guess < limit * (1 - ESTIMATE_ERROR):
        return ""
    if guess > limit * (1 + ESTIMATE_ERROR):
        return f"about {guess:,} tokens"
    exact = count(text)
    return f"{exact:,} tokens" if exact > limit else ""
