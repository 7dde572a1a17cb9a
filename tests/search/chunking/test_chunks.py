"""Documents become chunks: where they begin and end, what they say, what is known of them."""

from datetime import date
from itertools import pairwise

import pytest

from everself.search.chunking.chunks import Chunk, chunk_document, chunk_text
from everself.search.chunking.marks import Flag
from everself.text.tokens import estimate

LOG = "memory/2026-03-19.md"
NOTE = "memory/garden.md"


def chunks(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk_document(path, text.encode())


def texts(path: str, text: str) -> list[str]:
    return [chunk.text for chunk in chunks(path, text)]


def test_every_entry_is_a_chunk_that_leads_back_to_it() -> None:
    found = chunks(
        "MEMORY.md", "# Memory\n\n## Tea\n\n- Likes sencha.\n- Hates Earl Grey.\n\n## Work\n\nWrites compilers.\n"
    )
    assert [(chunk.entry, chunk.text) for chunk in found] == [
        (0, "Likes sencha."),
        (1, "Hates Earl Grey."),
        (2, "Writes compilers."),
    ]
    assert [(chunk.first_line, chunk.last_line) for chunk in found] == [(5, 5), (6, 6), (10, 10)]


def test_noise_and_front_matter_are_no_chunks() -> None:
    assert texts(LOG, "---\ntags: x\n---\n\n## [09:00:00] heartbeat\n\nHEARTBEAT_OK\n") == []


def test_our_comments_are_not_said() -> None:
    text = "- Likes tea <!-- everself: id=7K3QX9M2ABCD tag=event seen=2026-03-19 --> <!-- dc:x=1 -->\n  and cake\n"
    # what stands below the comment is an entry of its own, and so a chunk of its own
    assert texts("MEMORY.md", text) == ["Likes tea", "and cake"]


def test_a_comment_of_somebody_else_inside_a_text_stays() -> None:
    assert texts(NOTE, "One <!-- aside --> two <!-- everself: broken --> three.\n") == [
        "One <!-- aside --> two <!-- everself: broken --> three."
    ]


def test_the_lines_of_an_item_lose_the_indentation_they_share() -> None:
    text = "- Run this:\n\n  ```sh\n  if x; then\n    y\n  fi\n  ```\n"
    assert texts(NOTE, text) == ["Run this:\n\n```sh\nif x; then\n  y\nfi\n```"]


def test_line_ends_of_other_systems_are_line_ends() -> None:
    assert texts(NOTE, "One\r\ntwo\r\n") == ["One\ntwo"]
    old = chunks(NOTE, "# A\r\rOne\r\r## B\r\rTwo\r")
    assert [(chunk.text, chunk.first_line) for chunk in old] == [("One", 3), ("Two", 7)]


def test_titles_are_the_headings_above_without_times() -> None:
    text = "# Garden work\n\n## Roses\n\n### [09:30:00] pruning\n\nCut the old wood.\n"
    assert chunks("memory/notes.md", text)[0].title == ("Garden work", "Roses", "pruning")


@pytest.mark.parametrize("heading", ["Memory Log: 2026-03-19", "2026-03-19", "Memory"])
def test_a_first_heading_that_repeats_the_file_name_is_no_title(heading: str) -> None:
    assert chunks(LOG, f"# {heading}\n\n## [09:30:00] decision\n\nUse Postgres.\n")[0].title == ("decision",)


def test_a_title_of_a_megabyte_is_shortened() -> None:
    found = chunks(NOTE, "# " + "x" * 1_000_000 + "\n\nText.\n")
    assert sum(map(len, found[0].title)) < 1_000


@pytest.mark.parametrize(
    ("path", "heading", "comment", "day"),
    [
        (LOG, "Tea", "", date(2026, 3, 19)),
        # a mention later on does not move what a daily log says to another day
        (LOG, "Tea", "seen=2026-05-01", date(2026, 3, 19)),
        ("MEMORY.md", "Tea", "seen=2026-05-01", date(2026, 5, 1)),
        ("MEMORY.md", "Tea", "seen=2026-99-01", None),
        ("MEMORY.md", "Tea", "", None),
        ("Archive/2026-Q1.md", "Tea", "seen=2026-02-03", date(2026, 2, 3)),
        ("Archive/2026-Q1.md", "Tea", "", date(2026, 3, 31)),
        ("Archive/2026-Q1.md", "On 2026-01-05", "", date(2026, 1, 5)),
        ("extra/2024-05-08 standup.md", "Tea", "", date(2024, 5, 8)),
        (NOTE, "2023-05-08 trip", "", date(2023, 5, 8)),
        (NOTE, "1:56 pm on 8 May, 2023", "", date(2023, 5, 8)),
        (NOTE, "May 8th, 2023", "", date(2023, 5, 8)),
        (NOTE, "8. Sept 2023, again", "", None),
        (NOTE, "2023年5月8日", "", date(2023, 5, 8)),
        (NOTE, "2023년 5월 8일", "", date(2023, 5, 8)),
        (NOTE, "2023/5/8", "", date(2023, 5, 8)),
        (NOTE, "31 Feb 2023", "", None),
        (NOTE, "Version 20230508", "", None),
    ],
)
def test_a_chunk_has_the_day_it_belongs_to(path: str, heading: str, comment: str, day: date | None) -> None:
    written = f" <!-- everself: id=7K3QX9M2ABCD {comment} -->" if comment else ""
    assert chunks(path, f"## {heading}\n\n- Sencha{written}\n")[0].day == day


def test_the_nearest_heading_with_a_day_counts() -> None:
    text = "# 2023-01-01\n\n## 2023-02-02\n\n### Tea\n\nSencha.\n"
    assert chunks(NOTE, text)[0].day == date(2023, 2, 2)


def test_what_is_struck_or_has_an_end_is_closed() -> None:
    text = (
        "- ~~Lives in Rome~~\n"
        "- Lives in Oslo <!-- everself: id=7K3QX9M2ABCD until=2026-03-19 -->\n"
        "- Lives in Bern <!-- everself: id=7K3QX9M2ABCE until=soon -->\n"
        "- Lives ~~in~~ Kyoto\n"
    )
    assert [bool(chunk.flags & Flag.CLOSED) for chunk in chunks("MEMORY.md", text)] == [True, True, False, False]


def test_a_correction_is_known_by_its_tag() -> None:
    text = "- Oslo, not Rome <!-- everself: id=7K3QX9M2ABCD tag=correction -->\n- Rome\n"
    assert [bool(chunk.flags & Flag.CORRECTION) for chunk in chunks("MEMORY.md", text)] == [True, False]


def test_the_log_of_corrections_has_a_chunk_for_each() -> None:
    record = (
        "## [09:30:0{0}] correction on 2026-03-1{0}\n\n- **Said:** Lives in Rome.\n- **Right:** Lives in Oslo.\n"
        "- **Trigger:** told directly (confidence 1.0)\n- **Entries:** none → entry:ABC\n- **Re-embedded:** false\n\n"
    )
    found = chunks("CORRECTIONS.md", "# Corrections\n\n" + "".join(record.format(number) for number in range(5)))
    assert len(found) == 5
    assert all(chunk.flags == Flag.CORRECTION and not chunk.speaker for chunk in found)
    assert [chunk.day for chunk in found] == [date(2026, 3, 10 + number) for number in range(5)]
    assert all("Rome" in chunk.text and "Oslo" in chunk.text for chunk in found)


def test_what_comes_from_elsewhere_says_so() -> None:
    assert chunk_document("extra/notes.md", b"Tea.\n", imported=True)[0].flags == Flag.IMPORTED


@pytest.mark.parametrize(
    "text",
    [
        "What sparked it?",
        "Nice dog! What is it called? 😊",
        "Did you see that? [a photo of a dog]",
        '"Where to?"',
        "**Really?**",
        "你好吗",
        "这个怎么样呢。",
        "どこに行きますか。",
        "元気ですか？",
        "어디에 갈까요.",
    ],
)
def test_a_question_asks(text: str) -> None:
    assert chunks(NOTE, text)[0].flags & Flag.ASKS


@pytest.mark.parametrize(
    "text", ["How was it? You look happy!", "See a?b=c for more", "(what?) No.", "静かな町。", "那就好。", "???", "[?]"]
)
def test_a_statement_does_not_ask(text: str) -> None:
    found = chunks(NOTE, text)
    assert [bool(chunk.flags & Flag.ASKS) for chunk in found] == [text == "???"]


@pytest.mark.parametrize(
    "text",
    [
        "I went there yesterday.",
        "Since last summer.",
        "Two weeks ago",
        "in March",
        "on May 8",
        "Back in 1999.",
        "At 14:30 sharp",
        "around 7pm",
        "See you on Fridays",
        "born 1990-02-03",
        "Das war gestern.",
        "vor drei Jahren",
        "im März",
        "nächste Woche",
        "C'était hier.",
        "il y a deux semaines",
        "l'été dernier",
        "en août",
        "Fue ayer.",
        "hace dos años",
        "el año pasado",
        "el miércoles",
        "我昨天去了",
        "去年夏天",
        "三天前",
        "下个月见",
        "2023年",
        "先週の金曜日",
        "三年前に",
        "来月",
        "어제 갔다",
        "지난주",
        "3년 전",
        "금요일",
    ],
)
def test_a_text_that_speaks_of_a_time_is_timed(text: str) -> None:
    assert chunks(NOTE, text)[0].flags & Flag.TIMED


@pytest.mark.parametrize(
    "text",
    [
        "You may march on.",
        "Good morning!",
        "Guten Morgen!",
        "Port 8080 is open",
        "the secondary one",
        "我喜欢茶",
        "お茶が好き",
        "차를 좋아해",
        "id 120260",
    ],
)
def test_a_text_that_speaks_of_no_time_is_not(text: str) -> None:
    assert not chunks(NOTE, text)[0].flags & Flag.TIMED


def test_the_time_before_a_speaker_is_not_spoken_of() -> None:
    found = chunks(NOTE, "[14:03] Anna: hello\n[14:04] Ben: see you tomorrow\n[14:05] Anna: fine\n")
    assert [bool(chunk.flags & Flag.TIMED) for chunk in found] == [False, True, False]


def test_a_short_document_is_one_group() -> None:
    found = chunks(NOTE, "".join(f"## {number}\n\n- a\n- b\n\n" for number in range(32)))
    assert len(found) == 64
    assert {chunk.group for chunk in found} == {0}


def test_a_long_document_is_grouped_by_its_sections() -> None:
    text = "# All\n\n" + "".join(
        f"## {name}\n\n" + "- item\n" * count for name, count in (("A", 30), ("B", 20), ("C", 40))
    )
    assert [chunk.group for chunk in chunks(NOTE, text)] == [0] * 30 + [1] * 20 + [2] * 40


def test_a_big_section_is_grouped_by_what_is_in_it() -> None:
    text = (
        "# All\n\n## A\n\n"
        + "### X\n\n"
        + "- x\n" * 50
        + "\n### Y\n\n"
        + "- y\n" * 140
        + "\n## B\n\n- b\n- b\n- b\n- b\n"
    )
    groups = [chunk.group for chunk in chunks(NOTE, text)]
    assert groups == [0] * 50 + [1] * 64 + [2] * 64 + [3] * 12 + [4] * 4


def test_tiny_sections_side_by_side_are_one_group() -> None:
    text = "".join(f"## [10:00:{number:02}] note\n\nSomething.\n\n" for number in range(60)) * 2
    groups = [chunk.group for chunk in chunks(LOG, text)]
    assert groups == [0] * 64 + [1] * 56


def prose(sentences: int) -> str:
    return " ".join(f"Sentence number{number} tells about the weather in town{number}." for number in range(sentences))


def test_a_short_text_is_one_chunk_with_all_its_paragraphs() -> None:
    text = "# T\n\nFirst paragraph.\n\nSecond paragraph.\n\n```\ncode\n```\n"
    assert texts(NOTE, text) == ["First paragraph.\n\nSecond paragraph.\n\n```\ncode\n```"]


def test_a_long_text_is_cut_between_its_paragraphs() -> None:
    paragraphs = [prose(9)[:-1] + f" P{number}." for number in range(24)]
    found = chunks(NOTE, "# T\n\n" + "\n\n".join(paragraphs) + "\n")
    assert 3 < len(found) < 8
    assert "\n\n".join(chunk.text for chunk in found) == "\n\n".join(paragraphs)
    assert all(estimate(chunk.text) < 520 for chunk in found)


def test_running_text_is_cut_at_sentences_and_overlaps() -> None:
    found = chunks(NOTE, prose(400))
    assert len(found) > 10
    for before, after in pairwise(found):
        assert before.text.endswith(".")
        assert after.text.startswith("Sentence ")
        assert before.start < after.start < before.end
        shared = chunk_text(prose(400).encode(), after.start, before.end)
        assert 20 < estimate(shared) < 120
    assert all(estimate(chunk.text) < 520 for chunk in found)


def test_chinese_text_is_cut_at_its_full_stops() -> None:
    text = "".join(f"第{number}天我们去了图书馆学习机器学习的基础知识。" for number in range(300))
    found = chunks(NOTE, text)
    assert len(found) > 10
    assert all(chunk.text.endswith("。") for chunk in found)
    assert all(chunk.text.startswith("第") for chunk in found)


def test_a_fence_that_fits_is_never_cut() -> None:
    code = "```python\n" + "\n\n".join(f"value_{number} = compute({number})" for number in range(25)) + "\n```"
    found = chunks(NOTE, "# T\n\n" + "\n\n".join([prose(24), code] * 6) + "\n")
    assert len(found) > 6
    assert sum(code in chunk.text for chunk in found) == 6


def test_a_fence_longer_than_a_chunk_is_cut_between_lines() -> None:
    lines = [f"value_{number} = compute({number})" for number in range(300)]
    found = chunks(NOTE, "# T\n\n```python\n" + "\n".join(lines) + "\n```\n")
    assert len(found) > 5
    assert "\n".join(chunk.text for chunk in found) == "```python\n" + "\n".join(lines) + "\n```"


def test_a_table_is_cut_between_rows_and_keeps_its_header_as_a_title() -> None:
    rows = [f"| Person {number} | 555-01{number:02} | somewhere far away in town {number} |" for number in range(90)]
    found = chunks(NOTE, "# Book\n\n| Name | Phone | Town |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    assert len(found) > 3
    assert found[0].title == ("Book",)
    assert all(chunk.title == ("Book", "Name Phone Town") for chunk in found[1:])
    assert [line for chunk in found for line in chunk.text.split("\n")][2:] == rows


def test_a_long_list_inside_an_entry_is_cut_between_its_items() -> None:
    items = [f"- point {number}: {prose(2)}" for number in range(60)]
    found = chunks(LOG, "## [09:30:00] plan\n\n" + "\n".join(items) + "\n")
    assert len(found) > 3
    assert all(chunk.text.startswith("- point") for chunk in found)
    assert {chunk.entry for chunk in found} == {0}
    assert found[0].first_line == 3
    assert found[-1].last_line == 62


def test_one_endless_word_is_cut_between_characters() -> None:
    found = chunks(NOTE, "茶" * 100_000)
    assert len(found) > 100
    assert all(set(chunk.text) == {"茶"} for chunk in found)
    assert found[-1].end == 300_000


@pytest.mark.parametrize(
    "text",
    [
        "The ferry to the island leaves from the old harbour every morning, weather permitting. ",
        "Паром на остров отходит из старой гавани каждое утро, если позволяет погода. ",
        "去岛上的渡轮每天早上从老港口出发，天气允许的话。",
        "島へのフェリーは天気がよければ毎朝古い港から出ます。",
        "섬으로 가는 배는 날씨가 좋으면 매일 아침 옛 항구에서 출발한다. ",
        "Die Fähre zur Insel fährt bei schönem Wetter jeden Morgen vom alten Hafen ab. ",
    ],
)
def test_parts_are_of_a_like_size_in_every_script(text: str) -> None:
    found = chunks(NOTE, text * 200)
    assert all(250 < estimate(chunk.text) < 560 for chunk in found[:-1])
