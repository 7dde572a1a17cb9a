"""The times a question speaks of, on Wednesday 20 May 2026: a table for every language, and that no text breaks it."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.text.dates import DateSpan, asks_for_now, asks_when, read_dates
from everself.text.dates import _cjk as cjk
from everself.text.dates import _latin as latin

TODAY = date(2026, 5, 20)


def shown(query: str, today: date = TODAY) -> str:
    """Spans as text: a single day once, a guess with a question mark."""
    found = []
    for span in read_dates(query, today):
        days = f"{span.first}" if span.first == span.last else f"{span.first}..{span.last}"
        found.append(days + ("" if span.certain else "?"))
    return " ".join(found)


ENGLISH = {
    "what did I do yesterday": "2026-05-19",
    "what's up today?": "2026-05-20",
    "this morning": "2026-05-20",
    "who called last night": "2026-05-19..2026-05-20",
    "the day before yesterday": "2026-05-18",
    "3 days ago": "2026-05-17",
    "a day ago": "2026-05-19",
    "two weeks ago": "2026-05-03..2026-05-09?",
    "a month ago": "2026-04-05..2026-05-05?",
    "six months ago": "2025-11-05..2025-12-05?",
    "5 years ago": "2021-01-01..2021-12-31?",
    "a few days ago": "2026-05-13..2026-05-18?",
    "a couple of days ago": "2026-05-18",
    "an hour ago": "2026-05-19..2026-05-20",
    "the other day": "2026-05-13..2026-05-19?",
    "last week": "2026-05-11..2026-05-17",
    "this week": "2026-05-18..2026-05-24",
    "the past week": "2026-05-13..2026-05-20",
    "the week before last": "2026-05-04..2026-05-10",
    "in the last 3 days": "2026-05-17..2026-05-20",
    "over the past two months": "2026-03-20..2026-05-20",
    "the last few weeks": "2026-04-15..2026-05-20",
    "last weekend": "2026-05-16..2026-05-17",
    "over the weekend": "2026-05-16..2026-05-17?",
    "last month": "2026-04-01..2026-04-30",
    "this quarter": "2026-04-01..2026-06-30",
    "Last Year's trip": "2025-01-01..2025-12-31",
    "last Friday": "2026-05-15",
    "last Monday": "2026-05-18? 2026-05-11?",
    "on Monday": "2026-05-18?",
    "on Wednesday": "2026-05-13?",
    "what did she say Tuesday": "2026-05-19?",
    "this Monday": "2026-05-18",
    "in March": "2026-03-01..2026-03-31?",
    "in December": "2025-12-01..2025-12-31?",
    "in May": "2026-05-01..2026-05-31?",
    "the November trip": "2025-11-01..2025-11-30?",
    "the April sales": "2026-04-01..2026-04-30?",
    "in March 2023": "2023-03-01..2023-03-31",
    "May 2023": "2023-05-01..2023-05-31",
    "March of last year": "2025-03-01..2025-03-31",
    "last March": "2026-03-01..2026-03-31? 2025-03-01..2025-03-31?",
    "last May": "2025-05-01..2025-05-31",
    "March 7th": "2026-03-07?",
    "March 7, 2023": "2023-03-07",
    "may 7": "2026-05-07?",
    "May 21": "2025-05-21?",
    "7 May 2023": "2023-05-07",
    "the 7th of May, 2023": "2023-05-07",
    "Feb. 29": "2024-02-29?",
    "2023-05-07": "2023-05-07",
    "at 2023-05-07T10:00:00Z": "2023-05-07",
    "memory/2023-05-07.md": "2023-05-07",
    "5/7/2023": "2023-05-07? 2023-07-05?",
    "12/25/2025": "2025-12-25",
    "13/7/2023": "2023-07-13",
    "1/12/2026": "2026-01-12",
    "5/7/23": "2023-05-07? 2023-07-05?",
    "7.5.2023": "2023-05-07",
    "2023/05": "2023-05-01..2023-05-31",
    "in 2022": "2022-01-01..2022-12-31",
    "summer 2023": "2023-06-01..2023-08-31?",
    "in the summer of 2023": "2023-06-01..2023-08-31?",
    "winter 2023": "2022-12-01..2023-02-28? 2023-12-01..2024-02-29?",
    "last summer": "2025-06-01..2025-08-31?",
    "in the spring": "2026-03-01..2026-05-31?",
    "last fall": "2025-09-01..2025-11-30?",
    "early May": "2026-05-01..2026-05-10?",
    "mid-March 2024": "2024-03-11..2024-03-20?",
    "at the end of February 2024": "2024-02-21..2024-02-29?",
    "Q1 2024": "2024-01-01..2024-03-31",
    "2024Q4": "2024-10-01..2024-12-31",
    "the second quarter of 2024": "2024-04-01..2024-06-30",
    "recently": "2026-04-29..2026-05-20?",
    "between 2023-05-07 and June 2024": "2023-05-07 2024-06-01..2024-06-30",
}
CHINESE = {
    "昨天我吃了什么": "2026-05-19",
    "前天": "2026-05-18",
    "大前天": "2026-05-17",
    "今天的会": "2026-05-20",
    "昨晚": "2026-05-19..2026-05-20",
    "上周": "2026-05-11..2026-05-17",
    "上上周": "2026-05-04..2026-05-10",
    "這個禮拜": "2026-05-18..2026-05-24",
    "上个月去了哪里": "2026-04-01..2026-04-30",
    "去年": "2025-01-01..2025-12-31",
    "前年": "2024-01-01..2024-12-31",
    "三天前": "2026-05-17",
    "十二天前": "2026-05-08",
    "二十天之前": "2026-04-30",
    "两个星期前": "2026-05-03..2026-05-09?",
    "３个月前": "2026-02-05..2026-03-07?",
    "两年前": "2024-01-01..2024-12-31?",
    "前几天": "2026-05-13..2026-05-18?",
    "半年前": "2025-11-05..2025-12-05?",
    "2023年5月7日": "2023-05-07",
    "2023年5月7日前": "2023-05-07",
    "二〇二三年三月": "2023-03-01..2023-03-31",
    "5月": "2026-05-01..2026-05-31?",
    "十二月": "2025-12-01..2025-12-31?",
    "三月二十一号": "2026-03-21?",
    "去年三月": "2025-03-01..2025-03-31",
    "5月初": "2026-05-01..2026-05-10?",
    "2022年": "2022-01-01..2022-12-31",
    "去年的夏天": "2025-06-01..2025-08-31?",
    "2023年第一季度": "2023-01-01..2023-03-31",
    "星期一": "2026-05-18?",
    "上周一": "2026-05-11",
    "上个周末": "2026-05-16..2026-05-17",
    "最近三天": "2026-05-17..2026-05-20",
    "最近": "2026-04-29..2026-05-20?",
}
JAPANESE = {
    "昨日は何をした": "2026-05-19",
    "一昨日": "2026-05-18",
    "おととい": "2026-05-18",
    "先週": "2026-05-11..2026-05-17",
    "先々週": "2026-05-04..2026-05-10",
    "先月": "2026-04-01..2026-04-30",
    "今月": "2026-05-01..2026-05-31",
    "去年の夏": "2025-06-01..2025-08-31?",
    "昨年": "2025-01-01..2025-12-31",
    "3日前": "2026-05-17",
    "三日前": "2026-05-17",
    "2週間前": "2026-05-03..2026-05-09?",
    "3ヶ月前": "2026-02-05..2026-03-07?",
    "月曜日": "2026-05-18?",
    "先週の月曜日": "2026-05-11",
    "2023年5月": "2023-05-01..2023-05-31",
    "5月中旬": "2026-05-11..2026-05-20?",
    "2024年第1四半期": "2024-01-01..2024-03-31",
    "先週末": "2026-05-16..2026-05-17",
}
KOREAN = {
    "어제 뭐 했지": "2026-05-19",
    "그저께": "2026-05-18",
    "지난주에": "2026-05-11..2026-05-17",
    "지난 주": "2026-05-11..2026-05-17",
    "지난달": "2026-04-01..2026-04-30",
    "이번 달": "2026-05-01..2026-05-31",
    "작년": "2025-01-01..2025-12-31",
    "3일 전": "2026-05-17",
    "사흘 전": "2026-05-17",
    "일주일 전": "2026-05-10..2026-05-16?",
    "두 달 전": "2026-03-05..2026-04-04?",
    "2023년 5월": "2023-05-01..2023-05-31",
    "2023년 5월 7일": "2023-05-07",
    "작년 5월": "2025-05-01..2025-05-31",
    "월요일": "2026-05-18?",
    "지난주 월요일": "2026-05-11",
    "지난 금요일": "2026-05-15",
    "지난 여름": "2025-06-01..2025-08-31?",
    "2024년 1분기": "2024-01-01..2024-03-31",
    "최근": "2026-04-29..2026-05-20?",
}
EUROPEAN = {
    "gestern": "2026-05-19",
    "vorgestern": "2026-05-18",
    "vor drei Tagen": "2026-05-17",
    "letzte Woche": "2026-05-11..2026-05-17",
    "im März 2023": "2023-03-01..2023-03-31",
    "am 7. Mai 2023": "2023-05-07",
    "letzten Freitag": "2026-05-15",
    "qu’est-ce que nous avons fait hier ?": "2026-05-19",
    "avant-hier": "2026-05-18",
    "la semaine dernière": "2026-05-11..2026-05-17",
    "il y a un an": "2025-01-01..2025-12-31?",
    "le 7 février 2023": "2023-02-07",
    "en mars": "2026-03-01..2026-03-31?",
    "ayer": "2026-05-19",
    "la semana pasada": "2026-05-11..2026-05-17",
    "hace dos semanas": "2026-05-03..2026-05-09?",
    "el 7 de mayo de 2023": "2023-05-07",
    "el año pasado": "2025-01-01..2025-12-31",
}


@pytest.mark.parametrize(("query", "expected"), (ENGLISH | CHINESE | JAPANESE | KOREAN | EUROPEAN).items())
def test_a_time_is_read_as_a_person_means_it(query: str, expected: str) -> None:
    assert shown(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        *("May I ask you something", "I may go", "this may take a while", "it may be, or may not", "early may be too soon"),
        *("march on Washington", "the march was long", "they march 10000 miles", "mayor Marchetti", "dismayed"),
        *("what did April say", "a talk with June", "life on mars", "tuna in mayo", "spring rolls", "I fall asleep"),
        *("every Monday", "Good Friday", "next week", "next Monday", "this Friday", "this summer", "tomorrow"),
        *("port 2022", "error 2003-99", "1234-05-06", "2023-13-01", "February 30, 2023", "call 555-12-2022-7", "10/11"),
        *("was haben wir hier", "is this an apple", "to this day", "the last day of school", "0 days ago", "yesterdays"),
        *("每周一次", "每周一", "下周", "下个月", "三个月", "来週", "毎週月曜日", "다음 주", "오늘날", "3개월", "夏休み"),
        "",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_past_time_is_none(query: str) -> None:
    assert shown(query) == ""


def test_a_span_says_which_words_named_it_and_they_come_in_order() -> None:
    found = read_dates("Was it LAST  week, or on 5/7/2023?", TODAY)
    assert [span.words for span in found] == ["last week", "on 5/7/2023"[3:], "5/7/2023"]
    assert found[0] == DateSpan(date(2026, 5, 11), date(2026, 5, 17), "last week", certain=True)


@pytest.mark.parametrize(
    ("today", "query", "expected"),
    [
        (date(2024, 3, 31), "a month ago", "2024-02-14..2024-03-15?"),
        (date(2026, 1, 1), "yesterday", "2025-12-31"),
        (date(2026, 1, 1), "last week", "2025-12-22..2025-12-28"),
        (date(2026, 1, 15), "last month", "2025-12-01..2025-12-31"),
        (date(2026, 1, 15), "last quarter", "2025-10-01..2025-12-31"),
        (date(2026, 1, 15), "this winter", "2025-12-01..2026-02-28?"),
        (date(2026, 5, 17), "last weekend", "2026-05-09..2026-05-10"),
        (date(2026, 5, 17), "over the weekend", "2026-05-16..2026-05-17?"),
        (date(2026, 5, 18), "on Monday", "2026-05-11?"),
        (date(2026, 5, 18), "last Monday", "2026-05-11"),
        (date(2026, 3, 1), "in March", "2026-03-01..2026-03-31?"),
        (date.min, "yesterday", ""),
        (date.min, "last year", ""),
    ],
)
def test_borders_of_the_calendar(today: date, query: str, expected: str) -> None:
    assert shown(query, today) == expected


ASKING = (
    *("When did we go to Lisbon?", "when's her birthday", "since when do I like tea", "Do you know when it was?"),
    *("what date was it", "On which day did she call?", "how long ago was that", "what year did I move", "And when?"),
    *(
        "我什么时候去的",
        "哪天开会",
        "那是几月几号",
        "多久以前",
        "何时",
        "いつ行った？",
        "いつから",
        "何月何日",
        "何曜日だった",
    ),
    *(
        "언제 갔지",
        "며칠이었지",
        "무슨 요일",
        "wann war das",
        "quand est-ce que c'était",
        "¿cuándo fue?",
        "qué día era",
    ),
)
NOT_ASKING = (
    *("what did she say when I arrived", "whenever I go", "what did I do last week", "who came", "it was time to go"),
    *("いつもの店", "いつか行きたい", "いつでもいい", "언제나 그랬듯", "언제든지", "昨天吃了什么", "quando", ""),
)  # fmt: skip


@pytest.mark.parametrize("query", ASKING)
def test_a_question_for_a_time_is_known(query: str) -> None:
    assert asks_when(query)


@pytest.mark.parametrize("query", NOT_ASKING)
def test_other_questions_ask_for_no_time(query: str) -> None:
    assert not asks_when(query)


WORDS = st.sampled_from(
    sorted(
        {*latin.MONTHS, *latin._UNITS, *latin._NUMBERS, *latin._DAY_WORDS, *latin._SEASONS, *latin.PARTS, *latin._YEARS}
        | {*cjk._UNITS, *cjk._DAY_WORDS, *cjk._YEARS, *cjk._SEASONS, *cjk._BACK, *cjk._PARTS, *cjk._NATIVE}
        | {"last", "this", "ago", "past", "in", "on", "before last", "前", "전", "曜日", "요일", "年", "月", "日", "q", "/", "-", "."}
    )
)  # fmt: skip
NUMBERS = st.integers(0, 99_999).map(str)
QUERIES = st.one_of(
    st.text(st.characters()),
    st.lists(st.one_of(WORDS, NUMBERS, st.sampled_from(["", " "])), max_size=8).map("".join),
    st.lists(st.one_of(WORDS, NUMBERS), max_size=8).map(" ".join),
)


@given(QUERIES, st.dates() | st.just(TODAY))
def test_no_text_breaks_it_and_every_span_runs_forward(query: str, today: date) -> None:
    for span in read_dates(query, today):
        assert span.first <= span.last
        assert span.words
    asks_when(query)


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.integers(0, 20_000))
def test_a_written_day_is_that_day_in_every_language(today: date, back: int) -> None:
    day = today - timedelta(back)
    for written in (
        f"{day}",
        f"{day.day}. {day.month}. {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}년 {day.month}월 {day.day}일",
    ):
        if day.year >= 1900:
            assert shown(written, today) == f"{day}"


@pytest.mark.parametrize(
    ("query", "now"),
    [
        ("How many recipes have I tried?", True),
        ("What is my current score?", True),
        ("Where does Rachel, from my previous company, currently work?", True),
        ("我现在住在哪里？", True),
        ("지금 어디에 살아?", True),
        ("今はどこに住んでいる？", True),
        ("What was my previous goal?", False),
        ("What did Sam eat in Rome?", False),
        ("Where have I lived before?", False),
        ("以前はどこに住んでいた？", False),
    ],
)
def test_a_question_for_how_things_stand_is_told_from_one_for_how_they_were(query: str, now: bool) -> None:
    assert asks_for_now(query) is now
