"""The settings as frozen sections. Each field declares its key, type, default and documentation.

An empty text means "not set": the next source in the chain is used. Does not know where values come from.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Any

from everself.config import setting_types as kinds
from everself.config.places import Places
from everself.config.plugins import EMBEDDERS
from everself.config.secrets import Secret
from everself.config.setting_types import DURATION, FLAG, TEXT, Kind, Plain, number, one_of, times, whole
from everself.config.table import AGENT, EVERYONE, Scope, Setting, group, list_table, setting
from everself.errors import BadConfig, NotFound
from everself.frozen import Frozen

SoulPolicy = StrEnum("SoulPolicy", "LOCKED PROPOSE EVOLVE")
SoulIntegrity = StrEnum("SoulIntegrity", "NOTICE STRICT")
ContextProfile = StrEnum("ContextProfile", "BUDGET VERBATIM LAYERED")
WorkspaceAccess = StrEnum("WorkspaceAccess", "NONE RO")
Embedding = StrEnum("Embedding", "AUTO LOCAL OPENAI GEMINI VOYAGE OLLAMA NONE")
Ranking = StrEnum("Ranking", "DEFAULT HYBRID TFIDF")
CorrectionOverflow = StrEnum("CorrectionOverflow", "PRIORITIZE_UNVERIFIED")

Headers = tuple[tuple[str, Secret], ...]

_TOKENS = whole(0, 1_000_000)
_CHARACTERS = whole(1, 10_000_000)
_DAYS = whole(1, 36_500)
_SHARE = number(0, 1)
_CLOCK = times()
_NOTES = "entries.session-memory"
_DECAY = "query.hybrid.temporalDecay"
# OpenClaw lets sub-agents write; Everself never does
_ACCESS = one_of(WorkspaceAccess, {"rw": "ro"})


class Identity(Frozen):
    name: str = setting("", TEXT, "", "Name; overrides the later sources of the chain.")
    emoji: str = setting("", TEXT, "", "Emoji; overrides the later sources of the chain.")
    avatar: str = setting("", TEXT, "", "Avatar; overrides the later sources of the chain.")


class Soul(Frozen):
    policy: SoulPolicy = setting("", one_of(SoulPolicy), "propose", "Who changes it: humans, or keepers if approved.")
    integrity: SoulIntegrity = setting(
        "", one_of(SoulIntegrity), "notice", "Edits outside Everself: reported, or also withheld."
    )


class ContextLimits(Frozen):
    profile: ContextProfile = setting(
        "context.profile", one_of(ContextProfile), "budget", "How a prompt is laid out.", shared="context.profile"
    )
    file_chars: int = setting("bootstrapMaxChars", _CHARACTERS, 20_000, "Characters of one file that enter the prompt.")
    total_chars: int = setting("bootstrapTotalMaxChars", _CHARACTERS, 60_000, "Characters of all such files together.")
    share: tuple[str, ...] = setting(
        "context.share",
        kinds.TEXTS,
        (),
        "Files to add (group+USER.md) or remove (guest-TOOLS.md) by kind of session.",
        shared="context.share",
    )


class Compaction(Frozen):
    """Upper limits. For a small window the reserve is a quarter of it, and the soft threshold an eighth."""

    reserve_tokens: int = setting("reserveTokensFloor", _TOKENS, 20_000, "Tokens kept free for the answer.")
    flush: bool = setting("memoryFlush.enabled", FLAG, True, "Stores memories before a conversation is summarised.")
    soft_threshold: int = setting("memoryFlush.softThresholdTokens", _TOKENS, 4_000, "Tokens before the limit.")


class Heartbeat(Frozen):
    """`every` is zero if heartbeats are off. Hours are "HH:MM", or empty for always; the zone is "user", "local" or a name."""

    every: timedelta = setting("", DURATION, "30m", "Time between two heartbeats; 0m turns them off.")
    active_from: str = setting("activeHours.start", times(""), "", "Time of day from which heartbeats run.")
    active_until: str = setting("activeHours.end", times("", "24:00"), "", "Time of day until which heartbeats run.")
    active_zone: str = setting("activeHours.timezone", kinds.zone("user", "local"), "user", "Time zone of these hours.")


class Search(Frozen):
    enabled: bool = setting("", FLAG, True, "Gives the agent memory_search and memory_get.")
    provider: str = setting(
        "",
        kinds.or_plugin(one_of(Embedding), EMBEDDERS),
        "auto",
        "Embedding provider; auto is the first with a key, else local.",
    )
    model: str = setting("", TEXT, "", "Embedding model. Empty: the provider's default.")
    fallback: str = setting(
        "",
        kinds.or_plugin(one_of(Embedding, but="auto"), EMBEDDERS),
        "none",
        "Embedding provider used if the first one fails.",
    )
    store_path: str = setting("store.path", kinds.FOLDER, "", "File of the index; {agentId} stands for the id.")
    model_path: str = setting("local.modelPath", TEXT, "", "Model file of your own for the provider local.")
    remote_url: str = setting("remote.baseUrl", TEXT, "", "Address of an OpenAI-compatible embedding server.")
    remote_key: Secret | None = setting("remote.apiKey", TEXT, "", "Key for embeddings alone.", secret=True)
    remote_headers: Headers = setting("remote.headers.*", TEXT, "", "Header of these requests.", secret=True)
    max_results: int = setting("query.maxResults", whole(1, 1_000), 6, "Results of one search.")
    min_score: float = setting("query.minScore", _SHARE, 0.35, "Score below which a result is marked as weak.")
    vector_weight: float = setting(
        "query.hybrid.vectorWeight", _SHARE, 0.7, "Weight of semantic similarity in the score."
    )
    text_weight: float = setting("query.hybrid.textWeight", _SHARE, 0.3, "Weight of keywords in the score.")
    decay: bool = setting(f"{_DECAY}.enabled", FLAG, False, "Lets dated notes lose rank as they age.")
    half_life_days: float = setting(
        f"{_DECAY}.halfLifeDays", number(0.01, 36_500), 30.0, "Half-life of their weight in days."
    )
    extra_paths: tuple[str, ...] = setting("extraPaths", kinds.TEXTS, (), "More files or folders to search, read only.")
    ranking: Ranking = setting("", one_of(Ranking), "default", "The measured best, a plain sum, or TF-IDF.")


class AgentSettings(Frozen):
    """One agent: the shared values, overridden by its own. `workspace` and `state` are absolute paths."""

    id: str = setting("", TEXT, "main", "Id of the agent; it names its folders.", shared=None)
    marked: bool = setting("default", FLAG, False, "Whether it answers when no agent is named.", shared=None)
    workspace: str = setting("", kinds.FOLDER, "~/.everself/workspace", "Folder of the agent's files.")
    state: str = ""
    identity: Identity = group("identity", Identity, shared=None)
    model: str = setting("", TEXT, "reflex", "Chat model as provider/name; reflex answers from memory alone.")
    time_zone: str = setting(
        "userTimezone", kinds.zone(""), "", "The human's time zone; else USER.md's, then the machine's."
    )
    subagent_access: WorkspaceAccess = setting(
        "sandbox.workspaceAccess", _ACCESS, "ro", "What a sub-agent sees of the workspace: nothing, or read only."
    )
    context: ContextLimits = group("", ContextLimits)
    compaction: Compaction = group("compaction", Compaction)
    heartbeat: Heartbeat = group("heartbeat", Heartbeat)
    search: Search = group("memorySearch", Search)
    soul: Soul = group("soul", Soul, shared="soul")


class AlternatePersona(Frozen):
    """`purge_at` is "HH:MM" in the user's time zone; empty if there is no daily window."""

    enabled: bool = setting("", FLAG, False, "Lets the alternate persona take over at times.")
    file: str = setting("", kinds.INSIDE, "SOUL_EVIL.md", "File of the workspace that holds the alternate persona.")
    chance: float = setting("", _SHARE, 0.0, "Chance that a conversation begins with it.")
    purge_at: str = setting("purge.at", times(""), "", "Time of day at which it takes over, in the user's time zone.")
    purge_for: timedelta = setting("purge.duration", DURATION, "", "How long it stays after that time.")


