"""What a person may expect of a search, over real files and a real index."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.search.recall.world import Searchable, searchable

from everself.config.sections import Ranking
from everself.errors import NotFound, WrongUse
from everself.models.embedding import CheckedEmbedder
from everself.search.recall import Recall, RecallRequest
from everself.search.scopes import Scope, SessionKind
from everself.storage.state.searches import SearchRecord
from everself.testing.embedder import FakeEmbedder

FILLER = [
    "The meeting about the budget was moved to Thursday.",
    "Bought bread, milk and a new lamp for the desk.",
    "Called the plumber because the kitchen sink drips.",
    "The train to Hamburg was late again this morning.",
    "Read two chapters of the book about whales.",
    "Anna suggested a walk around the lake on Sunday.",
    "Paid the electricity bill and sorted old letters.",
    "The neighbour's dog barked half of the night.",
    "Planned the garden: tomatoes, beans and sunflowers.",
    "Watched a film about the moon landing with Tom.",
]


def fill(world: Searchable, days: int = 12) -> None:
    for step in range(days):
        day = world.today - timedelta(days=step + 40)
        lines = "".join(f"- {text} ({step})\n" for text in FILLER)
        world.write(f"memory/{day.isoformat()}.md", f"# {day.isoformat()}\n\n{lines}")


@pytest.mark.parametrize(
    ("entry", "query"),
    [
        ("我的猫叫小白，它喜欢晒太阳。", "小白"),
        ("昨天和小李在北京吃了烤鸭。", "烤鸭"),
        ("우리 고양이 이름은 나비입니다.", "나비"),
        ("서울에서 민수를 만났다.", "민수"),
        ("東京で鈴木さんと寿司を食べた。", "寿司"),
        ("今日は雨だった。", "雨"),
        ("The fix is in commit 9fceb02d0ae598e95dc970b74767f19372d61af8.", "9fceb02"),
        ("Write to maria.lopez@example.org about the flat.", "maria.lopez@example.org"),
        ("Upgraded the server to version v2.14.3 at noon.", "v2.14.3"),
        ("The key is under the blue pot beside the door.", '"under the blue pot"'),
        ("See src/engine/wal_writer.py for the fix.", "wal_writer.py"),
        ("Party on the roof 🎉 with everybody.", "🎉"),
        ("Zorblax prefers porridge with plums.", "What does Zorblax eat?"),
    ],
)
def test_a_needle_is_found_at_the_top(tmp_path: Path, entry: str, query: str) -> None:
    with searchable(tmp_path) as world:
        fill(world)
        world.write("memory/2025-11-02.md", f"# 2025-11-02\n\n- {FILLER[0]}\n- {entry}\n- {FILLER[1]}\n")
        found = world.search(query)
        assert entry in found.hits[0].text
        assert found.hits[0].reference == "memory/2025-11-02.md#L4"


def test_the_same_text_is_found_equally_well_whatever_its_age_and_the_newer_comes_first(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        fill(world)
        old = world.today - timedelta(days=3 * 365)
        for day, words in ((old, "an old lighthouse"), (world.today, "a new lighthouse")):
            world.write(f"memory/{day.isoformat()}.md", f"- Visited {words} near the harbour with Tom.\n")
        first, second = world.search("Who visited the lighthouse near the harbour?").hits[:2]
        assert (first.day, second.day) == (world.today, old)
        assert second.score > first.score * 0.98
        aged = replace(world.settings, decay=True, half_life_days=30.0)
        world.settings = aged
        hits = world.search("Who visited the lighthouse near the harbour?").hits
        assert [hit.day for hit in hits[:2]] == [world.today, old]


def test_a_day_that_is_named_brings_what_is_of_that_day(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        for day in ("2026-01-10", "2026-02-10", "2026-03-10"):
            world.write(f"memory/{day}.md", "- Had dinner with Anna.\n" + f"- Noted {day}.\n")
        assert world.search("dinner with Anna in February").hits[0].day == date(2026, 2, 10)
        assert world.search("昨天 Anna").hits[0].text


def test_nothing_is_told_twice(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        for month in range(1, 7):
            world.write(f"memory/2025-0{month}-01.md", "- The wifi at the cabin is called Moonlight.\n")
        found = world.search("what is the wifi at the cabin called")
        assert len(found.hits) == 1
        assert len(found.hits[0].also) == 5
        assert found.hits[0].path == "memory/2025-06-01.md"


def test_a_correction_counts_more(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01.md", "- Tom's birthday is on the third of May.\n")
        world.write("memory/2026-03-02.md", "- Tom's birthday is on the fourth of May.\n")
        with_flag = "- Tom's birthday is on the fifth of May. <!-- everself: id=7K3QX9M2ABCD tag=correction -->\n"
        world.write("memory/2026-03-03.md", with_flag)
        best = world.search("When is Tom's birthday?").hits[0]
        assert "fifth" in best.text
        assert ("correction", 1.5) in [(part.name, part.value) for part in best.parts]


def test_what_no_longer_holds_comes_later_and_says_so(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write(
            "MEMORY.md",
            "# Memory\n\n- Lives in Berlin. <!-- everself: id=7K3QX9M2ABC1 until=2026-01-05 -->\n- Lives in Oslo.\n",
        )
        hits = world.search("Where does she live? Berlin Oslo lives").hits
        assert ["Oslo" in hit.text for hit in hits] == [True, False]
        assert hits[1].until == date(2026, 1, 5)
        then = world.search("lives in Berlin", RecallRequest("", as_of=date(2026, 3, 1)))
        assert all("Berlin" not in hit.text for hit in then.hits)
        assert "not valid on that day" in {one.reason for one in then.left_out}


def test_an_exact_match_is_never_lost_to_the_threshold(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        fill(world)
        world.write("memory/2025-01-01.md", "- Ticket QX-88412 is closed.\n")
        world.settings = replace(world.settings, min_score=0.55)
        assert any(
            "QX-88412" in text
            for text in world.texts("so what about the ticket of last year, QX-88412, any news on that?")
        )


def test_an_entry_is_not_found_for_the_words_of_the_entry_beside_it(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write(
            "MEMORY.md", "# Memory\n\n- 喜欢喝绿茶。\n- Writes Rust at work.\n- Grows rhubarb on the balcony.\n"
        )
        assert world.texts("绿茶") == ["喜欢喝绿茶。"]
        assert world.texts("What does she grow on the balcony?") == ["Grows rhubarb on the balcony."]


def test_a_name_counts_in_notes_even_where_its_bearer_speaks_elsewhere(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        fill(world, 2)
        world.write("memory/2026-03-01-talk.md", "**Tom:** Good morning!\n**Anna:** Hello Tom.\n**Tom:** Nice day.\n")
        world.write(
            "MEMORY.md", "- Ben's birthday is in May.\n- Tom's birthday is in June.\n- Eve's birthday is in July.\n"
        )
        assert "Tom's birthday" in world.texts("When is Tom's birthday?")[0]


def test_an_unrelated_question_finds_only_what_is_weak(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("MEMORY.md", "- Likes green tea.\n")
        (found,) = world.search("quantum chromodynamics lattice").hits
        assert found.weak


@pytest.mark.parametrize(
    "misdeed", ["raise", "network", "timeout", "quota", "nan", "infinite", "wrong size", "too few", "zeros"]
)
def test_a_broken_embedder_leaves_keywords_and_says_why(tmp_path: Path, misdeed: str) -> None:
    broken = FakeEmbedder()
    with searchable(tmp_path, CheckedEmbedder(broken, pause=lambda _: None)) as world:
        fill(world, 2)
        world.write("MEMORY.md", "- Zorblax prefers porridge.\n")
        world.index.sync()
        assert world.index.embed().failure == ""
        assert world.search("Zorblax").provider.startswith("local/")
        broken.fail(misdeed)  # type: ignore[arg-type]
        found = world.search("Zorblax")
        assert "porridge" in found.hits[0].text
        assert found.provider == "keywords"
        assert any("Keyword search only" in notice for notice in found.notices)


def test_a_first_search_waits_for_no_model(tmp_path: Path) -> None:
    model = FakeEmbedder()
    with searchable(tmp_path, model) as world:
        world.write("MEMORY.md", "- Zorblax prefers porridge.\n")
        found = world.search("Zorblax")
        assert found.hits
        assert model.calls == []
        assert any("no vectors yet" in notice for notice in found.notices)


def test_every_search_is_recorded_with_entry_and_score(tmp_path: Path) -> None:
    noted: list[SearchRecord] = []
    with searchable(tmp_path, recorded=noted) as world:
        fill(world, 1)
        world.write("MEMORY.md", "- Likes green tea. <!-- everself: id=7K3QX9M2ABCD -->\n")
        for ranking in Ranking:
            world.search("green tea", RecallRequest("", ranking=ranking, session="s1"))
    assert [one.mode for one in noted] == [ranking.value for ranking in Ranking]
    assert {one.session for one in noted} == {"s1"}
    assert {one.hits[0].entry for one in noted} == {"7K3QX9M2ABCD"}


@pytest.mark.parametrize("kind", [SessionKind.GROUP, SessionKind.GUEST, SessionKind.SUBAGENT])
def test_whoever_is_not_the_owner_finds_only_what_is_shared(tmp_path: Path, kind: SessionKind) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01.md", "- The canary sings at midnight.\n")
        world.write(
            "MEMORY.md",
            "# Memory\n\n## Private\n\n- The canary is called Pip.\n\n"
            "## Open\n<!-- share: group, guest, subagent -->\n\n- The canary lives in the office.\n",
        )
        texts = world.texts("canary", RecallRequest("", scope=Scope(kind), min_score=0.0))
        assert texts == ["The canary lives in the office."]


def test_a_person_finds_their_own_memory_and_no_one_elses(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("users/ben/memory/2026-03-01.md", "- Ben keeps a canary.\n")
        world.write("users/eve/memory/2026-03-01.md", "- Eve keeps a canary.\n")
        world.write("MEMORY.md", "- The owner keeps a canary.\n")
        scope = Scope(SessionKind.GUEST, person="ben")
        assert world.texts("canary", RecallRequest("", scope=scope, min_score=0.0)) == ["Ben keeps a canary."]


def test_a_secret_is_neither_found_nor_served(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with searchable(tmp_path) as world:
        world.write("MEMORY.md", f"- The deploy token is {secret} for the robot.\n")
        assert all(secret not in text for text in world.texts("deploy token robot"))
        assert world.texts("deploy token robot")
        assert not world.texts(secret)


def test_a_budget_is_kept_and_what_it_left_out_is_named(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        fill(world)
        found = world.search("walk around the lake on Sunday with Anna", RecallRequest("", budget=120, min_score=0.0))
        assert 0 < found.tokens <= 120
        assert found.left_out
        assert found.hits[0].path in found.text


def test_a_question_about_nothing_is_refused(tmp_path: Path) -> None:
    with searchable(tmp_path) as world, pytest.raises(WrongUse):
        world.search("   ")


def test_lines_of_a_document_are_read_by_whoever_may(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("MEMORY.md", "# Memory\n\n- One.\n- Two.\n- Three.\n")
        recall = Recall(world.index, world.time.clock(), world.settings, world.memory, world.searches)
        assert recall.get("MEMORY.md", first=4, lines=1).text == "- Two."
        with pytest.raises(NotFound):
            recall.get("SOUL.md")
        with pytest.raises(NotFound):
            recall.get("MEMORY.md", Scope(SessionKind.GROUP))
        with pytest.raises(NotFound):
            recall.get("MEMORY.md", first=99)
        with pytest.raises(WrongUse):
            recall.get("MEMORY.md", first=0)


def test_a_file_that_changed_a_moment_ago_is_served_as_it_is(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("MEMORY.md", "- Zorblax prefers porridge.\n")
        assert world.texts("Zorblax") == ["Zorblax prefers porridge."]
        world.write("MEMORY.md", "- Zorblax prefers waffles.\n")
        assert world.texts("Zorblax") == ["Zorblax prefers waffles."]
        (world.files / "MEMORY.md").unlink()
        assert world.texts("Zorblax") == []


def test_a_rare_character_is_a_word_of_its_own(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        notes = "".join(f"- 第{number}种鱼叫做鲤鱼，做法又多。\n" for number in range(150))
        world.write("MEMORY.md", f"# 笔记\n\n{notes}- 䲟（yìn），长印鱼，有吸盘。\n")
        assert "长印鱼" in world.search("䲟又叫做什么？").hits[0].text
