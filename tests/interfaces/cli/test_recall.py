"""`everself memory search`, `get`, `why`, `index`, `rebuild`, `status` and `eval` as a person calls them."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.interfaces.cli.conftest import Terminal

import everself.models.embedding as everself_embedding
from everself.config.installation import install_command
from everself.interfaces.cli import operation_command
from everself.interfaces.rendering import search as searching
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

TOP = Path(__file__).resolve().parents[3]


@pytest.fixture
def notes(workspace: Path, everself) -> Path:
    """A workspace with a few notes, and nobody who embeds."""
    for name in ("USER.md", "MEMORY.md"):
        (workspace / name).write_text("")
    (workspace / "memory").mkdir(exist_ok=True)
    (workspace / "memory" / "2026-03-19.md").write_text(
        "# 2026-03-19\n\n## [09:30:00] note\n\nThe tundra project is due in October, says Marguerite.\n\n"
        "## [10:00:00] note\n\n我喜欢喝绿茶,每天早上一杯。\n\n## [11:00:00] note\n\n서울에서 김치를 먹었다.\n"
    )
    (workspace / "memory" / "garden.md").write_text("# Garden\n\n- The rhubarb wants shade and much water in spring\n")
    assert everself("config", "set", "memorySearch.provider", "none").code == 0
    return workspace


@pytest.fixture
def embedder(notes: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:  # noqa: ARG001 (only that they are there)
    fake = FakeEmbedder()
    monkeypatch.setattr(everself_embedding, "open_embedder", lambda *_, **__: fake)
    return fake


@pytest.mark.usefixtures("notes")
def test_a_hit_is_shown_with_score_day_citation_and_words(everself) -> None:
    said = everself("memory", "search", "tundra", "project")
    assert (said.code, said.err) == (0, "")
    first, words = said.out.splitlines()[:2]
    assert first.split()[0] == "1"
    assert 0.35 <= float(first.split()[1]) <= 1
    assert first.split()[2:] == ["2026-03-19", "memory/2026-03-19.md#L5"]
    assert words == "    The tundra project is due in October, says Marguerite."


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(("word", "line"), [("绿茶", 9), ("김치", 13), ("Marguerite", 5)])
def test_two_characters_of_any_script_are_found_at_the_top(everself, word: str, line: int) -> None:
    data = everself("memory", "search", word, "--json").json["data"]
    assert data["hits"][0]["citation"] == f"memory/2026-03-19.md#L{line}"


@pytest.mark.usefixtures("notes")
def test_json_has_all_that_is_shown_and_more(everself) -> None:
    said = everself("memory", "search", "rhubarb", "--json")
    assert (said.code, said.err) == (0, "")
    assert set(said.json) == {"ok", "data", "notices"}
    data = said.json["data"]
    assert set(data) == {
        *("query", "id", "ranking", "provider", "tokens", "hits", "left_out", "notices", "degraded", "messages"),
    }
    (hit, *_) = data["hits"]
    assert set(hit) == {"citation", "weight", "hit"}
    assert {"path", "first_line", "last_line", "score", "text", "entry", "day", "parts"} <= set(hit["hit"])
    assert (data["provider"], data["ranking"], data["degraded"]) == ("keywords", "default", False)
    assert data["tokens"] > 0


@pytest.mark.usefixtures("notes")
def test_every_part_of_a_score_is_explained_and_the_first_seeds_weight_too(everself) -> None:
    words = everself("memory", "search", "tundra", "--explain", "--limit", "1").out
    assert "→ found because it says “tundra”" in words
    assert "first_told" not in words
    out = everself("memory", "search", "tundra", "--explain", "--verbose", "--limit", "1").out
    parts = {line[6:26].strip(): line[26:] for line in out.splitlines() if line.startswith("      ")}
    assert {"first_told", "level", "sum", "age", "seed 1 weight", "score"} <= set(parts)
    assert float(parts["sum"].split()[0]) == pytest.approx(
        sum(float(value) for value in parts.values() if value.strip()[0] in "+-"), abs=0.01
    )
    # it is old, which counts for nothing while decay is off; what it would count is shown all the same
    assert float(parts["age"].strip(" ×")) > 0.99
    assert float(parts["seed 1 weight"].split()[0].strip("×")) < 0.9


@pytest.mark.usefixtures("notes")
def test_nothing_found_is_said_and_has_a_code_of_its_own(everself) -> None:
    said = everself("memory", "search", "xyzzyplugh", "--min-score", "0.35")
    assert (said.code, said.out) == (5, "No entry matches.\n")
    said = everself("memory", "search", "xyzzyplugh", "--min-score", "0.35", "--json")
    assert (said.code, said.json["ok"], said.json["data"]["hits"]) == (5, True, [])


@pytest.mark.usefixtures("notes")
def test_what_only_comes_nearest_is_marked_and_counts_as_found(everself) -> None:
    said = everself("memory", "search", "xyzzyplugh")
    first, *shown = said.out.splitlines()
    assert (said.code, first) == (0, "Nothing fits well. What comes nearest:")
    assert [line.split()[-1] for line in shown if line[:2].strip()] == ["weak"] * 3
    hits = everself("memory", "search", "xyzzyplugh", "--json").json["data"]["hits"]
    assert [hit["hit"]["weak"] for hit in hits] == [True] * 3
    assert len(everself("memory", "search", "xyzzyplugh", "--limit", "2", "--json").json["data"]["hits"]) == 2


@pytest.mark.usefixtures("workspace")
def test_an_empty_memory_has_nothing_that_comes_nearest(everself, workspace: Path) -> None:
    for name in ("USER.md", "MEMORY.md"):
        (workspace / name).write_text("")
    everself("config", "set", "memorySearch.provider", "none")
    said = everself("memory", "search", "xyzzyplugh")
    assert (said.code, said.out) == (5, "No entry matches.\n")


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(
    "words",
    [
        ("search",),
        ("search", "   "),
        ("search", "tea", "--limit", "0"),
        ("search", "tea", "--min-score", "2"),
        ("search", "tea", "--as-of", "yesterday"),
        ("search", "tea", "--ranking", "best"),
        ("search", "tea", "--session", "stranger"),
        ("search", "tea", "--budget", "0"),
        ("get",),
        ("get", "MEMORY.md", "--from", "0"),
        ("get", "memory/garden.md#L3", "--from", "1"),
        ("get", "memory/garden.md#L9-L3"),
        ("eval", "--questions", "0"),
        ("why", "--limit", "0"),
    ],
)
def test_wrong_use_is_said(everself, words: tuple[str, ...]) -> None:
    said = everself("memory", *words)
    assert said.code == 2
    assert said.out == ""
    assert said.err


@pytest.mark.usefixtures("notes")
def test_limits_rankings_and_budgets_are_heeded(everself) -> None:
    assert (
        len(everself("memory", "search", "the", "tundra", "water", "--limit", "1", "--json").json["data"]["hits"]) == 1
    )
    data = everself("memory", "search", "tundra", "--ranking", "tfidf", "--json").json["data"]
    assert (data["ranking"], data["hits"][0]["hit"]["path"]) == ("tfidf", "memory/2026-03-19.md")
    data = everself("memory", "search", "tundra rhubarb", "--budget", "40", "--json").json["data"]
    assert 0 < data["tokens"] <= 40


def test_a_guest_finds_their_own_and_nothing_of_the_owners(everself, notes: Path) -> None:
    (notes / "users" / "anna" / "memory").mkdir(parents=True)
    (notes / "users" / "anna" / "memory" / "2026-03-20.md").write_text("- Anna grows rhubarb too\n")
    data = everself("memory", "search", "rhubarb", "--session", "guest/Anna", "--json").json["data"]
    assert [one["hit"]["path"] for one in data["hits"]] == ["users/anna/memory/2026-03-20.md"]
    assert everself("memory", "search", "rhubarb", "--session", "group").code == 5
    assert everself("memory", "get", "memory/garden.md", "--session", "guest/anna").code == 5


def test_words_that_are_found_cannot_command_the_terminal(everself, notes: Path) -> None:
    (notes / "memory" / "evil.md").write_text("- quokka \x1b[2J\x1b]0;owned\x07 words \u202e evil\n")
    for words in (("search", "quokka", "--explain"), ("get", "memory/evil.md"), ("why", "last")):
        said = everself("memory", *words)
        assert said.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out + said.err)


@pytest.mark.usefixtures("notes")
def test_lines_are_got_by_citation_or_by_number(everself) -> None:
    said = everself("memory", "get", "memory/2026-03-19.md#L5")
    assert said.out == "The tundra project is due in October, says Marguerite.\n"
    assert everself("memory", "get", "memory/2026-03-19.md", "--from", "5", "--lines", "1").out == said.out
    assert everself("memory", "get", "memory/2026-03-19.md#L3-L5").out.splitlines()[0] == "## [09:30:00] note"
    data = everself("memory", "get", "memory/2026-03-19.md#L3-L5", "--json").json["data"]
    assert set(data) == {"citation", "path", "first_line", "last_line", "day", "text"}
    assert (data["citation"], data["day"]) == ("memory/2026-03-19.md#L3-L5", "2026-03-19")


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("path", ["memory/none.md", "../everself.json5", "/etc/passwd", "memory/garden.md#L900"])
def test_what_is_no_document_of_memory_is_not_found(everself, path: str) -> None:
    assert everself("memory", "get", path).code == 5


@pytest.mark.usefixtures("notes")
def test_the_record_of_a_correction_is_shown_without_its_bookkeeping(everself) -> None:
    everself("memory", "add", "The harbour fee is 40 euros.")
    everself("memory", "correct", "The harbour fee is 40 euros.", "The harbour fee is 45 euros.")
    told = everself("memory", "search", "harbour fee").out
    assert "“The harbour fee is 40 euros.” was corrected to “The harbour fee is 45 euros.”" in told
    assert "Re-embedded" not in told


@pytest.mark.usefixtures("notes")
def test_why_tells_what_was_recalled_what_it_cost_and_what_was_left_out(everself) -> None:
    assert everself("memory", "why").code == 5
    found = everself("memory", "search", "tundra", "--limit", "1", "--json").json["data"]
    everself("memory", "search", "rhubarb")
    for name in (found["id"], found["id"][:6].lower(), "Tundra"):
        data = everself("memory", "why", name, "--json").json["data"]
        assert (data["id"], data["query"], data["tokens"]) == (found["id"], "tundra", found["tokens"])
    assert data["hits"][0]["path"] == "memory/2026-03-19.md"
    assert dict(data["hits"][0]["parts"])["age"] > 0.99
    told = everself("memory", "why", "tundra").out
    assert f"recalled    1 hit, {found['tokens']} tokens" in told
    assert "memory/2026-03-19.md#L5" in told
    assert "left out" in told
    # in words; the numbers are for whoever asks
    assert "found because" in told
    assert "age 1.00" not in told
    assert "age 1.00" in everself("memory", "why", "tundra", "--verbose").out
    listed = everself("memory", "why", "--list").out.splitlines()
    assert [line.rsplit("  ", 1)[-1] for line in listed] == ["rhubarb", "tundra"]
    assert everself("memory", "why", "nobody asked this").code == 5


@pytest.mark.usefixtures("notes")
def test_what_is_switched_off_says_how_it_is_switched_on(everself) -> None:
    everself("config", "set", "memorySearch.enabled", "false")
    for words in (("search", "tundra"), ("get", "MEMORY.md"), ("index",), ("rebuild",), ("eval",)):
        said = everself("memory", *words)
        assert said.code == 3
        assert "everself config set memorySearch.enabled true" in said.err
    said = everself("memory", "status")
    assert said.code == 0
    assert "Search: off" in said.out
    assert "everself config set memorySearch.enabled true" in said.out


@pytest.mark.usefixtures("embedder")
def test_after_an_answer_a_local_embedder_goes_on_for_a_moment(everself) -> None:
    first = everself("memory", "search", "tundra", "--json")
    assert (first.code, first.json["data"]["provider"]) == (0, "keywords")
    assert everself("memory", "search", "tundra", "--json").json["data"]["provider"] == "local/fake/1"
    assert everself("memory", "search", "tundra").err == ""


def test_a_paid_embedder_embeds_nothing_unasked(everself, embedder: FakeEmbedder) -> None:
    embedder.provider, embedder.model, embedder.paid = "openai", "text-embedding-3-small", True
    said = everself("memory", "search", "tundra")
    assert said.code == 0
    assert "everself memory index" in said.err
    assert embedder.calls == []
    for asked in (everself("memory", "index"), everself("memory", "index", "--json")):
        assert asked.code == 2
    assert "openai/text-embedding-3-small: 4 texts, about " in asked.json["error"]["message"]
    assert "about $0.0" in asked.json["error"]["message"]
    refused = everself("memory", "index", typed="n\n", at_terminal=True)
    assert refused.code == 6
    assert embedder.calls == []
    assert everself("memory", "index", typed="y\n", at_terminal=True).code == 0
    assert embedder.calls
    assert everself("memory", "index", "--yes").code == 0


def test_an_embedder_that_fails_leaves_keywords_and_says_why(everself, embedder: FakeEmbedder) -> None:
    assert everself("memory", "index").code == 0
    embedder.fail("network")
    said = everself("memory", "search", "tundra")
    assert said.code == 6
    assert "tundra" in said.out
    assert "told to fail: network" in said.err
    assert "told to fail: network" in everself("memory", "status").out
    deep = everself("memory", "status", "--deep")
    assert deep.code == 6
    assert "told to fail: network" in deep.out
    (failed,) = [everself("memory", "index", "--force")]
    assert failed.code == 0


@pytest.mark.usefixtures("embedder")
def test_indexing_reads_embeds_and_says_what_it_did(everself, notes: Path) -> None:
    said = everself("memory", "index", "--json")
    assert (said.code, said.err) == (0, "")
    data = said.json["data"]
    assert set(data) == {
        *(
            "read",
            "removed",
            "documents",
            "pieces",
            "embedded",
            "pending",
            "model",
            "dropped",
            "failure",
            "interrupted",
            "notices",
            "better_pending",
        ),
    }
    assert (data["pieces"], data["embedded"], data["pending"], data["better_pending"]) == (4, 4, 0, 0)
    again = everself("memory", "index", "--json").json["data"]
    assert (again["read"], again["embedded"]) == (0, 0)
    (notes / "memory" / "garden.md").unlink()
    assert everself("memory", "index", "--json").json["data"]["removed"] == 1
    forced = everself("memory", "index", "--force", "--json").json["data"]
    assert (forced["read"], forced["embedded"]) == (forced["documents"], 0)
    rebuilt = everself("memory", "rebuild")
    assert rebuilt.code == 0
    assert "3 chunks" in rebuilt.out


def test_ctrl_c_stops_an_index_run_and_loses_nothing(everself, embedder: FakeEmbedder) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    embed = embedder.embed
    embedder.embed = stop  # type: ignore[assignment, method-assign]
    said = everself("memory", "index")
    assert said.code == 130
    assert "Nothing is lost" in said.err
    assert "everself memory index" in said.err
    as_json = everself("memory", "index", "--json")
    assert (as_json.code, as_json.json["ok"], as_json.json["data"]["interrupted"]) == (130, False, True)
    # a search has answered before it begins to embed
    found = everself("memory", "search", "tundra")
    assert (found.code, "tundra" in found.out) == (0, True)
    embedder.embed = embed  # type: ignore[method-assign]
    assert everself("memory", "index", "--json").json["data"]["embedded"] == 4


def test_the_answer_is_written_before_anything_is_embedded(everself, embedder: FakeEmbedder, capsys) -> None:
    shown: list[str] = []
    embed = embedder.embed

    def look(*arguments: object, **named: object) -> object:
        shown.append(capsys.readouterr().out)
        return embed(*arguments, **named)  # type: ignore[arg-type]

    embedder.embed = look  # type: ignore[assignment, method-assign]
    everself("memory", "search", "tundra")
    assert "tundra" in shown[0]


@pytest.mark.usefixtures("embedder")
def test_status_says_in_words_how_well_memory_can_be_found(everself, notes: Path) -> None:
    assert "Nothing is indexed yet" in everself("memory", "status").out
    everself("memory", "index")
    out = everself("memory", "status").out
    assert "in 4 chunks, 4 with vectors of local/fake/1, " in out
    (notes / "memory" / "garden.md").write_text("- The rhubarb is gone, and nettles grow there\n- So is the gate\n")
    out = everself("memory", "status").out
    assert "1 document differs from what is indexed" in out
    data = everself("memory", "status", "--deep", "--json").json["data"]
    assert {"tiers", "entries", "index"} <= set(data)
    assert set(data["index"]) == {
        *("enabled", "documents", "pieces", "embedded", "stale", "size", "model", "remarks", "deep"),
        *("better_model", "better_embedded"),
    }
    assert (data["index"]["stale"], data["index"]["pieces"], data["index"]["embedded"]) == (0, 5, 3)
    assert data["index"]["deep"]["dimensions"] == 64
    assert data["index"]["deep"]["rows"] > 20
    (remark,) = data["index"]["remarks"]
    assert remark == {
        "words": "2 chunks have no vector yet and are found by keywords alone.",
        "mend": "everself memory index",
    }


@pytest.mark.usefixtures("notes")
def test_status_without_an_embedder_says_how_to_get_one(everself) -> None:
    assert "everself config set memorySearch.provider auto" in everself("memory", "status").out


def damage_whole(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def damage_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = b"\xff" * 4096
    path.write_bytes(data)


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("damage", [damage_whole, damage_middle, damage_empty])
def test_a_damaged_index_costs_a_word_and_no_answer(everself, home: Path, damage: Callable[[Path], None]) -> None:
    everself("memory", "index")
    (found,) = home.rglob("index.db")
    damage(found)
    assert everself("memory", "status").code == 0
    said = everself("memory", "search", "tundra", "--json")
    assert said.code in (0, 6)
    assert said.json["data"]["hits"][0]["citation"] == "memory/2026-03-19.md#L5"
    assert everself("memory", "status", "--deep").code == 0
    again = everself("memory", "search", "tundra", "--json")
    assert (again.code, again.json["notices"]) == (0, [])


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("folder", ["/proc/self", "/proc/nowhere"])
def test_an_index_that_cannot_be_written_lives_in_memory_and_says_so(everself, folder: str) -> None:
    # not even root may write there
    everself("config", "set", "memorySearch.store.path", f"{folder}/index.db")
    said = everself("memory", "search", "tundra")
    assert said.code == 6
    assert "The tundra project" in said.out
    assert "The index is kept in memory" in said.err
    assert f"{folder} cannot be written: the index is kept in memory" in everself("memory", "status").out
    assert everself("memory", "status", "--deep").code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("notes")
def test_search_answers_while_another_process_writes_memories(everself, home: Path) -> None:
    environ = {"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(TOP / "src")}
    environ["EVERSELF_HOME"], environ["XDG_CONFIG_HOME"] = str(home / ".everself"), str(home / ".config")
    code = (
        "from everself.agent import Agent, open_runtime\n"
        "with open_runtime() as app:\n"
        "    for number in range(6):\n"
        "        Agent(app, fresh=False).remember(f'Wrote down number {number} about the quokka'); app.index.sync()\n"
    )
    rival = subprocess.Popen([sys.executable, "-c", code], env=environ)
    try:
        while rival.poll() is None:
            said = everself("memory", "search", "tundra", "--json")
            assert said.code in (0, 6)
            assert said.json["data"]["hits"][0]["citation"] == "memory/2026-03-19.md#L5"
    finally:
        rival.wait(600)
    assert rival.returncode == 0
    hits = everself("memory", "search", "quokka", "--limit", "20", "--json").json["data"]["hits"]
    assert ["quokka" in hit["hit"]["text"] for hit in hits if not hit["hit"]["weak"]] == [True] * 6
    assert len(everself("memory", "search", "quokka", "--limit", "6", "--json").json["data"]["hits"]) == 6


@pytest.mark.slow
def test_eval_measures_keeps_and_warns(everself, notes: Path) -> None:
    lines = [
        f"- {a} and {b} met near the {c} with a {d} for {e}\n"
        for a, b, c, d, e in zip(*[iter(f"{word}{at}" for at in range(12) for word in WORDS)] * 5, strict=False)
    ]
    (notes / "memory" / "people.md").write_text("".join(lines))
    said = everself("memory", "eval", "--questions", "10", "--json")
    assert said.code == 0
    data = said.json["data"]
    assert set(data) == {"now", "before", "worse", "changed", "kept", "better"}
    assert (data["now"]["questions"], data["before"], data["kept"]) == (10, None, True)
    assert 0.8 <= data["now"]["recall_at_1"] <= data["now"]["recall_at_5"] <= data["now"]["recall_at_10"] <= 1
    assert everself("memory", "why").code == 5
    out = everself("memory", "eval", "--questions", "10").out.splitlines()
    assert out[0] == "10 questions, ranking default, model none"
    assert [line.split()[0] for line in out[2:]] == ["now", data["now"]["at"][:10]]


WORDS = ("amber", "birch", "cobalt", "dahlia", "ember", "fjord", "garnet", "heron", "indigo", "jasmine")


@pytest.mark.slow
def test_eval_warns_where_a_setting_made_it_worse(everself, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.search.recall import Recall

    people = "".join(f"- {' '.join(f'{word}{at}' for word in WORDS)}\n" for at in range(12))
    (notes / "memory" / "people.md").write_text(people)
    assert everself("memory", "eval").code == 0
    everself("config", "set", "memorySearch.ranking", "hybrid")
    search = Recall.search

    def backwards(self: Recall, request):
        from dataclasses import replace

        found = search(self, request)
        return replace(found, hits=found.hits[1:])

    monkeypatch.setattr(Recall, "search", backwards)
    for _ in range(2):
        said = everself("memory", "eval")
        assert said.code == 6
        assert "Search finds less than before" in said.err
        assert "ranking: default → hybrid" in said.err
    assert everself("memory", "eval", "--save").code == 6
    assert everself("memory", "eval").code == 0


@pytest.mark.slow
def test_eval_says_when_a_better_model_might_help(everself, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.search.recall import Recall

    everself("config", "set", "memorySearch.provider", "local")
    fakes = {"open_embedder": FakeEmbedder(), "open_second": FakeEmbedder(model="better/1")}
    for name, fake in fakes.items():
        monkeypatch.setattr(everself_embedding, name, lambda *_, fake=fake, **__: fake)
    people = "".join(f"- {' '.join(f'{word}{at}' for word in WORDS)}\n" for at in range(24))
    (notes / "memory" / "people.md").write_text(people)
    everself("memory", "index")
    assert everself("memory", "eval", "--json").json["data"]["better"] == ""
    monkeypatch.setattr(Recall, "search", lambda *_: SimpleNamespace(hits=()))
    for installed, said in ((True, "everself memory index --better"), (False, install_command("quality"))):
        monkeypatch.setattr("everself.models.embedding.local.has_quality", lambda installed=installed: installed)
        found = everself("memory", "eval", "--save")
        assert "did not come among the first five" in found.err
        assert said in found.err
    # so few say nothing
    assert "first five" not in everself("memory", "eval", "--questions", "10", "--save").err


@pytest.mark.usefixtures("workspace")
def test_eval_without_notes_says_so(everself) -> None:
    everself("config", "set", "memorySearch.provider", "none")
    assert everself("memory", "eval").code == 5


def test_progress_is_told_in_lines_where_nobody_watches(everself, notes: Path, monkeypatch) -> None:
    for number in range(30):
        (notes / "memory" / f"note-{number}.md").write_text(f"- number {number}\n")
    from everself.search.sync import sync as syncing

    monkeypatch.setattr(syncing, "_BYTES_A_COMMIT", 1)
    monkeypatch.setattr(operation_command, "A_WORD_AFTER", 0.0)
    said = everself("memory", "search", "tundra")
    assert re.fullmatch(r"Reading: (\d\d) of \1", said.err.splitlines()[-1])
    assert len(said.err.splitlines()) == 10
    assert everself("memory", "rebuild", "--json").err == ""
    assert threading.active_count() < 10
    assert json.loads(everself("memory", "search", "tundra", "--json").out)["ok"]


def test_a_search_that_reads_for_long_says_so_and_a_quick_one_does_not(everself, notes: Path, monkeypatch) -> None:
    from everself.interfaces.cli import progress
    from everself.search.sync.documents import Sources

    everself("memory", "search", "tundra")
    monkeypatch.setattr(operation_command, "A_WORD_AFTER", 3_600.0)
    (notes / "memory" / "one.md").write_text("- tundra once more\n")
    assert "Reading" not in everself("memory", "search", "tundra").err
    (notes / "memory" / "one.md").write_text("- tundra for the third time\n")
    monkeypatch.setattr(operation_command, "A_WORD_AFTER", 0.05)
    prepare, show, said = Sources.prepare, progress.show_lines, threading.Event()

    def saying(*given, **named):
        show(*given, **named)
        said.set()

    def slowly(*given):
        # as long as nothing was said, and no longer
        assert said.wait(300)
        return prepare(*given)

    monkeypatch.setattr(progress, "show_lines", saying)

    monkeypatch.setattr(Sources, "prepare", slowly)
    assert "Reading: 0 of 1\n" in everself("memory", "search", "tundra").err


@pytest.mark.usefixtures("notes")
def test_a_bar_is_shown_at_a_terminal_and_gone_in_the_end(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.search.sync import sync as syncing

    monkeypatch.setattr(syncing, "_BYTES_A_COMMIT", 1)
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setattr(operation_command, "A_WORD_AFTER", 0.0)
        said = everself("memory", "rebuild")
    assert said.code == 0
    assert "Reading" in screen.getvalue()
    assert re.search(r"Reading \[#*\.+\] \d+ of \d+", screen.getvalue())
    # erased in the end
    assert screen.getvalue().endswith("\r\x1b[K")


def test_a_long_snippet_is_cut_and_says_so() -> None:
    shown = list(searching.snippet("\n\n".join(["x" * 1000, *map(str, range(9))])))
    assert shown[0].endswith("…")
    assert len(shown[0]) == 400
    assert shown[-1] == "… and 4 lines more"
