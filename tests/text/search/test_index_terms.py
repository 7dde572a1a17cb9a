"""What a text is found by: words under their stems, wholes and their parts, pairs and single characters."""

import pytest

from everself.text.search import index_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        # English
        ("The dogs were running.", "the dog were run"),
        ("Caroline's and the students’ books", "carolin student book"),
        ("I don't know what's new", "i dont know what new"),
        ("the naïve café", "café cafe naïv naiv"),
        ("**Melanie:** hello", "melani hello"),
        # other Latin languages keep the word beside its stem
        ("Die Hochzeiten waren sehr teuer", "hochzeit hochzeiten die"),
        ("Wir gehen über die Straße", "strass strasse"),
        ("Nous avons mangé dans les jardins de l'hôtel", "jardin jardins hôtel hotel"),
        ("Los niños están en las escuelas", "escuel escuelas niñ niños"),
        ("Il treno è arrivato all'alba con gli amici", "amic amici alba"),
        # other scripts
        ("Мы купили новые книги", "книг нов мы"),
        ("οι άνθρωποι", "ανθρωπ"),
        ("तीन लड़कियों", "लड़क"),
        ("שלום עולם", "שלום עולם"),
        # no blanks between words
        ("我在Google工作。", "我 在 我在 googl 工 作 工作"),
        ("東京タワーへ行きました", "東京 京タ タワ ワー 行き 東 へ"),
        ("내일 서울에서 만나요", "내일 서울 울에 에서 만나 서"),
        ("ภาษาไทย", "ภา าษ ไท ไ"),
        ("ﾊﾝｶｸ ＡＢＣ", "ハン カク abc"),
    ],
)
def test_words_are_found_in_many_languages(text: str, terms: str) -> None:
    assert set(terms.split()) <= index_terms(text).counts.keys()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("user_profile_id", "user_profile_id user profil id userprofileid"),
        ("parseHTTPHeader", "parsehttphead parsehttpheader pars http header"),
        ("my-service-name", "my-service-name servic name myservicenam"),
        ("an iPhone and PDFs", "iphone iphon phone pdf"),
        ("src/text/search.py:42", "src/text/search.py:42 src/text/search.py search.py src text search py 42"),
        (r"C:\Users\bob", r"c:\users\bob c user bob"),
        ("<bob.smith+tag@example.com>,", "bob.smith+tag@example.com bob.smith example.com bob smith tag exampl com"),
        (
            "(https://www.Example.com/a/b?x=1).",
            "www.example.com/a/b?x=1 www.example.com/a/b www.example.com example.com",
        ),
        ("v1.2.3", "v1.2.3 1.2.3 1 2 3"),
        ("2023-05-07", "2023-05-07 2023 05 07 5 7"),
        ("7 May 2023", "7 may 2023"),
        ("at 10:30 on the 21st", "10:30 10 30 21st 21"),
        ("1,000,000.50 and 12,5", "1,000,000.50 1000000.50 12 5"),
        ("order 20481234", "order 20481234"),
        ("٢٠٢٣", "2023"),
        ("C++, C# and F#", "c++ c# f# c f"),
        ("U.S.A.", "u.s.a usa"),
        ("O'Brien", "obrien brien"),
        ("key=some_value", "key some_value valu"),
        ("first--second...third—fourth", "first second third fourth"),
        ("3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39", "3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39 3f2a9c1 3f2a9c1d8e7b"),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000 550e8400 446655440000"),
        ("ok 👨\u200d👩\u200d👧\u200d👦!", "👨\u200d👩\u200d👧\u200d👦 👨 👩 👧 👦"),
        ("👍🏽❤️", "👍🏽 👍 ❤"),
        ("🇩🇪🇫🇷", "🇩🇪 🇫🇷"),
        ("press 1️⃣ or #️⃣ or *️⃣", "1⃣ 1 #⃣ *⃣"),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"),
    ],
)
def test_wholes_are_found_whole_and_in_parts(text: str, terms: str) -> None:
    assert set(terms.split()) <= index_terms(text).counts.keys()


def test_what_holds_nothing_together_is_no_whole() -> None:
    assert index_terms("say: 'hello', (world)! and -- well... that").counts.keys() == {
        *("say", "hello", "world", "and", "well", "that"),
    }
    assert index_terms("one,two,three").counts == {"one": 1, "two": 1, "three": 1}


def test_a_hash_has_no_other_parts() -> None:
    assert index_terms("3f2a9c1").counts == {"3f2a9c1": 1}


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("dogs bark", 2),
        ("the dogs and the cats", 2),
        ("user_profile_id", 1),
        ("https://example.com/a/b.html", 1),
        ("北京", 1),
        ("京", 0),
        ("我在Google工作", 3),
        ("👨\u200d👩\u200d👧", 1),
        ("Die Hunde und die Katzen", 2),
    ],
)
def test_length_counts_words_pairs_and_wholes(text: str, length: int) -> None:
    assert index_terms(text).length == length


def test_terms_are_counted() -> None:
    assert index_terms("run, running runs! user_id user_id 好好好").counts == {
        "run": 3,
        "user_id": 2,
        "userid": 2,
        "user": 2,
        "id": 2,
        "好": 3,
        "好好": 2,
    }


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\x00\x1f\x7f", "\ud800\udfff", "...", "''", "\u0301", "\u200d\ufe0f", "——"]
)
def test_what_says_nothing_has_no_terms(text: str) -> None:
    assert index_terms(text).counts == {}


def test_what_is_broken_hides_nothing_beside_it() -> None:
    assert index_terms("alpha\ud800beta\x00gamma\ufffddelta").counts.keys() == {"alpha", "beta", "gamma", "delta"}


def test_invisible_characters_are_no_part_of_a_word() -> None:
    assert index_terms("\ufeffpass\u200bword co\u00adoperate \u202eabc\u202c").counts.keys() == {
        "password",
        "cooper",
        "abc",
    }
    assert index_terms("می\u200cخواهم").counts == index_terms("میخواهم").counts


def test_a_long_token_is_cut_and_its_parts_remain() -> None:
    path = "/".join(f"folder{number}x" for number in range(40))
    terms = index_terms(path).counts
    assert max(map(len, terms)) == 64
    assert "folder39x" in terms
    assert index_terms("a" * 1_000).counts == {"a" * 64: 1}


@pytest.mark.parametrize("unit", ["word_", "a.", "x@y.org,", "漢字", "é", "\u0301", "aB9", "http://a/", "क\u200d"])
def test_a_line_without_an_end_is_taken_apart_in_time(unit: str) -> None:
    # with anything quadratic in it this would take hours; the suite's time-out would end it
    assert len(index_terms(unit * (100_000 // len(unit))).counts) < 50


def test_a_list_without_blanks_is_still_a_list() -> None:
    terms = index_terms(",".join(f"name{number}@example.com" for number in range(1_000))).counts
    assert "name777@example.com" in terms


def test_both_normal_forms_give_the_same_terms() -> None:
    composed, decomposed = "café Ångström 한국어 が ЙОД", "cafe\u0301 A\u030angstro\u0308m 한국어 か\u3099 И\u0306ОД"
    assert index_terms(composed) == index_terms(decomposed)


def test_case_and_width_do_not_matter() -> None:
    assert index_terms("STRASSE Straße ｓｔｒａｓｓｅ").counts == {"strass": 3}
