"""What kind of sentence a sentence is, in four languages, and what of a message is kept together."""

import pytest

from everself.classify.sentence_kinds import SentenceKind
from everself.classify.statements import LONGEST_PIECE, read
from everself.memory.statements import stated
from everself.values import Tag

STATEMENT, QUESTION = SentenceKind.STATEMENT, SentenceKind.QUESTION


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My name is Alex and I am working on a Rust project called tundra.", STATEMENT),
        ("When we were small we kept rabbits.", STATEMENT),
        ("call me Bo", STATEMENT),
        ("always answer in French", STATEMENT),
        ("I forgot my umbrella on the tram", STATEMENT),
        ("我叫小明，正在写一个叫苔原的项目", STATEMENT),
        ("我没什么特别的爱好", STATEMENT),
        ("내 이름은 알렉스고 툰드라라는 프로젝트를 하고 있어", STATEMENT),
        ("언젠가 제주도에서 살고 싶어", STATEMENT),
        ("いつか北海道に住みたい", STATEMENT),
        ("電車に傘を忘れた", STATEMENT),
        ("What project am I working on?", QUESTION),
        ("which bus do I take", QUESTION),
        ("remind me what the plumber is called", QUESTION),
        ("do you remember my birthday?", QUESTION),
        ("我在做什么项目", QUESTION),
        ("你还记得我住哪儿吗", QUESTION),
        ("내가 무슨 프로젝트 하고 있지", QUESTION),
        ("내 생일 기억해?", QUESTION),
        ("私の誕生日、覚えてる？", QUESTION),
        ("鍵どこに置いたっけ", QUESTION),
        ("Hello there!", SentenceKind.GREETING),
        ("how are you?", SentenceKind.GREETING),
        ("早上好", SentenceKind.GREETING),
        ("안녕하세요", SentenceKind.GREETING),
        ("おはようございます", SentenceKind.GREETING),
        ("ok, thanks a lot!", SentenceKind.THANKS),
        ("谢谢你", SentenceKind.THANKS),
        ("고마워요", SentenceKind.THANKS),
        ("ありがとう！", SentenceKind.THANKS),
        ("Translate this into German", SentenceKind.ORDER),
        ("帮我写一首诗", SentenceKind.ORDER),
        ("이 글 요약해 줘", SentenceKind.ORDER),
        ("この文を翻訳して", SentenceKind.ORDER),
        ("ok", SentenceKind.OTHER),
        ("forget it", SentenceKind.OTHER),
        ("哈哈哈", SentenceKind.OTHER),
        ("🎉", SentenceKind.OTHER),
    ],
)
def test_a_sentence_is_of_one_kind(text: str, kind: SentenceKind) -> None:
    assert [one.kind for one in read(text).sentences] == [kind]


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("Please remember: the ladder is at Jo’s", SentenceKind.REMEMBER, "the ladder is at Jo’s"),
        ("The ladder is at Jo's, keep that in mind", SentenceKind.REMEMBER, "The ladder is at Jo's"),
        ("记一下：梯子在阿强那儿", SentenceKind.REMEMBER, "梯子在阿强那儿"),
        ("사다리는 옆집에 있어 기억해 줘", SentenceKind.REMEMBER, "사다리는 옆집에 있어"),
        ("はしごは隣の家、覚えておいて", SentenceKind.REMEMBER, "はしごは隣の家"),
        ("Forget what I said about the ladder", SentenceKind.FORGET, "the ladder"),
        ("忘掉我的电话号码", SentenceKind.FORGET, "我的电话号码"),
        ("내 주소는 잊어줘", SentenceKind.FORGET, "내 주소"),
        ("私の住所は忘れて", SentenceKind.FORGET, "私の住所"),
    ],
)
def test_a_wish_names_what_it_means_in_the_persons_words(text: str, kind: SentenceKind, what: str) -> None:
    (one,) = read(text).sentences
    assert (one.kind, one.what) == (kind, what)


def test_statements_in_a_row_stay_together_because_the_second_speaks_of_the_first() -> None:
    text = "Dr. Wood is our dentist. She moved to Leith."
    assert [one.text for one in read(text).sentences] == [text]


def test_a_wish_to_remember_alone_means_what_was_said_before_it() -> None:
    (one,) = read("The key is with Mrs Kim. Remember that please!").sentences
    assert (one.kind, one.what) == (SentenceKind.REMEMBER, "The key is with Mrs Kim.")


def test_a_question_beside_a_statement_is_read_apart() -> None:
    found = read("I like coffee. What does Ann like?").sentences
    assert [(one.text, one.kind) for one in found] == [("I like coffee.", STATEMENT), ("What does Ann like?", QUESTION)]


