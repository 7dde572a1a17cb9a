"""What a question asks for: terms with their alternatives, phrases, and what must not be lost."""

import pytest

from everself.text.search import QueryTerm, TermKind, fold_for_phrase, read_query


def of_kind(text: str, kind: TermKind) -> list[str]:
    return [term.surface for term in read_query(text).terms if term.kind is kind]


def term(text: str, surface: str) -> QueryTerm:
    return next(term for term in read_query(text).terms if term.surface == surface)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("When did Caroline go to the support group?", "caroline go support group"),
        ("What's the name of Melanie's dog, and who doesn't like it?", "name melanie dog like"),
        ("What would they've done in May?", "may"),
        ("Wann war die Hochzeit von Anna?", "hochzeit anna"),
        ("Où sont les clés de l'appartement ?", "clés appartement"),
        ("¿Cuándo fue la boda de mi hermana?", "boda hermana"),
        ("Dove abita il fratello di Marco?", "abita fratello marco"),
        ("Onde fica a casa da minha avó?", "fica casa avó"),
        ("Waar woont de broer van Jan?", "woont broer jan"),
        ("Var bor min syster?", "bor syster"),
        ("Hvor bor min søster nå?", "bor søster"),
        ("Когда была свадьба?", "свадьба"),
    ],
)
def test_question_words_and_auxiliaries_are_stop_words(text: str, words: str) -> None:
    assert of_kind(text, TermKind.WORD) == words.split()


def test_stop_words_are_in_the_query_all_the_same() -> None:
    assert [(term.surface, term.kind) for term in read_query("who are you").terms] == [
        ("who", TermKind.STOP),
        ("are", TermKind.STOP),
        ("you", TermKind.STOP),
    ]


def test_terms_are_distinct_and_in_order() -> None:
    assert [term.surface for term in read_query("beta Alpha beta 北京 user_id alpha").terms] == [
        *("beta", "alpha", "北京", "北", "京", "user_id", "user", "id"),
    ]


def test_a_run_gives_pairs_and_characters() -> None:
    assert of_kind("北京工作", TermKind.PAIR) == ["北京", "京工", "工作"]
    assert of_kind("北京工作", TermKind.CHARACTER) == ["北", "京", "工", "作"]
    assert of_kind("꿈", TermKind.CHARACTER) == ["꿈"]
    assert of_kind("我在Google工作", TermKind.WORD) == ["google"]


@pytest.mark.parametrize(
    ("text", "pair"), [("什么是爱情", "什么"), ("駅はどこですか", "どこ"), ("언제 만났어", "언제"), ("为什么", "什么")]
)
def test_question_words_are_stop_words_where_they_are_pairs(text: str, pair: str) -> None:
    assert pair in of_kind(text, TermKind.STOP)


def test_stems_are_alternatives_under_every_plausible_language() -> None:
    assert set(term("Hochzeiten", "hochzeiten").alternatives) == {"hochzeiten", "hochzeit"}
    assert {"jardins", "jardin"} <= set(term("les jardins", "jardins").alternatives)
    assert set(term("which castles", "castles").alternatives) == {"castles", "castl"}


def test_an_accent_may_be_left_out() -> None:
    assert "cafe" in term("the café", "café").alternatives


def test_another_spelling_is_an_alternative() -> None:
    assert {"self-care", "selfcar"} <= set(term("self-care", "self-care").alternatives)
    assert {"userid"} <= set(term("userId", "userid").alternatives)
    assert {"v1.2.3", "1.2.3"} <= set(term("v1.2.3", "v1.2.3").alternatives)
    assert {"1,000", "1000"} <= set(term("1,000", "1,000").alternatives)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("When did Caroline meet Melanie?", "caroline melanie"),
        ("Caroline's birthday", "caroline"),
        ("Melanie Smith hobbies", "melanie smith"),
        ("Melanie", "melanie"),
        ("Does she read Dr. Seuss? Painting is fun.", "dr seuss"),
        ("When will Will come?", "will"),
        ("Camping with friends", ""),
        ("Is it on Monday or in May? I think so.", ""),
        ("What Did The Kids Paint", ""),
        ("Wann war die Hochzeit?", ""),
        ("我见过Caroline吗", "caroline"),
        ("who wrote 3f2a9c1 in src/a.py", "3f2a9c1 src/a.py a.py"),
        ("mail bob@example.com 👍", "bob@example.com example.com 👍"),
        ("the user_id of v1.2", "user_id v1.2"),
    ],
)
def test_names_and_wholes_are_exact(text: str, exact: str) -> None:
    assert read_query(text).exact == tuple(exact.split())


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('who said "Never  Again" and “so what”', ["never again", "so what"]),
        ("「東京 タワー」と『京都』", ["東京 タワー", "京都"]),
        ("„Guten Tag“ «bon mot» »so nicht« ‹oui›", ["guten tag", "bon mot", "so nicht", "oui"]),
        ("the song 'let it be' and ‘we can’t go’", ["let it be", "we can't go"]),
        ("don't ask 'why' it's 5 o'clock", []),
        ('an "open one', []),
        ('"" "  "', []),
        ('"twice" "Twice"', ["twice"]),
    ],
)
def test_what_stands_in_quotes_is_a_phrase(text: str, phrases: list[str]) -> None:
    assert list(read_query(text).phrases) == phrases


def test_a_phrase_is_compared_folded() -> None:
    assert fold_for_phrase("Ｔｈｅ\n  CAFÉ’s “Straße”") == 'the café\'s "strasse"'
    assert read_query('"The café’s"').phrases[0] in fold_for_phrase("in THE\tCafe\u0301's corner")


@pytest.mark.parametrize("text", ["", " ", "\ud800", "?!", '"', "\u200d"])
def test_a_question_without_words_asks_for_nothing(text: str) -> None:
    query = read_query(text)
    assert (query.terms, query.phrases, query.exact) == ((), (), ())


@pytest.mark.parametrize("unit", ["「", "„a“", "-'a", "' ", "漢", "a. ", '"'])
def test_a_question_without_an_end_is_read_in_time(unit: str) -> None:
    assert len(read_query(unit * (20_000 // len(unit))).terms) < 10
