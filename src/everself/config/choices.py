"""The settings that are one of a few words, as enumerations that rooms compare with."""

from enum import StrEnum


class SoulPolicy(StrEnum):
    LOCKED = "locked"
    PROPOSE = "propose"
    EVOLVE = "evolve"


class SoulIntegrity(StrEnum):
    NOTICE = "notice"
    STRICT = "strict"


class ContextProfile(StrEnum):
    BUDGET = "budget"
    VERBATIM = "verbatim"
    LAYERED = "layered"


class WorkspaceAccess(StrEnum):
    NONE = "none"
    READ_ONLY = "ro"


class Embedding(StrEnum):
    AUTO = "auto"
    LOCAL = "local"
    OPENAI = "openai"
    GEMINI = "gemini"
    VOYAGE = "voyage"
    OLLAMA = "ollama"
    NONE = "none"


class Ranking(StrEnum):
    DEFAULT = "default"
    HYBRID = "hybrid"
    TFIDF = "tfidf"


class CorrectionOverflow(StrEnum):
    PRIORITIZE_UNVERIFIED = "prioritize_unverified"
