"""What a note says decides whether it is worth keeping: eight categories, four languages, and the words that speak for it."""

import pytest

from everself.memory.promotion.scoring import CATEGORIES, Category, judge
from everself.values import Entry, Tag

FLAGGED = 0.4


def entry(text: str, tag: Tag = Tag.NONE, category: str = "", mentions: int = 1) -> Entry:
    return Entry("7K3QX9M2ABCD", "memory/2026-03-12.md", text, tag=tag, category=category, mentions=mentions)


def best(text: str) -> tuple[str, bool]:
    found = judge(entry(text))
    return (found[0].category, found[0].confidence >= FLAGGED) if found else ("", False)


# The words of the seed's own table, in sentences; each in every language that has them.
CLEAR: dict[Category, tuple[str, ...]] = {
    "decision": (
        "We decided to ship on Mondays only.",
        "The board approved the new logo.",
        "배송은 월요일에만 하기로 결정했다.",
        "我们决定只在周一发货。",
        "我們決定只在週一發貨。",
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
        "3월 매출은 두 곳에서 나왔다. 마진은 낮다.",
        "三月营收来自两个渠道。",
        "三月の売上は二つの取引による。",
    ),
    "legal": (
        "The trademark is registered in two classes.",
        "GDPR applies to the newsletter.",
        "상표는 두 류에 등록되어 있다.",
        "商标注册在两个类别。",
        "商標は二つの区分で登録されている。",
    ),
    "people": (
        "Our new client is Kim from Busan.",
        "변리사는 김민수 씨다.",
        "客户叫王芳，在上海。",
        "弁理士は佐藤さん。",
    ),
    "milestone": (
        "Launched the beta to forty people.",
        "Phase 2 begins in May.",
        "베타를 출시했다.",
        "测试版正式上线了。",
        "ベータ版をリリースした。",
    ),
    "strategy": (
        "The roadmap puts the app before the shop.",
        "로드맵에서는 앱이 먼저다.",
        "路线图里应用优先。",
        "ロードマップではアプリが先だ。",
    ),
    "explicit": (
        "Remember this: the spare key is with Ann.",
        "IMPORTANT: never deploy on Friday",
        "★ spare key is with Ann",
        "기억해: 열쇠는 민지에게 있다",
        "请记住，备用钥匙在安娜那里",
        "覚えておいて。鍵はアンナが持っている",
    ),
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_seeds_words_are_found_in_every_language(category: Category) -> None:
    missed = [text for text in CLEAR[category] if best(text) != (category, True)]
    assert missed == []


# plain days, questions, and what is said not to be so
ORDINARY = (
    "Had soup with Ann and walked home.",
    "Fixed the failing test, all green now.",
    "Lunch was $12.",
    "Have we decided on the logo?",
    "The logo is not decided yet.",
    "If we launch in May, I will take a week off.",
    "This is not important.",
    "How many times did the job run?",
    "The design of this chair is nice.",
    "오늘 점심은 김밥이었다.",
    "로고는 아직 결정되지 않았다.",
    "언제 출시할까?",
    "今天中午吃了面。",
    "标志还没决定。",
    "要不要发布？",
    "昼はラーメンだった。",
    "ロゴはまだ決まっていない。",
    "散歩して本を読んだ。",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_a_plain_day_is_no_candidate(text: str) -> None:
    assert best(text)[1] is False, judge(entry(text))


def test_one_remember_this_is_enough_and_one_hint_is_not() -> None:
    assert judge(entry("remember this: tea at four"))[0].confidence == 0.9
    assert judge(entry("the stack of books fell"))[0].confidence < FLAGGED
    assert judge(entry("the stack: a database and a cache. The schema follows."))[0].confidence >= FLAGGED


def test_each_reason_names_the_words_that_speak_for_it() -> None:
    found = judge(entry("After lunch we agreed on oak."))
    assert found[0].reasons == ("it says “we agreed”",)


def test_a_tag_a_heading_and_mentions_speak_for_it_too() -> None:
    assert judge(entry("Oak.", Tag.DECISION))[0].reasons == ("it is tagged as a decision",)
    assert judge(entry("Oak.", category="decision"))[0].category == "decision"
    once, often = (judge(entry("Launch went well.", mentions=count))[0].confidence for count in (1, 4))
    assert once < FLAGGED <= often


def test_one_sentence_is_one_sign_however_many_patterns_it_fits() -> None:
    one = judge(entry("We decided and agreed and confirmed the logo."))[0].confidence
    two = judge(entry("We decided on the logo. The board approved it."))[0].confidence
    assert one < two < 1


def test_a_megabyte_is_read_in_time() -> None:
    assert judge(entry("we decided " * 100_000))[0].category == "decision"