class Hooks(Frozen):
    """If `enabled` is off, persona and session notes are off too."""

    enabled: bool = setting("", FLAG, True, "Switch for all built-in hooks.")
    persona: AlternatePersona = group("entries.soul-evil", AlternatePersona)
    session_notes: bool = setting(f"{_NOTES}.enabled", FLAG, True, "Writes a note about a conversation that /new ends.")
    session_messages: int = setting(f"{_NOTES}.messages", whole(1, 1_000), 15, "Last messages that make the note.")


class ClientHooks(Frozen):
    """Settings of `everself hook`, which other programs call."""

    deadline_ms: int = setting(
        "deadlineMs", whole(50, 60_000), 800, "Milliseconds that a coding agent's hook may take."
    )


class Provider(Frozen):
    name: str
    api_key: Secret | None = setting("apiKey", TEXT, "", "Key of a model provider; else NAME_API_KEY.", secret=True)
    base_url: str = setting("baseUrl", TEXT, "", "Address of the provider, for any OpenAI-compatible server.")
    context_window: int = setting(
        "contextWindow", whole(0, 100_000_000), 0, "Context window of its models in tokens; 0 is the known value."
    )


class CustomPattern(Frozen):
    """`route` is "miner", "validator" or a program named in the host file."""

    pattern: str
    route: str


