"""Detects changes to guarded documents made outside Everself: checks before every prompt, reports, accepts or restores them.

The accepted state is sealed in the store with a counter that is also kept outside of it. Everself's own changes are known from the ledger
and are never reported. Knows nothing of prompts or how a person is notified.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeVar

from everself.clock import Clock
from everself.config.sections import SoulIntegrity
from everself.errors import ChangedMeanwhile, Damaged, DiskError, LockTimeout, RefusedByRule, TooLarge
from everself.frozen import Frozen
from everself.identity.integrity_check import Examination, Look
from everself.identity.outside_changes import Counter, IntegrityMark, Tamper, accepted_words
from everself.storage.filesystem import READ_LIMIT
from everself.storage.state.baselines import Baseline
from everself.storage.state.database import State
from everself.values import Author, Change, digest
from everself.workspace.guards import HUMANS
from everself.workspace.protocol import Workspace, need_done
from everself.workspace.undo import edit_between

T = TypeVar("T")
TOLD: Final = "integrity told"


class AcceptedDocuments(Frozen):
    """The documents a human accepted: `paths` had changed."""

    paths: tuple[str, ...]
    counter: int


class Restored(Frozen):
    """The restored documents and their change, and those that could not be restored, with the reason."""

    change: str
    paths: tuple[str, ...]
    left: tuple[tuple[str, str], ...] = ()


class Integrity:
    def __init__(
        self,
        workspace: Workspace,
        state: State,
        counter: Counter,
        clock: Clock,
        *,
        personas: tuple[str, ...] = (),
        policy: SoulIntegrity = SoulIntegrity.NOTICE,
    ) -> None:
        self._workspace = workspace
        self._state = state
        self._counter = counter
        self._clock = clock
        self._examination = Examination(workspace, state, counter, personas)
        self.policy = policy
        self._last: Look | None = None

    def begin(self) -> None:
        """Accept the documents as they are, if nothing was accepted before: at setup and adoption."""
        if self._examine().first:
            self._locked(self._settle)

    def look(self) -> tuple[Tamper, ...]:
        """All outside changes that were not accepted. Called before every prompt; reads a few files."""
        found = self._examine()
        if found.first or found.own or found.tampers or _lags(found):
            # another process may be in the middle of a change, so only the state under the lock counts; if nothing can be written, only
            # looking is possible
            with suppress(LockTimeout, DiskError, Damaged):
                found = self._locked(self._settle)
        elif found.mark is not None and found.since.head.seq > found.mark.ledger.seq:
            self._keep(IntegrityMark(found.mark.counter, found.since.head))
        self._last = found
        return tuple(replace(one, told=self._token(found, one) in self._told()) for one in found.tampers)

    def text(self, path: str) -> bytes | None:
        """The text for the prompt, from the last check. Under `strict` the accepted text, until a human accepts the change."""
        if self._last is None:
            self.look()
        last = self._last
        now = last.seen.get(path) if last is not None else None
        if last is None or now is None:
            found = self._workspace.find(path)
            return found.data if found is not None else None
        if any(one.path == path for one in last.tampers) and (now.fault or self.policy is SoulIntegrity.STRICT):
            return None if last.breached else accepted_words(last.sealed.baselines, path)
        # an older copy or a forged seal proves nothing
        return None if last.breached and self.policy is SoulIntegrity.STRICT else now.data

    def whole_text(self, path: str) -> bytes | None:
        """Like `text`, for a soul, which is used completely or not at all."""
        found = self.text(path)
        if found is not None and len(found) >= READ_LIMIT:
            raise TooLarge(f"{path} exceeds the size that Everself reads.", mend="Shorten it.")
        return found

    def tell(self, tampers: Iterable[Tamper]) -> None:
        """Record that the person was told, so that the notice is not repeated at every turn."""
        found = self._last or self._examine()
        tokens = {self._token(found, one) for one in found.tampers}
        told = (self._told() & tokens) | {self._token(found, replace(one, told=False)) for one in tampers}
        self._state.set_meta(TOLD, " ".join(sorted(told)))

    def accept(self, paths: Sequence[str] | None = None, *, by: Author) -> AcceptedDocuments:
        """Accept the current content of these documents, as a human; None means all."""
        self._need_human(by)

        def work() -> AcceptedDocuments:
            found = self._examine()
            if paths is not None and (found.breached or found.first):
                raise RefusedByRule("The accepted state is not known; accept all documents or none.")
            chosen = list(found.seen if paths is None else paths)
            for path in chosen:
                if path not in found.seen:
                    raise RefusedByRule(f"{path} is not one of the guarded documents, which only humans change.")
                if found.seen[path].fault:
                    raise RefusedByRule(found.seen[path].fault, mend="Put a plain file in its place first.")
            changed = tuple(one.path for one in found.tampers if one.path in chosen)
            return AcceptedDocuments(changed, self._seal(found, {*chosen, *found.own}))

        return self._locked(work)

    def restore(self, paths: Sequence[str] | None = None, *, by: Author) -> Restored:
        """Restore the accepted text, as a change set of the owner."""
        self._need_human(by)
        found = self._examine()
        if found.breached:
            raise RefusedByRule("The accepted state is not known, so nothing can be restored.")
        edits, left = [], []
        for one in found.tampers:
            if paths is not None and one.path not in paths:
                continue
            wanted = accepted_words(found.sealed.baselines, one.path)
            if one.kind == "link":
                left.append((one.path, f"{one.why} Remove it by hand first."))
            elif wanted is None and one.kind != "added":
                left.append((one.path, "The accepted text is no longer stored; see everself log."))
            else:
                edit = edit_between(one.path, found.seen[one.path].data, wanted)
                edits += [edit] if edit is not None else []
        if not edits:
            return Restored("", (), tuple(left))
        done = need_done(self._workspace.apply(Change(by, "undo what was changed outside", tuple(edits))))
        if done is None:
            raise ChangedMeanwhile(", ".join(edit.path for edit in edits))
        self._locked(self._count_up)
        return Restored(done.id, done.paths, tuple(left))

    def _need_human(self, by: Author) -> None:
        if by not in HUMANS:
            raise RefusedByRule("Permission denied: only a human can accept or undo a change made outside Everself.")

    def _locked(self, work: Callable[[], T]) -> T:
        """Run something while no process applies a change set."""
        done: list[T] = []

        def plan() -> None:
            done.append(work())

        self._workspace.apply_plan(plan)
        self._last = None
        return done[0]

    def _settle(self) -> Look:
        found = self._examine()
        if found.breached:
            return found
        if found.first:
            # the counter is written first: from now on a seal without a counter is suspicious
            self._counter.raise_to(IntegrityMark(0, found.since.head))
            self._seal(found, [path for path, now in found.seen.items() if not now.fault])
            return self._examine()
        with suppress(DiskError):
            if found.own:
                self._seal(found, found.own)
                return self._examine()
            if _lags(found) or found.mark is None or found.since.head != found.mark.ledger:
                self._counter.raise_to(IntegrityMark(found.sealed.counter, found.since.head))
        return found

    def _count_up(self) -> None:
        """Raise the count. A notice about a repeated change is then shown again."""
        found = self._examine()
        if not found.breached:
            self._seal(found, found.own)

    def _seal(self, found: Look, paths: Iterable[str]) -> int:
        """Seal, then raise the counter: a crash in between leaves a seal that is one ahead, which the next check completes."""
        counter = max(found.sealed.counter, found.mark.counter if found.mark is not None else 0) + 1
        at = self._clock.now().isoformat()
        rows = [Baseline(path, found.seen[path].hash, _words(found.seen[path].data), at) for path in paths]
        self._state.baselines.accept(rows, counter)
        # where the chain is broken, the human accepts the ledger as it is; doctor keeps reporting it
        head = self._state.ledger_head() if found.since.broken else found.since.head
        self._counter.raise_to(IntegrityMark(counter, head))
        return counter

    def _keep(self, mark: IntegrityMark) -> None:
        # a full disk must not stop the agent; the next check retries
        with suppress(DiskError, ChangedMeanwhile):
            self._counter.raise_to(mark)

    def _examine(self) -> Look:
        return self._examination.look()

    def _told(self) -> set[str]:
        return set((self._state.get_meta(TOLD) or "").split())

    def _token(self, found: Look, one: Tamper) -> str:
        """Without the key nobody can mark a warning as shown in advance; after the next seal it is shown again."""
        said = f"told {found.sealed.counter} {one.kind} {one.path} {one.why} {digest(one.after.encode('utf-8', 'replace'))}"
        return self._state.keyed(said)


def _lags(found: Look) -> bool:
    return found.mark is not None and found.sealed.counter > found.mark.counter


def _words(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
