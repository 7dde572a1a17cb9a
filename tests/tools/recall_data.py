"""A data folder of a few made-up sentences, in the shapes of the real one."""

import json
from pathlib import Path

SMALL_TALK = (
    "Good to see you again, how was the week?",
    "Long and loud, the neighbours are building a shed.",
    "Mine was calm, I read on the balcony.",
    "The weather changes on Thursday, they say.",
)


def write_data(folder: Path) -> Path:
    """Every set in miniature."""
    _write_locomo(folder / "locomo")
    _write_longmemeval(folder / "longmemeval")
    _write_cjk(folder / "cjk")
    _write_beam(folder / "beam")
    _write_prefeval(folder / "prefeval")
    _write_memdaily(folder / "memdaily")
    return folder


def _write_beam(folder: Path) -> None:
    folder.mkdir(parents=True)
    messages = [
        {"id": 0, "role": "user", "time_anchor": "March-15-2024", "content": "My kiln holds forty bowls."},
        {"id": 1, "role": "assistant", "time_anchor": None, "content": "Forty bowls is a lot."},
        {"id": 2, "role": "user", "time_anchor": "April-05-2024", "content": "I sold the kiln to Bo."},
    ]
    questions = [
        {"category": "knowledge_update", "question": "Who has the kiln now?", "source_chat_ids": [2]},
        {"category": "summarization", "question": "What about the bowls?", "source_chat_ids": [0, 2, 0]},
        {"category": "abstention", "question": "What colour is it?", "source_chat_ids": []},
    ]
    (folder / "3.json").write_text(json.dumps({"messages": messages, "questions": questions}))


def _write_prefeval(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = [
        {"preference": "I never eat anything that lived in water.", "question": "What shall we cook on Friday?"},
        {"preference": "I only travel by train.", "question": "How do I get to Lisbon?"},
    ]
    _write_lines(folder / "explicit.jsonl", told)


def _write_memdaily(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = [
        {
            "file": "01_simple_events",
            "tid": number,
            "message_list": [
                {"mid": 0, "message": f"第{number}次陶艺课在周二。", "time": "2024年04月01日 周一 08:30"},
                {"mid": 1, "message": "老师叫林青。", "time": "2024年04月01日 周一 20:58"},
            ],
            "question_list": [{"qid": 0, "question": "老师叫什么？", "target_step_id": [1]}],
        }
        for number in range(41)
    ]
    _write_lines(folder / "trajectories.jsonl", told)


def _write_locomo(folder: Path) -> None:
    folder.mkdir(parents=True)
    first = [_turn("Ines", f"D1:{number}", text) for number, text in enumerate(SMALL_TALK, 1)]
    first.append(_turn("Bo", "D1:5", "I adopted a greyhound\ncalled Pepper.") | {"blip_caption": "a dog on a sofa"})
    second = [
        _turn("Ines", "D2:1", "Pepper came along to the lighthouse today."),
        _turn("Bo", "D2:2", "The lighthouse keeper sold us marmalade."),
    ]
    questions = [
        _asked("Which greyhound did Bo adopt?", ["D1:5"], 4),
        _asked("Where did Pepper go and what did the keeper sell?", ["D2:1; D2:2", "D9:9"], 1),
        _asked("What colour is the shed?", ["D7:1"], 3),
        _asked("When did nothing happen?", [], 2),
        _asked("What did Ines say about Mars?", ["D1:1"], 5),
    ]
    talk = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": first,
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": second,
        "session_3_date_time": "9:00 am on 1 October, 2023",
    }
    told = {"sample_id": "conv-0", "conversation": talk, "qa": questions, "session_summary": "never read"}
    (folder / "conversations.json").write_text(json.dumps([told]))


def _turn(speaker: str, number: str, text: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": number, "text": text}


def _asked(question: str, evidence: list[str], category: int) -> dict[str, object]:
    return {"question": question, "answer": "", "evidence": evidence, "category": category}


def _write_longmemeval(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = [
        ("pool-1", "temporal-reasoning", "When was the pottery class?", "The pottery class\n\nwas on Tuesday."),
        ("pool-2", "preference", "Which tea do I like?", "I like smoky tea most of all."),
    ]
    lines = [
        {
            "question_id": name,
            "question_type": kind,
            "question": question,
            "evidence_sessions": [{"date": "2023/05/28 (Sun) 07:17", "turns": [{"role": "user", "content": content}]}],
        }
        for name, kind, question, content in told
    ]
    _write_lines(folder / "evidence.jsonl", lines)


def _write_cjk(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = [
        ("z1", "zh", "灯塔", "这座灯塔建于海边，高三十米。"),
        ("z2", "zh", "橘子酱", "橘子酱由橘子和糖制成。"),
        ("j1", "ja", "灯台", "灯台 [SEP] この灯台は海辺に建てられた。"),
        ("j2", "ja", "陶芸", "陶芸 [SEP] 陶芸教室は火曜日に開かれる。"),
    ]
    _write_lines(
        folder / "passages.jsonl",
        [{"pid": name, "lang": language, "title": title, "text": text} for name, language, title, text in told],
    )
    asked = [
        ("a", "z1", "zh", "灯塔有多高？"),
        ("b", "z2", "zh", "橘子酱由什么制成？"),
        ("c", "j2", "ja", "陶芸教室は何曜日か"),
    ]
    _write_lines(
        folder / "queries.jsonl",
        [{"qid": name, "pid": pid, "lang": language, "question": question} for name, pid, language, question in asked],
    )


def _write_lines(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
