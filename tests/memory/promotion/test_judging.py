"""What a note says and what else speaks for it decide how high it ranks: eight learned categories, a tag, a heading, weeks."""

from datetime import date

import pytest

from everself.classify.topics import Category
from everself.memory.promotion.scoring import CATEGORIES, judge
from everself.values import Entry, Tag

FLAGGED = 0.4


def entry(text: str, tag: Tag = Tag.NONE, category: str = "", mentions: int = 1) -> Entry:
    return Entry("7K3QX9M2ABCD", "memory/2026-03-12.md", text, tag=tag, category=category, mentions=mentions)


def best(text: str) -> tuple[str, bool]:
    found = judge(entry(text))
    return (found[0].category, found[0].confidence >= FLAGGED) if found else ("", False)


# none of these was learned from
CLEAR: dict[Category, tuple[str, ...]] = {
    "decision": (
        "We decided to ship on Mondays only.",
        "The board approved the new logo.",
        "배송은 월요일에만 하기로 결정했다.",
        "我们决定只在周一发货。",
        "発送は月曜日だけにすることに決定した。",
    ),
    "architecture": (
        "The architecture has three services and a queue.",
        "아키텍처는 서비스 세 개로 나눈다.",
        "架构分成三个服务。",
        "アーキテクチャは三つのサービスからなる。",
    ),
    "financial": (
        "Revenue in March came from two sources.",
        "The rent is $1,200 a month from May.",
        "三月营收来自两个渠道。",
        "三月の売上は二つの取引による。",
    ),
    "legal": ("The trademark is registered in two classes.", "상표는 두 류에 등록되어 있다."),
    "people": ("Our new client is Kim from Busan.", "弁理士は佐藤さん。"),
    "milestone": ("Launched the beta to forty people.", "베타를 출시했다.", "ベータ版をリリースした。"),
    "strategy": (
        "The roadmap puts the app before the shop.",
        "로드맵에서는 앱이 먼저다.",
        "ロードマップではアプリが先だ。",
    ),
    "explicit": (
        "Remember this: the spare key is with Ann.",
        "기억해: 열쇠는 민지에게 있다",
        "请记住，备用钥匙在安娜那里",
        "覚えておいて。鍵はアンナが持っている",
    ),
}


def test_four_of_five_notes_that_are_plainly_of_a_kind_are_shown_as_such() -> None:
    judged = [(category, best(text)) for category in CATEGORIES for text in CLEAR[category]]
    right = [found == (category, True) for category, found in judged]
    assert sum(right) >= 0.8 * len(right), [one for one, well in zip(judged, right, strict=True) if not well]


# plain days, questions, and what is said not to be so
ORDINARY = (
    "Had soup with Ann and walked home.",
    "Fixed the failing test, all green now.",
    "Have we decided on the logo?",
    "The logo is not decided yet.",
    "If we launch in May, I will take a week off.",
    "How many times did the job run?",
    "The design of this chair is nice.",
    "오늘 점심은 김밥이었다.",
    "언제 출시할까?",
    "今天中午吃了面。",
    "标志还没决定。",
    "昼はラーメンだった。",
    "散歩して本を読んだ。",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_a_plain_day_is_no_candidate(text: str) -> None:
    assert best(text)[1] is False, judge(entry(text))


def test_an_explicit_wish_ranks_above_whatever_else_is_said() -> None:
    asked = judge(entry("Remember this: tea at four"))[0]
    assert asked.category == "explicit"
    assert asked.confidence >= 0.9 > judge(entry("We agreed on oak."))[0].confidence >= FLAGGED


def test_each_reason_names_the_words_that_speak_for_it() -> None:
    assert any("“We agreed on oak.”" in reason for reason in judge(entry("We agreed on oak."))[0].reasons)


def test_a_tag_and_a_heading_speak_for_it_too() -> None:
    assert judge(entry("Oak.", Tag.DECISION))[0].reasons == ("it is tagged as a decision",)
    assert judge(entry("Oak.", category="decision"))[0].category == "decision"


def ranked(**said: object) -> float:
    found = entry("We agreed on oak.")._replace(day=date(2026, 3, 2), **said)  # type: ignore[arg-type] # fields by name
    return judge(found)[0].confidence


def test_mentions_in_different_weeks_rank_above_mentions_of_one_day() -> None:
    once = ranked()
    same_day = ranked(mentions=3, seen=date(2026, 3, 2))
    apart = ranked(mentions=3, seen=date(2026, 3, 23))
    assert once < same_day < apart


def test_a_correction_ranks_above_what_was_never_wrong() -> None:
    assert ranked() < ranked(tag=Tag.CORRECTION)


def test_what_speaks_for_any_entry_makes_none_of_a_plain_day() -> None:
    found = entry("Had soup with Ann and walked home.", Tag.CORRECTION, mentions=9)
    assert judge(found) == ()


def test_a_megabyte_is_read_in_time() -> None:
    assert judge(entry("We agreed on oak. " * 60_000))[0].category == "decision"