def _tunable(kind: Kind, default: Plain, doc: str) -> Any:
    """A setting that CONFIG.md may contain under the same name."""
    return setting("", kind, default, doc, place="both")


class Tunables(Frozen):
    """The settings that CONFIG.md may change. Daily times are "HH:MM", the weekly one is "Day HH:MM"."""

    context_budget_tokens: int = _tunable(whole(100, 1_000_000), 6_000, "Tokens of remembered context.")
    identity_tokens: int = _tunable(_TOKENS, 800, "Of these, for SOUL.md.")
    user_profile_tokens: int = _tunable(_TOKENS, 600, "Of these, for USER.md.")
    corrections_tokens: int = _tunable(_TOKENS, 400, "Of these, for CORRECTIONS.md.")
    recent_memory_tokens: int = _tunable(_TOKENS, 1_200, "Of these, for recent daily logs.")
    semantic_recall_tokens: int = _tunable(_TOKENS, 1_500, "Of these, for search results.")
    crm_tokens: int = _tunable(_TOKENS, 1_000, "Of these, for what the CRM hook gives.")
    longterm_memory_tokens: int = _tunable(_TOKENS, 500, "Of these, for MEMORY.md.")
    memory_retention_hours: int = _tunable(whole(1, 876_000), 48, "Hours that count as recent.")
    compaction_age_days: int = _tunable(_DAYS, 30, "Age at which a daily log is archived.")
    correction_archive_days: int = _tunable(_DAYS, 14, "Age at which a correction is archived.")
    correction_overflow_strategy: CorrectionOverflow = _tunable(
        one_of(CorrectionOverflow), "prioritize_unverified", "Which corrections stay when not all fit."
    )
    corrected_embedding_grace_days: int = _tunable(whole(0, 36_500), 7, "Days that vectors of closed entries are kept.")
    confidence_decay_interval_days: int = _tunable(_DAYS, 30, "Days without mention that lower confidence a step.")
    confidence_decay_amount: float = _tunable(_SHARE, 0.05, "How much confidence drops in one step.")
    confidence_floor: float = _tunable(_SHARE, 0.2, "Lowest confidence that age alone can cause.")
    confidence_boost_per_mention: float = _tunable(_SHARE, 0.05, "Confidence that a mention adds.")
    correction_relevance_boost: float = _tunable(number(1, 10), 1.5, "Weight of corrections.")
    promotion_confidence: float = _tunable(_SHARE, 0.4, "Minimum confidence of a promotion candidate.")
    promotion_sessions: int = _tunable(
        whole(1, 1_000), 3, "Sessions that find an entry before it counts as needed often."
    )
    promotion_window_days: int = _tunable(_DAYS, 30, "Days over which these sessions are counted.")
    soul_max_tokens: int = _tunable(whole(1, 1_000_000), 800, "Size beyond which no growth is proposed.")
    soul_history_retention_days: int = _tunable(_DAYS, 90, "Days that old souls are kept.")
    cron_soul_keeper: str = _tunable(_CLOCK, "02:30", "When the Soul Keeper runs each day.")
    cron_memory_miner: str = _tunable(_CLOCK, "06:00", "When the Memory Miner runs each day.")
    cron_conflict_detector: str = _tunable(_CLOCK, "07:00", "When the Conflict Detector runs.")
    cron_compactor_weekly: str = _tunable(kinds.WEEKLY, "Sunday 03:00", "When the Compactor runs.")
    external_context_budget: int = _tunable(_TOKENS, 0, "Tokens for the external source.")
    external_context_source: str = _tunable(TEXT, "", "File with the text for these tokens.")
    heartbeat_custom_patterns: tuple[CustomPattern, ...] = _tunable(
        kinds.patterns(CustomPattern), (), "Triage patterns of your own, each with its route."
    )


class Programs(Frozen):
    """Commands that Everself runs. Only the host file may name them."""

    recall_external_handler: str = setting("", TEXT, "", "Program for recall failures that are not about the past.")
    crm_hook: str = setting("", TEXT, "", "Program that gets a message and its names, and prints profiles.")


class SpendLimits(Frozen):
    """Daily limits for background work, for the API and for guests. They never stop the owner's own conversations."""

    background_per_day: float = setting(
        "backgroundPerDay", number(0, 100_000), 1.0, "Dollars a day for models in the background; 0 allows none."
    )
    background_tokens_per_day: int = setting(
        "backgroundTokensPerDay", whole(), 2_000_000, "Daily token limit there for models of unknown price."
    )
    api_per_day: float = setting(
        "apiPerDay", number(0, 100_000), 10.0, "Dollars a day for conversations behind the owner's tokens."
    )
    api_tokens_per_day: int = setting(
        "apiTokensPerDay", whole(), 20_000_000, "Daily token limit there for models of unknown price."
    )
    guest_per_day: float = setting(
        "guestPerDay", number(0, 100_000), 1.0, "Dollars a day for conversations with everybody who is not the owner."
    )
    guest_tokens_per_day: int = setting(
        "guestTokensPerDay", whole(), 2_000_000, "Daily token limit there for models of unknown price."
    )


