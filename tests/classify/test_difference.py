"""Two statements that are alike save for one number, date or name, in any script; and all the others."""

import pytest

from everself.classify.difference import differ_in_one_word, find_difference


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The rent is 900 euros.", "the rent is 950 euros", "number"),
        ("we're on postgres16 now", "we're on postgres17 now", "number"),
        ("dinner is at 19:30", "dinner is at 20:00", "number"),
        ("우리 집은 12층이에요", "우리 집은 7층이에요", "number"),
        ("our deadline is monday", "Our deadline is friday!", "date"),
        ("She was born on 3 March 2019", "She was born on 14 April 2019", "date"),
        ("生日是3月4日", "生日是5月7日", "date"),
        ("생일은 3월 4일이에요", "생일은 5월 7일이에요", "date"),
        ("I live in Leeds.", "I live in New York", "name"),
        ('the cat is called "miso"', 'the cat is called "momo"', "name"),
        ("我住在柏林", "我住在波尔图", "name"),
        ("妹の名前はミラです", "妹の名前はミアです", "name"),
        ("저는 부산에 살아요", "저는 대구에 살아요", "name"),
        ("Я живу в Москве", "Я живу в Казани", "name"),
    ],
)
def test_one_number_date_or_name_tells_them_apart(one: str, other: str, kind: str) -> None:
    found = find_difference(one, other)
    assert found is not None
    assert found.kind == kind
    back = find_difference(other, one)
    assert back is not None
    assert (back.one, back.other) == (found.other, found.one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Leeds", "i live in leeds!"),
        ("We're using postgres 16", "my sister Ana moves to Porto"),
        ("I am allergic to peanuts", "I changed my bank to N26"),
        # other words, and capitals that say nothing
        ("I play the piano", "I play the violin"),
        ("I LOVE MY DOG", "I LOVE MY CAT"),
        ("Ana lives by the sea", "Eva lives by the sea"),
        # grammar
        ("I eat meat", "I do not eat meat"),
        ("肉を食べます", "肉を食べません"),
        ("我吃肉", "我不吃肉"),
        # two places, or more that differs than is shared
        ("locker 1 is in hall 20", "locker 2 is in hall 21"),
        ("I met Ana in Porto", "I met Eva in Leeds"),
        ("喝茶", "跑步"),
        ("rent 900", "rent 950"),
        # more than a name, where capitals tell none
        ("우리 가족은 주말마다 다 같이 산에 가요", "우리 가족은 주말마다 다 같이 영화 봐요"),
        ("我们全家周末都喜欢一起爬山锻炼", "我们全家周末都喜欢一起看老电影"),
        # one of each kind
        ("it is due on monday", "it is due on 5"),
        ("", "I"),
        ("word " * 80 + "1", "word " * 80 + "2"),
    ],
)
def test_whatever_else_differs_is_no_such_difference(one: str, other: str) -> None:
    assert find_difference(one, other) is None
    assert find_difference(other, one) is None


@pytest.mark.parametrize(
    ("one", "other", "alone"),
    [
        ("The shed is painted green.", "the shed is painted blue", True),
        ("I live in Leeds", "I live in New York", True),
        ("I drink tea", "I drink coffee", False),
        ("I play the piano", "I play tennis", False),
        ("The shed is painted green", "The shed is not painted green", False),
        ("The shed is green", "The shed is green", False),
    ],
)
def test_one_word_of_any_kind_takes_more_around_it(one: str, other: str, alone: bool) -> None:
    assert differ_in_one_word(one, other) is alone