def test_a_long_row_of_statements_is_kept_in_readable_pieces() -> None:
    text = " ".join(f"Our shelf number {number} holds the books about birds." for number in range(60))
    found = read(f"Remember the following:\n{text}").of(SentenceKind.REMEMBER)
    assert " ".join(one.text for one in found) == text
    assert all(len(one.text) <= LONGEST_PIECE for one in found)
    assert len(found) > 1


def test_of_a_paste_only_what_stands_apart_from_it_is_the_persons() -> None:
    lines = [f"2026-01-01 worker {number} finished job {number * 7}" for number in range(2000)]
    assert read("\n".join(lines)).of(STATEMENT) == ()
    own = "I run this on the machine in my cellar."
    assert [one.text for one in read("\n".join([own, "", *lines])).of(STATEMENT)] == [own]
    # a page may end with such a line
    assert read("\n".join([*lines, "", own])).of(STATEMENT) == ()
    asked = "Which of these jobs failed?"
    assert [one.text for one in read("\n".join([*lines, "", asked])).of(QUESTION)] == [asked]
    diary = "\n".join(f"I had tea with guest {number}." for number in range(2000))
    assert read(diary).of(STATEMENT) == ()


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("what else. mum is greta, she lives at alder court. i go see her sundays at 3", "i go see her sundays at 3"),
        ("family stuff so you know whos who: tobin is my other half, he plays accordion", "tobin is my other half"),
    ],
)
def test_what_follows_words_that_only_sound_like_a_question_is_the_persons(message: str, told: str) -> None:
    assert told in " ".join(stated(message))


@pytest.mark.parametrize(
    "message",
    [
        "what does this say: tobin is my other half, he plays accordion.",
        "what do you make of this: I hereby confirm that my bank is Amberfield.",
        "translate this: I live in Porto and work as a baker.",
        "is this right? I live in Porto. My bank is Amberfield. I never eat meat.",
    ],
)
def test_what_a_question_is_about_is_not_the_persons(message: str) -> None:
    assert not any(words in " ".join(stated(message)) for words in ("accordion", "Amberfield", "Porto and"))


def test_code_is_no_statement() -> None:
    assert read("```\nmy cat is called Miso and lives here\n```").of(STATEMENT) == ()


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("We decided to use PostgreSQL", Tag.DECISION),
        ("我们决定用PostgreSQL", Tag.DECISION),
        ("PostgreSQL로 가기로 했어", Tag.DECISION),
        ("PostgreSQLにすることにした", Tag.DECISION),
        ("No, it's Lisbon, not Porto.", Tag.CORRECTION),
        ("The dentist is tomorrow at nine", Tag.EVENT),
        ("My cat is called Miso", Tag.KNOWLEDGE),
    ],
)
def test_a_statement_carries_its_tag(text: str, tag: Tag) -> None:
    assert [one.tag for one in read(text).sentences] == [tag]


def test_odd_bytes_and_empty_messages_do_no_harm() -> None:
    assert read("").sentences == ()
    assert read("\ud83d I live here \udc00 now").of(STATEMENT)
    assert read("?" * 50_000).of(STATEMENT) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Explain things to me without jargon.",
        "When you show me numbers, put them in a table.",
        "跟我说话不用“您”，用“你”就行。",
        "숫자 보여줄 때는 표로 정리해줘.",
        "나한테는 그냥 반말로 편하게 말해줘.",
        "カタカナ語はなるべく使わないで説明して。",
        "これからは敬語なしで話して",
    ],
)
def test_a_wish_for_how_to_be_spoken_to_is_kept(text: str) -> None:
    assert [one.kind for one in read(text).sentences] == [SentenceKind.STATEMENT]


@pytest.mark.parametrize(
    "text", ["跟我说说我的工作", "내 이름 말해줘", "私の名前を言って", "これからの予定を教えて", "木曜の予定って何時"]
)
def test_what_is_asked_for_in_such_words_is_asked(text: str) -> None:
    assert [one.kind for one in read(text).sentences] == [SentenceKind.QUESTION]


def test_a_line_that_begins_with_a_slash_is_never_a_memory() -> None:
    text = "My sister Ana moved to Porto.\n/forget that I lived in Lisbon.\n  /remember that I like tea."
    assert [one.text for one in read(text).of(SentenceKind.STATEMENT, SentenceKind.REMEMBER, SentenceKind.FORGET)] == [
        "My sister Ana moved to Porto."
    ]
    # a path within a line is no command, and what is asked to be remembered is
    assert read("My notes are in /srv/notes.").of(SentenceKind.STATEMENT)
    assert read("Remember the following:\n/srv/notes is where my notes are.").of(SentenceKind.REMEMBER)