class Exec(Frozen):
    enabled: bool = setting("", FLAG, False, "Lets the agent run programs, which can do all that you can.")
    allow: tuple[str, ...] = setting("", kinds.TEXTS, (), "Programs it may run, then without a shell; empty is any.")
    workdir: str = setting("", kinds.FOLDER, "", "Folder they start in; by default one beside the agent's state.")
    timeout: int = setting("timeoutSec", whole(1, 86_400), 60, "Seconds after which a program is killed.")


class Fetch(Frozen):
    enabled: bool = setting("", FLAG, False, "Lets the agent read pages of the web.")
    max_chars: int = setting("maxChars", whole(100, 1_000_000), 20_000, "Characters of a page that the model gets.")
    max_bytes: int = setting("maxResponseBytes", whole(1_000, 50_000_000), 2_000_000, "Bytes of a page that are read.")
    timeout: int = setting("timeoutSeconds", whole(1, 600), 30, "Seconds for a page, redirects included.")
    max_redirects: int = setting("maxRedirects", whole(0, 20), 3, "Number of redirects to follow, each checked again.")
    private_hosts: tuple[str, ...] = setting(
        "privateHosts", kinds.TEXTS, (), "Hosts (name or name:port) that may be fetched from a private network."
    )


class ToolSettings(Frozen):
    memory: bool = setting(
        "", FLAG, False, "Offers the model Anthropic's memory tool, and answers its calls in /v1/messages here."
    )
    exec: Exec = group("exec", Exec)
    fetch: Fetch = group("web.fetch", Fetch)


class McpServer(Frozen):
    """An MCP server: a program to start (`command`) or an address (`url`)."""

    name: str
    enabled: bool = setting("", FLAG, True, "Whether the agent gets the tools of this MCP server.")
    command: str = setting("", TEXT, "", "Program of an MCP server that runs on this machine.")
    args: tuple[str, ...] = setting("", kinds.TEXTS, (), "Arguments of that program.")
    env: Headers = setting("env.*", TEXT, "", "Environment variable of that program.", secret=True)
    url: str = setting("", TEXT, "", "Address of an MCP server that speaks streamable HTTP.")
    headers: Headers = setting("headers.*", TEXT, "", "Header of the requests to that address.", secret=True)


class Gateway(Frozen):
    """`bind` is "loopback", "lan" (all addresses of the machine) or one IP address."""

    port: int = setting("", whole(1, 65_535), 7373, "Port of the gateway.")
    bind: str = setting("", kinds.BIND, "loopback", "Address that it listens on: loopback, lan or an IP address.")
    allow_remote: bool = setting("allowRemote", FLAG, False, "Lets it listen where other machines reach it.")
    open_agents: int = setting("openAgents", whole(1, 10_000), 64, "Agents that it keeps open at once.")


class Config(Frozen):
    places: Places
    agents: tuple[AgentSettings, ...]
    default_agent: str
    providers: tuple[Provider, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    ui: Identity = group("ui.assistant", Identity)
    hooks: Hooks = group("hooks.internal", Hooks)
    client_hooks: ClientHooks = group("hooks", ClientHooks)
    history: bool = setting("history.enabled", FLAG, True, "Keeps every change set as a commit.")
    tunables: Tunables = group("", Tunables)
    programs: Programs = group("", Programs)
    tools: ToolSettings = group("tools", ToolSettings)
    spend: SpendLimits = group("spend", SpendLimits)
    gateway: Gateway = group("gateway", Gateway)

    def agent(self, agent: str = "") -> AgentSettings:
        """The agent with that id, or the default agent."""
        wanted = agent or self.places.profile or self.default_agent
        for known in self.agents:
            if known.id == wanted:
                return known
        names = ", ".join(known.id for known in self.agents)
        if not agent and self.places.profile:
            raise BadConfig(f"EVERSELF_PROFILE is {wanted}, which is not a known agent ({names}).", mend="Unset it.")
        raise NotFound(f"agent {wanted}. Known agents: {names}.", mend=f"everself setup --agent {wanted}")

    def provider(self, name: str) -> Provider:
        """The settings of a provider; all empty if it is not configured."""
        return next((known for known in self.providers if known.name == name), Provider(name))


SETTINGS: tuple[Setting, ...] = (
    *list_table(Config, EVERYONE),
    *list_table(AgentSettings, AGENT),
    *list_table(Provider, Scope("provider.*")),
    *list_table(McpServer, Scope("mcp.servers.*")),
)
