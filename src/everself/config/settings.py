"""The one table of settings: key, kind, default, where it may stand, and the line that documents it.

Data only. `*` in a key stands for a name the person chooses, `[]` for one agent of the list.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from everself.config import kinds
from everself.config.choices import (
    ContextProfile,
    CorrectionOverflow,
    Embedding,
    Ranking,
    SoulIntegrity,
    SoulPolicy,
    WorkspaceAccess,
)
from everself.config.kinds import Choice, Duration, Flag, Folder, Kind, Number, Plain, Text, TextList, TimeOfDay, Whole

Place = Literal["host", "workspace", "both"]


@dataclass(frozen=True, slots=True)
class Setting:
    """`own` is the name under `agents.list[]` by which one agent may differ; empty where none may."""

    key: str
    kind: Kind
    default: Plain
    doc: str
    place: Place = "host"
    secret: bool = False
    own: str = ""


def _shared(name: str, kind: Kind, default: Plain, doc: str, *, secret: bool = False) -> Setting:
    """A setting of all agents that each of them may have differently."""
    return Setting(f"agents.defaults.{name}", kind, default, doc, secret=secret, own=name)


def _search(name: str, kind: Kind, default: Plain, doc: str, *, secret: bool = False) -> Setting:
    return _shared(f"memorySearch.{name}", kind, default, doc, secret=secret)


def _agent(name: str, kind: Kind, default: Plain, doc: str) -> Setting:
    return Setting(f"agents.list[].{name}", kind, default, doc, own=name)


def _tunable(key: str, kind: Kind, default: Plain, doc: str) -> Setting:
    return Setting(key, kind, default, doc, place="both")


def _one_of(words: type[StrEnum]) -> Choice:
    return Choice(tuple(words))


_TOKENS = Whole(0, 1_000_000)
_DAYS = Whole(1, 36_500)
_CLOCK = TimeOfDay()

IDENTITY = (
    Setting("ui.assistant.name", Text(), "", "Name shown to the person, before any other source."),
    Setting("ui.assistant.avatar", Text(), "", "Avatar shown to the person, before any other source."),
    Setting("ui.assistant.emoji", Text(), "", "Emoji shown to the person, before any other source."),
    _agent("id", Text(), "", "Id of the agent: letters, digits, - and _; it names its folders."),
    _agent("default", Flag(), False, "Whether this agent answers when none is named; otherwise the first one does."),
    _agent("identity.name", Text(), "", "Name of this agent, before what IDENTITY.md says."),
    _agent("identity.emoji", Text(), "", "Emoji of this agent, before what IDENTITY.md says."),
    _agent("identity.avatar", Text(), "", "Avatar of this agent, before what IDENTITY.md says."),
    Setting(
        "soul.policy",
        _one_of(SoulPolicy),
        "propose",
        "Who may change the soul: humans only, the keeper by proposal, or the keeper within evidence.",
        own="soul.policy",
    ),
    Setting(
        "soul.integrity",
        _one_of(SoulIntegrity),
        "notice",
        "What happens to an edit of the soul made outside: used and told, or withheld until accepted.",
        own="soul.integrity",
    ),
    Setting("hooks.internal.enabled", Flag(), True, "Switch for all built-in hooks."),
    Setting(
        "hooks.internal.entries.soul-evil.enabled", Flag(), False, "Lets the alternate persona take over at times."
    ),
    Setting(
        "hooks.internal.entries.soul-evil.file",
        kinds.Inside(),
        "SOUL_EVIL.md",
        "File in the workspace that holds the alternate persona.",
    ),
    Setting(
        "hooks.internal.entries.soul-evil.chance",
        Number(0, 1),
        0.0,
        "Chance from 0 to 1 that a conversation begins with the alternate persona.",
    ),
    Setting(
        "hooks.internal.entries.soul-evil.purge.at",
        TimeOfDay(optional=True),
        "",
        "Time of day, in the user's time zone, at which the alternate persona takes over.",
    ),
    Setting(
        "hooks.internal.entries.soul-evil.purge.duration", Duration(), "", "How long it stays after that time of day."
    ),
)

AGENTS = (
    _shared(
        "workspace", Folder(), "~/.everself/workspace", "Folder of the agent's files; other agents get one beside it."
    ),
    _shared("model", Text(), "reflex", "Chat model as provider/name; reflex needs none and answers from memory alone."),
    _shared("userTimezone", kinds.Zone(), "", "Time zone of the human; otherwise USER.md, then the machine's."),
    _shared(
        "bootstrapMaxChars", Whole(1, 10_000_000), 20_000, "Characters of one workspace file that go into the prompt."
    ),
    _shared("bootstrapTotalMaxChars", Whole(1, 10_000_000), 60_000, "Characters of all those files together."),
    _shared(
        "sandbox.workspaceAccess",
        Choice(tuple(WorkspaceAccess), {"rw": "ro"}),
        "ro",
        "What a sub-agent sees of the workspace: nothing, or files it can only read.",
    ),
    _shared(
        "compaction.reserveTokensFloor",
        _TOKENS,
        20_000,
        "Tokens kept free for the answer, at most a quarter of the model's window.",
    ),
    _shared(
        "compaction.memoryFlush.enabled", Flag(), True, "Stores durable memories before a conversation is summarised."
    ),
    _shared(
        "compaction.memoryFlush.softThresholdTokens",
        _TOKENS,
        4_000,
        "Tokens before the limit at which that happens, at most an eighth of the window.",
    ),
    _shared("heartbeat.every", Duration(), "30m", "Time between two heartbeats; 0m turns them off."),
    _shared(
        "heartbeat.activeHours.start",
        TimeOfDay(optional=True),
        "",
        "Time of day from which heartbeats run; empty means always.",
    ),
    _shared(
        "heartbeat.activeHours.end", TimeOfDay(True, midnight_end=True), "", "Time of day until which heartbeats run."
    ),
    _shared(
        "heartbeat.activeHours.timezone",
        kinds.Zone(words_for=("user", "local")),
        "user",
        "Time zone of those hours: user, local (the machine's) or a name.",
    ),
    Setting(
        "context.profile",
        _one_of(ContextProfile),
        "budget",
        "How the prompt is put together: by token budgets, all files whole, or in plain layers.",
        own="context.profile",
    ),
    Setting(
        "hooks.internal.entries.session-memory.enabled",
        Flag(),
        True,
        "Writes a note about a conversation that /new ends.",
    ),
    Setting(
        "hooks.internal.entries.session-memory.messages",
        Whole(1, 1_000),
        15,
        "Messages at its end that the note is made of.",
    ),
    Setting("history.enabled", Flag(), True, "Keeps every change set as a commit in the workspace's own history."),
    Setting(
        "provider.*.apiKey",
        Text(),
        "",
        "Key of a model provider; otherwise NAME_API_KEY of the environment.",
        secret=True,
    ),
    Setting("provider.*.baseUrl", Text(), "", "Address of the provider, for any OpenAI-compatible server."),
)

SEARCH = (
    _search("enabled", Flag(), True, "Gives the agent memory_search and memory_get."),
    _search(
        "provider",
        _one_of(Embedding),
        "auto",
        "Who makes embeddings; auto is the provider whose key is set, else the bundled model; none searches words only.",
    ),
    _search("model", Text(), "", "Embedding model; empty is the provider's usual one."),
    _search(
        "fallback",
        Choice(tuple(name for name in Embedding if name != "auto")),
        "none",
        "Provider to try when the first fails, before words alone.",
    ),
    _search(
        "store.path",
        Folder(),
        "",
        "File of the index, {agentId} standing for the id; empty is beside the agent's state.",
    ),
    _search("local.modelPath", Text(), "", "Model file of your own for the provider local."),
    _search("remote.baseUrl", Text(), "", "Address of an OpenAI-compatible embedding server."),
    _search("remote.apiKey", Text(), "", "Key for embeddings, where it differs from the provider's.", secret=True),
    _search("remote.headers.*", Text(), "", "Extra header of embedding requests.", secret=True),
    _search("query.maxResults", Whole(1, 1_000), 6, "Results of one search."),
    _search("query.minScore", Number(0, 1), 0.35, "Score below which a result is left out."),
    _search("query.hybrid.vectorWeight", Number(0, 1), 0.7, "Weight of meaning in the score."),
    _search("query.hybrid.textWeight", Number(0, 1), 0.3, "Weight of words in the score."),
    _search("query.hybrid.temporalDecay.enabled", Flag(), False, "Lets dated notes lose rank as they age."),
    _search("query.hybrid.temporalDecay.halfLifeDays", Number(0.01, 36_500), 30.0, "Days in which that rank halves."),
    _search("extraPaths", TextList(), (), "More files or folders to search, read only."),
    _search(
        "ranking",
        _one_of(Ranking),
        "default",
        "How results are ranked: the best measured way, the plain weighted sum, or TF-IDF.",
    ),
)

TUNABLES = (
    _tunable("context_budget_tokens", Whole(100, 1_000_000), 6_000, "Tokens of remembered context in the prompt."),
    _tunable("identity_tokens", _TOKENS, 800, "Of these, for SOUL.md."),
    _tunable("user_profile_tokens", _TOKENS, 600, "Of these, for USER.md."),
    _tunable("corrections_tokens", _TOKENS, 400, "Of these, for CORRECTIONS.md."),
    _tunable("recent_memory_tokens", _TOKENS, 1_200, "Of these, for the last days' logs."),
    _tunable("semantic_recall_tokens", _TOKENS, 1_500, "Of these, for what a search finds."),
    _tunable("crm_tokens", _TOKENS, 1_000, "Of these, for what the CRM hook gives."),
    _tunable("longterm_memory_tokens", _TOKENS, 500, "Of these, for MEMORY.md."),
    _tunable("memory_retention_hours", Whole(1, 876_000), 48, "Hours that count as recent."),
    _tunable("compaction_age_days", _DAYS, 30, "Age at which the Compactor archives a daily log."),
    _tunable("correction_archive_days", _DAYS, 14, "Age at which a correction moves to the archive."),
    _tunable(
        "correction_overflow_strategy",
        _one_of(CorrectionOverflow),
        "prioritize_unverified",
        "Which corrections stay when they do not all fit.",
    ),
    _tunable(
        "corrected_embedding_grace_days", Whole(0, 36_500), 7, "Days after which vectors of closed entries are dropped."
    ),
    _tunable("confidence_decay_interval_days", _DAYS, 30, "Days without a mention that lower confidence by one step."),
    _tunable("confidence_decay_amount", Number(0, 1), 0.05, "Size of that step."),
    _tunable("confidence_floor", Number(0, 1), 0.2, "Confidence below which age does not bring an entry."),
    _tunable("confidence_boost_per_mention", Number(0, 1), 0.05, "What another mention adds to confidence."),
    _tunable("correction_relevance_boost", Number(1, 10), 1.5, "Factor on the score of corrections."),
    _tunable("soul_max_tokens", Whole(1, 1_000_000), 800, "Size beyond which the Soul Keeper proposes no growth."),
    _tunable("soul_history_retention_days", _DAYS, 90, "Days that old souls are kept in SOUL_HISTORY."),
    _tunable("cron_soul_keeper", _CLOCK, "02:30", "When the Soul Keeper runs each day."),
    _tunable("cron_memory_miner", _CLOCK, "06:00", "When the Memory Miner runs each day."),
    _tunable("cron_conflict_detector", _CLOCK, "07:00", "When the Conflict Detector runs each day."),
    _tunable("cron_compactor_weekly", kinds.WeeklyTime(), "Sunday 03:00", "When the Memory Compactor runs each week."),
    _tunable("external_context_budget", _TOKENS, 0, "Tokens for the external context source."),
    _tunable("external_context_source", Text(), "", "File whose text fills them."),
    _tunable(
        "heartbeat_custom_patterns",
        kinds.Patterns(),
        (),
        "Triage patterns of your own, each with its route: miner, validator or, in the host file only, a program.",
    ),
    Setting("recall_external_handler", Text(), "", "Program that gets recall failures which are not about the past."),
    Setting("crm_hook", Text(), "", "Program that gets the message and the names in it, and prints profiles."),
)

SETTINGS: tuple[Setting, ...] = (*IDENTITY, *AGENTS, *SEARCH, *TUNABLES)
