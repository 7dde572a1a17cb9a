import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.errors import UnsafePath
from everself.storage.paths import PATH_BYTES, SEGMENT_BYTES, check_path, find_fault

SAFE = [
    "SOUL.md",
    "memory/2026-03-19.md",
    "memory/2026-02-18-0017.md",
    "Archive/Chronicles/2026-March.md",
    "memory/会议记录-2026-01-31.md",
    "memory/회의.md",
    "memory/café.md",
    "memory/👩‍💻 notes.md",
    "memory/می‌خواهم.md",
    "memory/a..b.md",
    "memory/..md",
    "memory/...hidden.md",
    "memory/.dreams/light.json",
    "memory/100% sure.md",
    "memory/100%25.md",
    "memory/%41bc.md",
    "memory/%2e%2ehidden.md",
    "memory/at 10:30.md",
    "memory/console.md",
    "memory/nullable.md",
    "memory/com10.md",
    "memory/ leading space.md",
    "memory/SOUL.md~",
    "~/notes.md",
    "users/telegram_42/USER.md",
    "a" * SEGMENT_BYTES,
]

UNSAFE = [
    "",
    "/",
    "/etc/passwd",
    "//server/share",
    "..",
    ".",
    "../SOUL.md",
    "memory/../SOUL.md",
    "memory/..",
    "./SOUL.md",
    "memory/./x.md",
    "memory//x.md",
    "memory/",
    "memory\\x.md",
    "..\\SOUL.md",
    "\\\\server\\share",
    "C:/Windows",
    "c:SOUL.md",
    "file:///etc/passwd",
    "SOUL.md\0",
    "SOUL.md\0.txt",
    "memory/a\nb.md",
    "memory/a\rb.md",
    "memory/a\tb.md",
    "memory/\x1b[31m.md",
    "memory/\x7f.md",
    "memory/\x85.md",
    "memory/a\u2028b.md",
    "memory/dm.\u202eLUOS",
    "memory/\u2066x\u2069.md",
    "memory/\udcff.md",
    "memory/\ud800.md",
    "SOUL.md.",
    "SOUL.md ",
    "SOUL.md\u3000",
    "memory /x.md",
    "memory./x.md",
    "memory/...",
    "．．/SOUL.md",
    "．/SOUL.md",
    "‥/SOUL.md",
    "…/SOUL.md",
    ".．/SOUL.md",
    "．．／SOUL.md",
    "memory／x.md",
    "memory＼x.md",
    "memory﹨x.md",
    "%2e%2e/SOUL.md",
    "%2E%2E/SOUL.md",
    ".%2e/SOUL.md",
    "%2e/SOUL.md",
    "..%2fSOUL.md",
    "..%5cSOUL.md",
    "memory/..%2f..%2fetc%2fpasswd",
    "%252e%252e/SOUL.md",
    "%25252e%25252e/SOUL.md",
    "..%252fSOUL.md",
    "%u002e%u002e/SOUL.md",
    "%c0%ae%c0%ae/SOUL.md",
    "..%c0%afSOUL.md",
    "％2e％2e/SOUL.md",
    "SOUL.md%00.txt",
    "SOUL.md%2500.txt",
    "CON",
    "con.md",
    "memory/Aux.md",
    "memory/nul.tar.gz",
    "memory/NUL .md",
    "memory/com1.md",
    "memory/COM¹.md",
    "memory/lpt9",
    "memory/CONIN$",
    "prn/x.md",
    "a" * (SEGMENT_BYTES + 1),
    "记" * (SEGMENT_BYTES // 3 + 1),
    "/".join(["folder"] * (PATH_BYTES // 7 + 1)) + "/x.md",
]


@pytest.mark.parametrize("path", SAFE)
def test_an_ordinary_name_is_let_through(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize("path", UNSAFE, ids=ascii)
def test_a_path_that_could_mislead_is_refused(path: str) -> None:
    with pytest.raises(UnsafePath):
        check_path(path)


def test_the_refusal_says_what_is_wrong_and_prints_no_raw_control_characters() -> None:
    with pytest.raises(UnsafePath) as caught:
        check_path("memory/\x1b[2J.md")
    assert "control characters" in caught.value.detail
    assert caught.value.detail.isprintable()
    assert caught.value.mend


def test_a_very_long_path_is_not_repeated_whole() -> None:
    with pytest.raises(UnsafePath) as caught:
        check_path("x" * 100_000)
    assert len(caught.value.detail) < 500


@given(st.text())
def test_no_text_breaks_the_check(path: str) -> None:
    assert isinstance(find_fault(path), str)


_TRICKS = st.sampled_from(
    ["..", ".", "/", "\\", "%2e", "%2f", "%25", "．", "／", "‥", "\0", " ", "memory", "SOUL.md", "con", ":", "~", "é"]
)


@given(st.lists(_TRICKS, min_size=1, max_size=8).map("".join))
def test_what_is_let_through_stays_below_its_root(path: str) -> None:
    if find_fault(path):
        return
    assert "\0" not in path
    assert os.path.normpath(path) == path
    assert Path("/somewhere", path).resolve().is_relative_to("/somewhere")
