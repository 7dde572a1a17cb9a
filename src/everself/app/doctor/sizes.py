"""Documents that do not fit where they go: into the prompt. Estimates, and counts exactly only near a limit."""

from collections.abc import Iterator

from everself.app.doctor.case import Case
from everself.app.doctor.words import counted
from everself.values import Finding
from everself.workspace.layout import place

_ALWAYS = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "USER.md", "TOOLS.md", "MEMORY.md")


def check_budgets(case: Case) -> Iterator[Finding]:
    limits = case.tuned.config.tunables
    read = case.documents.read
    soul = read.get("SOUL.md", b"")
    over = _over(soul, limits.context_budget_tokens)
    if over:
        words = f"SOUL.md has {over}, more than the whole budget of {limits.context_budget_tokens:,}; the agent cannot carry it and does not run."
        yield Finding(
            "error", "soul-too-large", words, "Shorten SOUL.md, or raise context_budget_tokens in CONFIG.md.", "SOUL.md"
        )
    elif over := _over(soul, limits.soul_max_tokens):
        words = f"SOUL.md has {over}; soul_max_tokens is {limits.soul_max_tokens:,}. It takes room from memory and grows no further."
        yield Finding(
            "warning", "soul-large", words, "Shorten SOUL.md, or raise soul_max_tokens in CONFIG.md.", "SOUL.md"
        )
    memory = "MEMORY.md" if "MEMORY.md" in read else "memory.md"
    for name, setting, limit, rest in (
        ("USER.md", "user_profile_tokens", limits.user_profile_tokens, "sections that do not fit are left out"),
        (memory, "longterm_memory_tokens", limits.longterm_memory_tokens, "the rest is found by search only"),
    ):
        over = _over(read.get(name, b""), limit)
        if over:
            words = f"{name} has {over}; {limit:,} are sure of a place in every prompt ({setting}), {rest}."
            yield Finding(
                "warning", "over-budget", words, f"Move details to memory/, or raise {setting} in CONFIG.md.", name
            )


def check_limits(case: Case) -> Iterator[Finding]:
    limits = case.agent.context
    total = 0
    for path, data in case.documents.read.items():
        if "/" in path or not place(path).injected:
            continue
        length = len(data.decode("utf-8", "replace"))
        total += length if path in _ALWAYS else 0
        if length > limits.file_chars:
            words = f"{path} has {counted(length, 'character')}; {length - limits.file_chars:,} beyond bootstrapMaxChars are left out of the prompt."
            mend = f"Shorten it, or: everself config set agents.defaults.bootstrapMaxChars {length}"
            yield Finding("warning", "over-limit", words, mend, path)
    if total > limits.total_chars:
        words = f"The files of every prompt have {counted(total, 'character')} together; {total - limits.total_chars:,} beyond bootstrapTotalMaxChars are left out."
        mend = f"Shorten the longest, or: everself config set agents.defaults.bootstrapTotalMaxChars {total}"
        yield Finding("warning", "over-total", words, mend)


def _over(data: bytes, limit: int) -> str:
    """How many tokens, in words, where that is more than the limit; empty otherwise."""
    # no text has more tokens than bytes, so small files are settled here
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
