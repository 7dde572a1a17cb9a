"""What contradicts what, in four languages; what does not, though it looks alike; and that a long text costs little."""

import pytest

from everself.classify.contradiction import attributes_of, contradicts


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("I live in Porto", "I live in Braga these days", "attribute"),
        ("My dog is called Bruno", "My dog is called Otto", "attribute"),
        ("I prefer trains over planes", "I prefer planes over trains", "attribute"),
        ("The rent is 1200 dollars", "Rent went up to 1350", "number"),
        ("The timeout is two minutes", "The timeout is 90 seconds", "number"),
        ("Our standup is at 9:30", "Standup moved to 10:00", "date"),
        ("The meeting is on Monday", "The meeting is on Wednesday", "date"),
        ("I can drive", "I can't drive", "negation"),
        ("The heating is off", "The heating is on", "antonym"),
        ("We are closed on Mondays", "We're open on Mondays", "antonym"),
        ("我住在杭州", "我现在住在苏州", "attribute"),
        ("房租每月三千", "房租涨到三千五了", "number"),
        ("会议在周三下午", "会议改到周五上午了", "date"),
        ("我对花生过敏", "我对花生不过敏", "negation"),
        ("我喜欢吃香菜", "我讨厌香菜", "antonym"),
        ("제 아내 이름은 지영이에요", "제 아내 이름은 민지예요", "attribute"),
        ("고양이 두 마리 키워요", "고양이 세 마리 키워요", "number"),
        ("회의는 수요일이에요", "회의가 금요일로 바뀌었어요", "date"),
        ("술 마셔요", "이제 술 안 마셔요", "negation"),
        ("알림은 켜져 있어요", "알림은 꺼져 있어요", "antonym"),
        ("血液型はA型です", "血液型はO型です", "attribute"),
        ("家賃は8万円です", "家賃が9万円に上がりました", "number"),
        ("結婚式は10月です", "結婚式は12月に延期になりました", "date"),
        ("免許を持っています", "免許は持っていません", "negation"),
        ("通知はオンです", "通知はオフです", "antonym"),
    ],
)
def test_one_thing_that_cannot_be_two_at_once_contradicts(older: str, newer: str, kind: str) -> None:
    verdict = contradicts(older, newer)
    assert verdict.kind == kind
    assert 0.5 < verdict.sure <= 1
    assert verdict.why


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a cat", "I have a dog"),
        ("My mom lives in Rome", "My aunt lives in Milan"),
        ("My laptop is a MacBook", "My laptop is slow"),
        ("My car is red", "My car is a Toyota"),
        ("Room 3 has a projector", "Room 5 has no projector"),
        ("I used to smoke", "I don't smoke"),
        ("I might move to Lyon", "I live in Paris"),
        ("I read two books in May", "I read three books in June"),
        ("I work at a bank", "I work from home on Fridays"),
        ("The train leaves at 8", "The bus leaves at 9"),
        ("I live in Leeds", "I live in Leeds, near the station"),
        ("我不吃辣", "我爱吃甜的"),
        ("我会说英语", "我还会说法语"),
        ("去年去了日本", "今年去了泰国"),
        ("제 차는 빨간색이에요", "제 차는 현대예요"),
        ("커피는 안 마셔요", "차는 마셔요"),
        ("月曜はジムに行きます", "水曜はプールに行きます"),
        ("英語が話せます", "フランス語も話せます"),
    ],
)
def test_what_can_both_be_true_does_not(older: str, newer: str) -> None:
    assert not contradicts(older, newer)
    assert not contradicts(newer, older)


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("We meet every Tuesday", "we meet on Wednesdays now", "date"),
        ("My weight is 80 kg", "down to 74 kilos after the diet", "number"),
        ("The piano is in the hall", "The piano got moved to the attic.", "attribute"),
        ("我体重62公斤", "减肥成功，已经58公斤了", "number"),
        ("面试约在下周二", "面试改下周四了", "date"),
        ("몸무게 70키로", "운동해서 65키로 됐어", "number"),
        ("회식은 금요일이야", "회식 목요일로 당겨졌어", "date"),
        ("家賃は7万2千円", "更新で家賃が7万5千円に", "number"),
        ("歯医者は火曜の夕方", "歯医者の予約を木曜にずらした", "date"),
    ],
)
def test_a_change_is_found_by_what_both_share_and_how_the_newer_speaks(older: str, newer: str, kind: str) -> None:
    verdict = contradicts(older, newer)
    assert verdict.kind == kind
    assert verdict.why


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My sister is called Mia", "No, my sister is called Mia, not Mira"),
        ("Note 3 is about the garden.", "Note 4 is about the garden."),
        ("The pitcher throws a ball from the mound", "From the mound a ball was thrown by the pitcher"),
    ],
)
def test_what_only_looks_like_a_change_is_none(older: str, newer: str) -> None:
    assert not contradicts(older, newer)


def test_the_same_words_never_contradict_themselves() -> None:
    for text in ("I live in Leeds.", "", "   ", "?", "…", "我不吃辣", "3", "I LIVE in leeds.\n"):
        assert not contradicts(text, text)
        assert not contradicts(text, "")
        assert not contradicts("", text)


def test_statements_in_two_languages_or_without_letters_are_no_trouble() -> None:
    for one in (
        "I live in Leeds",
        "我住在杭州",
        "저는 대전에 살아요",
        "京都に住んでいます",
        "🙂🙂",
        "\ud800",
        "12:00",
        "一" * 50,
    ):
        for other in ("저는 서울에 살아요", "I live in York", "\udfff x", "９９９", "一二三"):
            contradicts(one, other)


def test_a_long_text_is_compared_by_its_beginning_only() -> None:
    padding = "The soup needs salt. " * 5_000
    assert contradicts("I don't eat meat. " + padding, "I eat meat.") == contradicts(
        "I don't eat meat. " + padding * 20, "I eat meat."
    )
    assert not contradicts(padding + "I don't eat meat.", "I eat meat.")


def test_a_text_tells_which_exclusive_attributes_it_speaks_of() -> None:
    assert "home" in attributes_of("We moved to Leeds")
    assert "home" in attributes_of("저는 대전에 살아요")
    assert not attributes_of("The soup needs salt")
