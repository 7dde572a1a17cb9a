"""Whatever stands in a text is found by asking for it, in whatever language the two are taken to be."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.text.search import QueryTerm, TermKind, index_terms, read_query

WORDS = (
    *(
        "the",
        "Caroline's",
        "running",
        "houses",
        "don't",
        "what's",
        "Größe",
        "Hochzeiten",
        "straßen",
    ),
    *(
        "über",
        "und",
        "die",
        "jardins",
        "l'été",
        "été",
        "déjà",
        "niños",
        "escuelas",
        "città",
        "perché",
    ),
    *(
        "não",
        "casas",
        "huizen",
        "søstre",
        "gårdene",
        "книги",
        "людей",
        "ёлка",
        "άνθρωποι",
        "كتاب",
        "كِتاب",
    ),
    *(
        "کتاب\u200cها",
        "लड़कियों",
        "שלום",
        "Ἀθῆναι",
        "naïve",
        "İstanbul",
        "ﬁne",
        "½",
        "ＡＢＣ",
        "北京",
        "什么",
    ),
    *(
        "東京タワー",
        "서울에서",
        "꿈",
        "ภาษา",
        "ខ្មែរ",
        "ﾊﾝｶｸ",
        "Zürich's",
    ),
)
WHOLES = (
    *(
        "user_profile_id",
        "userProfileId",
        "HTTPServer2",
        "my-service",
        "bob.smith@example.com",
    ),
    *(
        "https://example.com/a/b?x=1#y",
        "src/everself/text.py:42",
        "~/.config/x.toml",
        "C:\\Users\\bob",
    ),
    *(
        "v1.2.3",
        "2023-05-07",
        "10:30",
        "1,000.50",
        "3f2a9c1",
        "C++",
        "O'Brien",
        "deadbeef0123456789abcdef",
    ),
    *(
        "+49-30-1234567",
        "👨\u200d👩\u200d👧",
        "👍🏽",
        "🇩🇪",
        "1️⃣",
        "❤️",
        "rock'n'roll",
        "e.g.",
        "AT&T",
    ),
    *(
        "key=value",
        "文档/报告.md",
    ),
)
LETTERS = st.sampled_from("aBcé İßſǅ'’-_./@:,+#12٣漢字かガー한글กิक्ष\u200d\u0301👍🏽🇩🇪️⃣\u0345ё\ud800\n")
ANYTHING = st.lists(
    st.sampled_from([*WORDS, *WHOLES]) | st.text(LETTERS, min_size=1, max_size=8) | st.text(max_size=8), max_size=8
).map(" ".join)


def is_in(term: QueryTerm, counts: dict[str, int]) -> bool:
    return any(alternative in counts for alternative in term.alternatives)


@given(ANYTHING)
def test_every_term_of_a_text_and_of_each_of_its_words_is_found_in_it(text: str) -> None:
    counts = index_terms(text).counts
    for question in (text, *text.split()):
        missed = [term for term in read_query(question).terms if not is_in(term, counts)]
        assert not missed, question


@given(ANYTHING, st.sampled_from([*WORDS, *WHOLES]), ANYTHING)
def test_a_word_is_found_whatever_stands_around_it(before: str, word: str, after: str) -> None:
    counts = index_terms(f"{before} {word} {after}").counts
    terms = read_query(word).terms
    assert terms
    assert all(is_in(term, counts) for term in terms)


@given(st.text(st.sampled_from("漢字北京的是かなガー한국어กขม，。 aZ1"), min_size=2, max_size=40))
def test_every_two_characters_of_a_run_are_found(text: str) -> None:
    counts = index_terms(text).counts
    for at in range(len(text) - 1):
        pair = text[at : at + 2]
        if not any(char.isascii() or char in "，。" for char in pair):
            assert pair in counts
            assert is_in(read_query(pair).terms[0], counts)


@given(ANYTHING)
def test_normal_forms_are_alike_and_nothing_is_random(text: str) -> None:
    terms = index_terms(text)
    for form in ("NFC", "NFD"):
        assert index_terms(unicodedata.normalize(form, text)) == terms
    assert index_terms(text) == terms
    assert read_query(text) == read_query(text)


@given(st.text(max_size=60))
def test_length_is_never_more_than_what_is_counted(text: str) -> None:
    terms = index_terms(text)
    assert 0 <= terms.length <= sum(terms.counts.values())
    assert all(terms.counts.values())


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("We visited the old castles.", "castle"),
        ("I bought a used bike", "bikes"),
        ("Wir waren auf drei Hochzeiten in der Stadt", "Hochzeit"),
        ("Nous avons loué des vélos avec les enfants", "vélo"),
        ("Мы купили новую машину", "машины"),
        ("A café in Malmö", "cafe malmo"),
        ("A cafe in Malmo", "café Malmö"),
        ("the user_id column", "userId"),
        ("send an e-mail", "email"),
        ("send an email", "e-mail"),
        ("wifi at home", "wi-fi"),
        ("bought a new iphone", "iPhones"),
        ("released v2.0.1 today", "2.0.1"),
        ("release 2.0.1 today", "v2.0.1"),
        ("see https://docs.example.com/guide", "docs.example.com"),
        ("fixed in src/app/main.py:10", "main.py"),
        ("commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39", "3f2a9c1"),
        ("commit 3f2a9c1", "3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39"),
        ("it cost 1,500 euros", "1500"),
        ("on 2023-05-07", "7"),
        ("👍🏽 great", "👍"),
        ("他昨天去了北京大学", "北京"),
        ("彼女は京都に住んでいる", "京都"),
        ("우리는 제주도에 갔다", "제주"),
        ("我养了一只猫", "猫"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full"),
        ("O'Brien's house", "obrien"),
        ("two PDFs", "pdf"),
        ("one PDF", "PDFs"),
    ],
)
def test_people_find_what_they_mean(text: str, question: str) -> None:
    counts = index_terms(text).counts
    terms = read_query(question).terms
    wholes = [term for term in terms if term.kind is TermKind.WHOLE]
    asked = wholes or [term for term in terms if term.kind in (TermKind.WORD, TermKind.PAIR)] or terms
    assert all(is_in(term, counts) for term in asked)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("a user profile", "profit"),
        ("北京", "京北"),
        ("3f2a9c1", "3f2a9c2"),
        ("v1.2.3", "v1.2.4"),
        ("bob@a.org", "bob@b.org"),
    ],
)
def test_what_is_not_there_is_not_found_whole(text: str, question: str) -> None:
    counts = index_terms(text).counts
    assert not is_in(read_query(question).terms[0], counts)
