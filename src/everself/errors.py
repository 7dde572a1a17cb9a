"""The tree of errors. Expected outcomes (a conflict, a refused change) are values, not errors.

    EverselfError
    ├── WrongUse                 invalid arguments: unknown option, ambiguous id, conflicting options
    ├── NotFound                 what was named does not exist
    │   └── NoEntryContains      no entry contains these words
    ├── RefusedByRule            a rule or a missing permission prevents it
    │   └── UnsafePath           a path that leaves the workspace, passes through a link, or is not a regular file
    ├── ChangedMeanwhile         another process changed it first; a retry can help
    │   ├── LockTimeout          another process holds the lock
    │   └── StoreBusy            another process holds the database
    ├── BadConfig                a setting cannot be read or is invalid
    │   ├── UnknownKey           an unknown setting, with the nearest known one
    │   └── ContextTooSmall      a token budget too small for the prompt
    ├── DiskError                the file system returned an error
    │   ├── DiskFull
    │   ├── ReadOnlyDisk
    │   ├── NoPermission
    │   └── TooLarge             a file above the size limit
    ├── Damaged                  data written by Everself that fails its checks
    │   ├── HistoryDamaged       objects of the history; documents are not affected
    │   └── NewerSchema          a database written by a newer Everself
    ├── EmbeddingFailed          an embedder returned no usable vectors; search continues with keywords
    ├── ModelFailed              a chat model returned no complete answer; what was said is kept
    ├── Unfinished               started and partly done; what is done stays done, so a plain retry may do it twice
    └── Interrupted              stopped by the person

The docstring of a class is the first sentence of its message. `detail` says what exactly happened, `mend` which command or step helps.
Errors whose detail is a complete message (`WrongUse`, `RefusedByRule`) show the docstring only where there is no detail.
"""

from typing import ClassVar, Literal

EmbeddingFault = Literal["network", "timeout", "quota", "rate", "auth", "shape", "numbers", "missing", "other"]
# overflow: the conversation is larger than the model takes; spend: the limit of the day is reached
ModelFault = Literal[
    "network", "timeout", "quota", "rate", "auth", "server", "overflow", "refused", "shape", "missing", "spend", "other"
]


class EverselfError(Exception):
    """Something went wrong."""

    headline: ClassVar[str] = "Something went wrong."
    # the detail is the whole message
    detail_only: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        cls.headline = (cls.__doc__ or "").strip().splitlines()[0]

    def __init__(self, detail: str = "", *, mend: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.mend = mend

    def __str__(self) -> str:
        if not self.detail:
            return f"{self.headline.removesuffix(':')}." if self.headline.endswith(":") else self.headline
        return self.detail if self.detail_only else f"{self.headline} {self.detail}"


class WrongUse(EverselfError):
    """Invalid arguments."""

    detail_only = True


class NotFound(EverselfError):
    """Not found:"""


class NoEntryContains(NotFound):
    """No entry contains"""

    def __init__(self, words: str = "") -> None:
        short = words if len(words) <= 72 else f"{words[:71]}…"
        super().__init__(f"“{' '.join(short.split())}”.", mend="everself memory list --all")


class RefusedByRule(EverselfError):
    """Not allowed."""

    detail_only = True


class UnsafePath(RefusedByRule):
    """Unsafe path:"""

    detail_only = False


class ChangedMeanwhile(EverselfError):
    """Changed by another process in the meantime; nothing was written. Try again."""


class LockTimeout(ChangedMeanwhile):
    """Timed out waiting for another process that is writing; nothing was written."""


class StoreBusy(ChangedMeanwhile):
    """Timed out waiting for another process that holds the database; nothing was written."""


class BadConfig(EverselfError):
    """Invalid setting:"""


class UnknownKey(BadConfig):
    """Unknown setting:"""


class ContextTooSmall(BadConfig):
    """The context is too small."""


class DiskError(EverselfError):
    """File system error:"""


class DiskFull(DiskError):
    """The disk is full or a quota is reached; existing files are unchanged."""


class ReadOnlyDisk(DiskError):
    """The disk is mounted read-only; nothing was written."""


class NoPermission(DiskError):
    """Permission denied by the file system; nothing was written."""


class TooLarge(DiskError):
    """File too large:"""


class Damaged(EverselfError):
    """Damaged data:"""


class HistoryDamaged(Damaged):
    """The history of changes is damaged; your documents are not affected."""


class NewerSchema(Damaged):
    """This database was written by a newer version of Everself."""


class EmbeddingFailed(EverselfError):
    """Embedding failed:"""

    def __init__(
        self, detail: str = "", *, reason: EmbeddingFault = "other", retry_after: float | None = None, mend: str = ""
    ) -> None:
        super().__init__(detail, mend=mend)
        self.reason = reason
        # seconds after which a retry makes sense, if known
        self.retry_after = retry_after

    def __str__(self) -> str:
        # a missing key, address or package is explained by the detail alone: no service was called
        return self.detail if self.reason in ("missing", "auth") and self.detail else super().__str__()


class ModelFailed(EverselfError):
    """The model did not answer."""

    def __init__(
        self, detail: str = "", *, reason: ModelFault = "other", retry_after: float | None = None, mend: str = ""
    ) -> None:
        super().__init__(detail, mend=mend)
        self.reason = reason
        # seconds after which a retry makes sense, if known
        self.retry_after = retry_after

    def __str__(self) -> str:
        # a missing key, address or package is explained by the detail alone: no service was called
        return self.detail if self.reason in ("missing", "auth") and self.detail else super().__str__()


class Unfinished(EverselfError):
    """Only partly done:"""


class Interrupted(EverselfError):
    """Stopped."""
