"""The one tree of errors. Expected outcomes (a conflict, a refusal of a change) are values, not errors.

    EverselfError
    ├── WrongUse                 the call itself is off: bad flag, bad id, bad combination
    ├── NotFound                 a thing that was named does not exist
    │   └── NoEntryContains      words that stand in no entry and no place
    ├── RefusedByRule            a rule of the house says no
    │   └── UnsafePath           a path that leaves the workspace, passes a link, or is no plain file
    ├── ChangedMeanwhile         somebody else was faster; trying again can help
    │   ├── LockTimeout          another process holds the lock
    │   └── StoreBusy            another process holds the database
    ├── BadConfig                a setting cannot be read or makes no sense
    │   ├── UnknownKey           a setting nobody knows, with the nearest known one
    │   └── ContextTooSmall      a budget in which the soul does not fit whole
    ├── DiskError                the file system said no
    │   ├── DiskFull
    │   ├── ReadOnlyDisk
    │   ├── NoPermission
    │   └── TooLarge             a file beyond what is read
    ├── Damaged                  bytes of ours that do not check out
    │   ├── HistoryDamaged       objects of the history; documents are not affected
    │   └── NewerSchema          a database written by a newer Everself
    ├── EmbeddingFailed          an embedder gave no vectors that can be used; search goes on by words
    ├── ModelFailed              a chat model gave no whole answer; what was said is kept
    ├── Unfinished               begun, and not all of it done: what is done stands, so nobody may simply repeat it
    └── Interrupted              the person stopped it

The docstring of a class is the sentence a person reads first; `detail` says what exactly, `mend` the command or act that helps.
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

    def __init_subclass__(cls) -> None:
        cls.headline = (cls.__doc__ or "").strip().splitlines()[0]

    def __init__(self, detail: str = "", *, mend: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.headline} {self.detail}".strip()


class WrongUse(EverselfError):
    """That is not how this is called."""


class NotFound(EverselfError):
    """There is no such thing."""


class NoEntryContains(NotFound):
    """No entry contains"""

    def __init__(self, words: str = "") -> None:
        short = words if len(words) <= 72 else f"{words[:71]}…"
        super().__init__(f"“{' '.join(short.split())}”.", mend="everself memory list --all")


class RefusedByRule(EverselfError):
    """A rule forbids this."""


class UnsafePath(RefusedByRule):
    """This path is not safe to use."""


class ChangedMeanwhile(EverselfError):
    """Something else changed it in the meantime; nothing was written. Try again."""


class LockTimeout(ChangedMeanwhile):
    """Another process is writing and did not finish in time; nothing was written."""


class StoreBusy(ChangedMeanwhile):
    """Another process holds the database and did not finish in time; nothing was written."""


class BadConfig(EverselfError):
    """A setting cannot be used."""


class UnknownKey(BadConfig):
    """There is no such setting."""


class ContextTooSmall(BadConfig):
    """The context has no room for the whole soul."""


class DiskError(EverselfError):
    """The file system refused."""


class DiskFull(DiskError):
    """The disk is full, or a quota is reached; what was there is unchanged."""


class ReadOnlyDisk(DiskError):
    """The disk is mounted read-only; nothing was written."""


class NoPermission(DiskError):
    """The file system denies permission; nothing was written."""


class TooLarge(DiskError):
    """The file is larger than Everself reads."""


class Damaged(EverselfError):
    """Bytes that Everself wrote do not check out any more."""


class HistoryDamaged(Damaged):
    """The history of changes is damaged; your documents are not affected."""


class NewerSchema(Damaged):
    """This database was written by a newer version of Everself."""


class EmbeddingFailed(EverselfError):
    """The texts could not be embedded."""

    def __init__(
        self, detail: str = "", *, reason: EmbeddingFault = "other", retry_after: float | None = None, mend: str = ""
    ) -> None:
        super().__init__(detail, mend=mend)
        self.reason = reason
        # seconds after which asking again makes sense, where that is known
        self.retry_after = retry_after


class ModelFailed(EverselfError):
    """The model did not answer."""

    def __init__(
        self, detail: str = "", *, reason: ModelFault = "other", retry_after: float | None = None, mend: str = ""
    ) -> None:
        super().__init__(detail, mend=mend)
        self.reason = reason
        # seconds after which asking again makes sense, where that is known
        self.retry_after = retry_after


class Unfinished(EverselfError):
    """This was begun, and not all of it is done."""


class Interrupted(EverselfError):
    """Stopped."""
