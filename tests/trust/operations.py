"""The registry of operations on a workspace that the reliability rows run over. Whoever adds one adds it here; a test sees to it."""

from collections.abc import Callable
from random import Random

from everself.memory.drafts import Draft
from everself.memory.entries import read_document
from everself.memory.promotion.moves import carry
from everself.values import (
    Append,
    Author,
    Change,
    Conflict,
    Create,
    Entry,
    Insert,
    Move,
    Remove,
    Replace,
    digest,
    new_id,
)
from everself.workspace.protocol import Workspace
from everself.workspace.undo import plan_undo

# Plans a change for the workspace as it stands; None when there is nothing to do it to.
Planner = Callable[[Workspace, Random], Change | None]

SOULS = (b"# Soul\n\nYou are Koda.\n", b"# Soul\n\nYou are Koda.\n\n## Learned\n\n- Ask before deleting.\n" * 40)


def random_id(random: Random) -> str:
    return new_id(random.randbytes)


def entry(random: Random) -> bytes:
    words = " ".join(
        random.choice(("tea", "rust", "茶", "봄", "tundra", "Monday")) for _ in range(random.randrange(2, 40))
    )
    return f"\n## [09:30:00] note\n\n{words} <!-- everself: id={random_id(random)} -->\n".encode()


def choose(workspace: Workspace, random: Random) -> tuple[str, bytes] | None:
    found = [one.path for one in workspace.list() if one.path != "SOUL.md"]
    if not found:
        return None
    path = random.choice(found)
    return path, workspace.read(path).data


def append_to_log(_: Workspace, random: Random) -> Change:
    day = random.randrange(18, 21)
    edit = Append(f"memory/2026-03-{day}.md", entry(random), header=f"# Memory Log: 2026-03-{day}\n".encode())
    return Change(Author.OWNER, "append", (edit,))


def create_topic(_: Workspace, random: Random) -> Change:
    return Change(
        Author.OWNER, "create", (Create(f"memory/topics/{random_id(random).lower()}.md", entry(random) * 30),)
    )


def replace_soul(workspace: Workspace, random: Random) -> Change | None:
    now = workspace.find("SOUL.md")
    if now is None:
        return Change(Author.OWNER, "create soul", (Create("SOUL.md", SOULS[0]),))
    new = SOULS[1] if now.data == SOULS[0] else SOULS[0]
    del random
    return Change(Author.OWNER, "replace", (Replace("SOUL.md", now.hash, 0, len(now.data), new),))


def insert_line(workspace: Workspace, random: Random) -> Change | None:
    found = choose(workspace, random)
    if found is None:
        return None
    path, data = found
    at = data.find(b"\n", random.randrange(len(data) + 1)) + 1
    return Change(Author.OWNER, "insert", (Insert(path, digest(data), at, entry(random)),))


def move_entry(workspace: Workspace, random: Random) -> Change | None:
    """From a daily log to MEMORY.md, as `everself memory promote --apply` does it: two documents, one change."""

    def read(path: str) -> bytes | None:
        found = workspace.find(path)
        return None if found is None else found.data

    del random
    for one in workspace.list("memory"):
        if not one.path.startswith("memory/2026"):
            continue
        for found in read_document(read(one.path) or b""):
            entry = Entry(found.claim("id"), one.path, found.text, kind=found.kind, start=found.start)
            draft = Draft(read)
            carry(draft, (entry,), "MEMORY.md", "Facts")
            return Change(Author.OWNER, "promote", draft.edits())
    return None


def archive_document(workspace: Workspace, random: Random) -> Change | None:
    found = choose(workspace, random)
    if found is None:
        return None
    path, data = found
    return Change(Author.OWNER, "move", (Move(path, digest(data), f"Archive/{random_id(random).lower()}.md"),))


def remove_document(workspace: Workspace, random: Random) -> Change | None:
    found = choose(workspace, random)
    return Change(Author.OWNER, "remove", (Remove(found[0], digest(found[1])),)) if found else None


def undo_last(workspace: Workspace, random: Random) -> Change | None:
    records = workspace.changes(limit=5)
    if not records:
        return None
    record, files = workspace.record(random.choice(list(records)).id)

    def read(path: str) -> bytes | None:
        found = workspace.find(path)
        return None if found is None else found.data

    plan = plan_undo(record, files, read)
    return None if isinstance(plan, Conflict) else plan


OPERATIONS: dict[str, Planner] = {
    "append": append_to_log,
    "create": create_topic,
    "replace": replace_soul,
    "insert": insert_line,
    "promote": move_entry,
    "move": archive_document,
    "remove": remove_document,
    "undo": undo_last,
}


def contents(workspace: Workspace) -> dict[str, bytes]:
    return {one.path: workspace.read(one.path).data for one in workspace.list()}


def seeded(workspace: Workspace, random: Random, steps: int = 6) -> None:
    """Give a fresh workspace a little life."""
    for name in ("replace", "append", "append", "create", "promote", "append")[:steps]:
        change = OPERATIONS[name](workspace, random)
        if change is not None:
            workspace.apply(change)
