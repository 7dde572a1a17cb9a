"""R8: parse and render random and mutated bytes. No crash, not one byte changed."""

from random import Random

from everself.text.markdown.blocks import Scan, scan
from everself.text.markdown.comment import EntryComment, parse_comment, render_comment
from everself.text.markdown.edit import append_log, apply_splice, replace_text, set_comment
from everself.text.markdown.entries import EntryKind, entries
from everself.text.markdown.sections import sections

# What real workspaces hold: every oddity is somewhere in these, and mutation mixes them.
_DOCUMENTS = (
    b"# Memory Log: 2026-03-19\n\n## [09:30:00] decision\n\nWe chose apsw.\n<!-- everself: id=7K3QX9M2ABCD n=2 -->\n\n"
    b"## 02:14 UTC - Heartbeat\n\nHEARTBEAT_OK\n\n## 02:14 UTC - Heartbeat\n\nHEARTBEAT_OK",
    b"---\n\n## Notes\n- a <!-- dc:type=event dc:importance=4.5 -->\n  - b\n\n    more\n- ~~old~~\n1. x\n2) y\n\n---\nz\n",
    b"\xef\xbb\xbf---\r\ntitle: x\r\ntags:\r\n  - y\r\n---\r\n\r\n# A\r\n\r\n# B\r\ntext\r\n===\r\n\r\n| a | b |\r\n|---|---|\r\n",
    "# 记忆 🧠\n\n- 喝茶 👩‍💻\n> quoted\nlazy\n\n```json\n{\"untrusted\": true}\n\n## not a heading\n".encode(),
    b"user: hi\nassistant: NO_REPLY\n\n<!-- share: group, subagent -->\n<!-- open\n\n<div>\nx\n</div>\n\n    code\n\n\tcode\n",
)  # fmt: skip
_TOKENS = (
    b"\n", b"\r\n", b"\r", b"\n\n", b"# ", b"## [10:00:00] x\n", b"- ", b"  - ", b"1. ", b"> ", b"```", b"~~~", b"---\n",
    b"===\n", b"|", b"|---|\n", b"<!--", b"-->", b"<!-- everself: id=A", b" -->", b"<div>", b"<script>", b"    ", b"\t",
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"~~", b"\\", b"a", b"word ",
)  # fmt: skip
_MARK = EntryComment((("id", "R8"), ("x-odd", "a b--c>\n")))


def make_document(random: Random) -> bytes:
    """Noise, tokens thrown together, or a real document that something happened to."""
    style = random.randrange(6)
    if style == 0:
        return random.randbytes(random.randrange(200))
    if style == 1:
        return b"".join(random.choices(_TOKENS, k=random.randrange(40)))
    data = bytearray(random.choice(_DOCUMENTS))
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.randrange(30))
        match random.randrange(5):
            case 0:
                data[at:at] = random.choice(_TOKENS)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end]
            case 3:
                data[at:end] = random.randbytes(random.randrange(6))
            case _:
                other = random.choice(_DOCUMENTS)
                cut = random.randrange(len(other))
                data[at:at] = other[cut : cut + random.randrange(80)]
    return bytes(data)


def check_document(data: bytes) -> None:
    scanned = scan(data)
    assert b"".join([data[block.start : block.end] for block in scanned.blocks]) == data
    reached = 0
    for block in scanned.blocks:
        assert block.start == reached
        reached = block.end
    for section in sections(scanned):
        assert section.start < section.body <= section.own_end <= section.end <= len(data)
    _check_entries(scanned)


def _check_entries(scanned: Scan) -> None:
    data, reached = scanned.data, 0
    for entry in entries(scanned):
        assert reached <= entry.start <= entry.text_start <= entry.text_end <= entry.end
        reached = entry.end
        if entry.comment is None or entry.kind is EntryKind.FRONT_MATTER:
            continue
        found = entry.comment
        assert parse_comment(render_comment(found.comment)) is not None
        # a comment put in the place of another is all that differs, and the other can be put back
        changed = apply_splice(data, set_comment(scanned, entry, _MARK))
        size = len(render_comment(_MARK))
        assert changed[: found.start] + data[found.start : found.end] + changed[found.start + size :] == data
        splice = replace_text(scanned, entry, b"other words")
        assert entry.start <= splice.start <= splice.end <= entry.end
    assert apply_splice(data, append_log(scanned, "10:00:00", "r8", b"text")).startswith(data)


def run_r8(count: int, seed: int) -> str:
    random = Random(seed)
    total = 0
    for number in range(count):
        data = make_document(random)
        total += len(data)
        try:
            check_document(data)
        # the row counts crashes of every kind and must show the document that caused one
        except Exception as problem:
            raise AssertionError(f"R8 seed {seed}, document {number}: {problem!r} on {data!r}") from problem
    return f"R8 {count} documents ({total} bytes), 0 crashes, 0 bytes changed, seed {seed}"
