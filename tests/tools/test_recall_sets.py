"""How the sets of the recall benchmark are read and written as documents."""

from pathlib import Path

import pytest
from tests.tools.recall_data import write_data
from tools.bench_recall.sets import READERS, BadData, load_sets, split_evidence, thin_out


def test_evidence_ids_are_split_on_blanks_and_semicolons_and_kept_once() -> None:
    assert split_evidence(["D8:6; D9:17", "D9:1 D4:4 D4:6", "D9:17", "D:11:26"]) == (
        "D8:6",
        "D9:17",
        "D9:1",
        "D4:4",
        "D4:6",
        "D:11:26",
    )
    assert split_evidence([]) == ()


def test_a_conversation_is_a_dated_file_a_session_with_a_line_a_turn(tmp_path: Path) -> None:
    (locomo,) = load_sets(write_data(tmp_path), ("locomo",))
    documents = dict(locomo.stores[0].documents)
    assert list(documents) == ["memory/2023-05-08-session-1.md", "memory/2023-09-13-session-2.md"]
    lines = documents["memory/2023-05-08-session-1.md"].splitlines()
    assert lines[0] == "**Ines:** Good to see you again, how was the week?"
    assert lines[4] == "**Bo:** I adopted a greyhound called Pepper. [a dog on a sofa]"
    assert len(lines) == 5


def test_units_name_the_lines_that_they_stand_on(tmp_path: Path) -> None:
    for dataset in load_sets(write_data(tmp_path), tuple(READERS)):
        for store in dataset.stores:
            documents = dict(store.documents)
            for unit in store.units:
                lines = documents[unit.path].splitlines()[unit.first_line - 1 : unit.last_line]
                assert "\n".join(lines) == unit.text
                assert unit.body in unit.text


def test_what_cannot_be_asked_is_left_out_and_counted(tmp_path: Path) -> None:
    (locomo,) = load_sets(write_data(tmp_path), ("locomo",))
    assert [(one.category, one.evidence) for one in locomo.stores[0].questions] == [
        ("single-hop", (4,)),
        ("multi-hop", (5, 6)),
    ]
    assert locomo.left_out == {
        "adversarial questions": 1,
        "questions without evidence": 2,
        "evidence ids without a turn": 2,
    }


def test_a_turn_of_several_lines_stays_one_unit(tmp_path: Path) -> None:
    (pool,) = load_sets(write_data(tmp_path), ("longmemeval",))
    assert [unit.text for unit in pool.stores[0].units] == [
        "**user:** The pottery class  was on Tuesday.",
        "**user:** I like smoky tea most of all.",
    ]
    assert [one.evidence for one in pool.stores[0].questions] == [(0,), (1,)]


def test_chinese_and_japanese_are_two_sets_of_passages_under_their_titles(tmp_path: Path) -> None:
    chinese, japanese = load_sets(write_data(tmp_path), ("cjk",))
    assert (chinese.name, chinese.asked, japanese.name, japanese.asked) == ("cjk/zh", 2, "cjk/ja", 1)
    assert dict(chinese.stores[0].documents)["memory/passage-1.md"] == "# 灯塔\n\n这座灯塔建于海边，高三十米。\n"


def test_fewer_questions_leave_the_texts_as_they_are(tmp_path: Path) -> None:
    (pool,) = load_sets(write_data(tmp_path), ("longmemeval",))
    thin = thin_out(pool, 1)
    assert (thin.asked, len(thin.stores[0].units)) == (1, 2)
    assert thin_out(pool, 9) == pool


def test_missing_and_mistaken_data_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="no data folder"):
        load_sets(tmp_path / "nowhere", ("locomo",))
    with pytest.raises(BadData, match=r"conversations\.json cannot be read"):
        load_sets(tmp_path, ("locomo",))
    data = write_data(tmp_path)
    (data / "cjk" / "passages.jsonl").write_text('{"pid": 1}\n')
    with pytest.raises(BadData, match="cjk is not as expected: KeyError"):
        load_sets(data, ("cjk",))
    (data / "longmemeval" / "evidence.jsonl").write_text("no json\n")
    with pytest.raises(BadData, match="longmemeval is not as expected"):
        load_sets(data, ("longmemeval",))


def test_a_long_chat_is_a_file_for_each_time_that_it_names(tmp_path: Path) -> None:
    (beam,) = load_sets(write_data(tmp_path), ("beam",))
    (chat,) = beam.stores
    assert [path for path, _ in chat.documents] == [
        "memory/2024-03-15-session-1.md",
        "memory/2024-04-05-session-2.md",
    ]
    assert [(one.category, one.evidence) for one in chat.questions] == [
        ("knowledge_update", (2,)),
        ("summarization", (0, 2)),
    ]
    assert beam.left_out == {"questions without evidence": 1}


def test_preferences_are_one_list(tmp_path: Path) -> None:
    (preferences,) = load_sets(write_data(tmp_path), ("prefeval",))
    (store,) = preferences.stores
    assert store.documents[0][1].splitlines()[1] == "- I only travel by train."
    assert [one.evidence for one in store.questions] == [(0,), (1,)]


def test_forty_series_are_one_memory(tmp_path: Path) -> None:
    (daily,) = load_sets(write_data(tmp_path), ("memdaily",))
    assert [len(store.documents) for store in daily.stores] == [21, 20]
    first = daily.stores[0]
    assert first.documents[0][0] == "memory/2024-04-01-series-1.md"
    asked = first.questions[1]
    assert first.units[asked.evidence[0]].body == "老师叫林青。"
    assert first.units[asked.evidence[0]].path == first.documents[1][0]
