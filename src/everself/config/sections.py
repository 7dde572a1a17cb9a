"""What rooms are told of the settings: frozen sections with every value checked and every path absolute.

Data only. Empty texts mean "not set", so that the next source of a chain is asked.
"""

from dataclasses import dataclass
from datetime import timedelta

from everself.config.choices import (
    ContextProfile,
    CorrectionOverflow,
    Embedding,
    Ranking,
    SoulIntegrity,
    SoulPolicy,
    WorkspaceAccess,
)
from everself.config.places import Places
from everself.config.secrets import Secret
from everself.errors import BadConfig, NotFound


@dataclass(frozen=True, slots=True)
class Identity:
    name: str
    emoji: str
    avatar: str


@dataclass(frozen=True, slots=True)
class Remote:
    base_url: str
    api_key: Secret | None
    headers: tuple[tuple[str, Secret], ...]


@dataclass(frozen=True, slots=True)
class Decay:
    enabled: bool
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Search:
    enabled: bool
    provider: Embedding
    model: str
    fallback: Embedding
    store_path: str
    model_path: str
    remote: Remote
    max_results: int
    min_score: float
    vector_weight: float
    text_weight: float
    decay: Decay
    extra_paths: tuple[str, ...]
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Compaction:
    """Ceilings; for a small window the reserve is a quarter and the soft threshold an eighth of it."""

    reserve_tokens: int
    flush: bool
    soft_threshold_tokens: int


@dataclass(frozen=True, slots=True)
class ActiveHours:
    """Times as "HH:MM"; `zone` is "user", "local" or an IANA name."""

    start: str
    end: str
    zone: str


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """`every` of zero means that there is none; no hours mean always."""

    every: timedelta
    hours: ActiveHours | None


@dataclass(frozen=True, slots=True)
class Soul:
    policy: SoulPolicy
    integrity: SoulIntegrity


@dataclass(frozen=True, slots=True)
class ContextLimits:
    profile: ContextProfile
    file_chars: int
    total_chars: int


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: the shared values with its own in their place."""

    id: str
    workspace: str
    state: str
    identity: Identity
    model: str
    time_zone: str
    subagent_access: WorkspaceAccess
    context: ContextLimits
    compaction: Compaction
    heartbeat: Heartbeat
    search: Search
    soul: Soul


@dataclass(frozen=True, slots=True)
class Purge:
    """A daily window, beginning at "HH:MM" in the user's time zone."""

    at: str
    duration: timedelta


@dataclass(frozen=True, slots=True)
class AlternatePersona:
    enabled: bool
    file: str
    chance: float
    purge: Purge | None


@dataclass(frozen=True, slots=True)
class SessionNotes:
    enabled: bool
    messages: int


@dataclass(frozen=True, slots=True)
class Hooks:
    persona: AlternatePersona
    session_notes: SessionNotes


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    api_key: Secret | None
    base_url: str


@dataclass(frozen=True, slots=True)
class CustomPattern:
    """`route` is "miner", "validator" or a program that the host file names."""

    pattern: str
    route: str


@dataclass(frozen=True, slots=True)
class Tunables:
    """Field names are the keys of CONFIG.md. Daily times are "HH:MM", the weekly one "Day HH:MM"."""

    context_budget_tokens: int
    identity_tokens: int
    user_profile_tokens: int
    corrections_tokens: int
    recent_memory_tokens: int
    semantic_recall_tokens: int
    crm_tokens: int
    longterm_memory_tokens: int
    memory_retention_hours: int
    compaction_age_days: int
    correction_archive_days: int
    correction_overflow_strategy: CorrectionOverflow
    corrected_embedding_grace_days: int
    confidence_decay_interval_days: int
    confidence_decay_amount: float
    confidence_floor: float
    confidence_boost_per_mention: float
    correction_relevance_boost: float
    soul_max_tokens: int
    soul_history_retention_days: int
    cron_soul_keeper: str
    cron_memory_miner: str
    cron_conflict_detector: str
    cron_compactor_weekly: str
    external_context_budget: int
    external_context_source: str
    heartbeat_custom_patterns: tuple[CustomPattern, ...]


@dataclass(frozen=True, slots=True)
class Programs:
    """Commands that Everself runs; only the host file may name them."""

    recall_external_handler: str
    crm_hook: str


@dataclass(frozen=True, slots=True)
class Config:
    places: Places
    ui: Identity
    agents: tuple[Agent, ...]
    default_agent: str
    hooks: Hooks
    history: bool
    providers: tuple[Provider, ...]
    tunables: Tunables
    programs: Programs

    def agent(self, agent: str = "") -> Agent:
        """The agent of that id, or the one that answers when none is named."""
        wanted = agent or self.places.profile or self.default_agent
        for known in self.agents:
            if known.id == wanted:
                return known
        names = ", ".join(known.id for known in self.agents)
        if not agent and self.places.profile:
            raise BadConfig(
                f"EVERSELF_PROFILE names the agent {wanted}; there are {names}.", mend="Change or unset it."
            )
        raise NotFound(f"No agent is called {wanted}; there are {names}.", mend=f"everself setup --agent {wanted}")

    def provider(self, name: str) -> Provider:
        """What is known of a provider, which may be nothing."""
        return next((known for known in self.providers if known.name == name), Provider(name, None, ""))
